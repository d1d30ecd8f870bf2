"""The language in which models are written; nothing in it knows Kafka.

Read in this order: `kinds` (a state is a tree of records of small integers), `choices` (values with names), `settings` (its
configuration), `sequences` (queues, bags, sets and maps; `networks`: faults of messages in them), `actions` (guarded steps,
rules chosen by a setting, the model as a whole; `around`: a constraint, and rollback), `program` (a model's functions as one
closed set of syntax trees, held to the rules of the language; `desugared` and `desugared_statements`: what is short for these;
`plugin_checks`: what is checked in a plugin's functions, `interpreted`: that text in Python, and `shapes`: what expressions are
there; `typed_tree`: what provers, TLA+ and Spin are read from; `unchanged`: their files are
still those that were imported), `layout`
(the same state as an array of bytes and as a packed key), `beginnings` (initial states one at a time, and in
`beginnings_compiled` as a function), `loader` (compiles a program; `processor`: in which way;
`numba_private`: what of Numba this depends on), `lowering` (the functions that go to LLVM directly, and in `lowered_failures`
how they fail), `lowered_lanes` (the same for many states at once) and `pipeline` (how Numba compiles the others).
"""

from . import unchanged as unchanged  # first: it notes when
from .actions import Action, Model, Revision, Rule, actions, any_of, no_asymmetry
from .choices import Choice
from .costs import Cost, Failover
from .errors import UsageError
from .filled import every
from .kinds import MEMBERS, NO_MEMBER, Record, Sort, State, cells, flag, integer, many, member, member_set, one, one_of, walk
from .notation import Notation
from .releases import Span
from .repairs import Repair
from .sequences import bag, map_of, seq, set_of
from .settings import Settings, budget, choice, derived, size, switch

__all__ = [
    "MEMBERS", "NO_MEMBER", "Action", "Choice", "Cost", "Failover", "Model", "Notation",
    "Record", "Repair", "Revision", "Rule", "Settings", "Sort", "Span", "State", "UsageError",
    "actions", "any_of", "bag", "budget", "cells", "choice", "derived", "every", "flag", "integer", "many", "map_of", "member",
    "member_set", "no_asymmetry", "one", "one_of", "seq", "set_of", "size", "switch", "walk",
]  # fmt: skip
