"""The language in which models are written; nothing in it knows Kafka.

Here is what a model is written with: `kinds` (a state is a tree of records of small integers), `choices` (values with names),
`settings` (its configuration), `sequences` (queues, bags, sets and maps; `networks`: faults of messages in them), `steps`
(guarded actions, and rules chosen by a setting; `lines`: all of Next), `actions` (the model as a whole; `around`: a constraint,
and rollback), `filled` (many initial states), `notation`, `revisions`, `releases` and `repairs`; `completed` has what is given of
a model, and adds what need not be said, `wellformed` says what is wrong, and `unchanged` whether files are still those that were
imported.

`reading` makes a checked program of a model's text, `machine_code` compiles it.
"""

from . import unchanged as unchanged  # first: it notes when
from .actions import Model
from .choices import Choice
from .completed import no_asymmetry
from .costs import Cost, Failover
from .errors import UsageError
from .filled import every
from .kinds import MEMBERS, NO_MEMBER, Record, Sort, State, cells, flag, integer, many, member, member_set, one, one_of, walk
from .lines import actions
from .notation import Notation
from .repairs import Repair
from .revisions import Revision, Span
from .sequences import bag, map_of, seq, set_of
from .settings import Settings, budget, choice, derived, size, switch
from .steps import Action, Rule, any_of

__all__ = [
    "MEMBERS", "NO_MEMBER", "Action", "Choice", "Cost", "Failover", "Model", "Notation",
    "Record", "Repair", "Revision", "Rule", "Settings", "Sort", "Span", "State", "UsageError",
    "actions", "any_of", "bag", "budget", "cells", "choice", "derived", "every", "flag", "integer", "many", "map_of", "member",
    "member_set", "no_asymmetry", "one", "one_of", "seq", "set_of", "size", "switch", "walk",
]  # fmt: skip
