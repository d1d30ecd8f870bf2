"""Checking a model from Python: in a notebook, in a script, in a test of one's own.

    import highwater
    from lease import LEASE

    result = highwater.check(LEASE, revision="fenced", nodes=3)
    assert result, result
"""

import io
import os
import sys
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from html import escape
from typing import Any

from ..model.language.actions import Model
from ..model.language.errors import UsageError
from ..model.registry import MODELS
from ..properties.catalogue import claims_of, default_properties, progress_of
from ..properties.explained_document import document_of
from ..properties.plugins import checked_model
from ..traces.pictures.poster import poster
from ..traces.trace import Trace
from .budget import Bounds
from .command_line.report import print_outcome, shortest
from .command_line.tables import console_for
from .local.check import check as explore
from .request import Request, refuse_unchecked, revision_named
from .trace_files import text_of
from .verdict import HOLDS, Finding, Outcome


class Result:
    """What `check` found. It is true when the verdict is `holds`; printed, it is the report of `highwater check`.

    `states`, `transitions`, `depth`: counts, the initial states at depth 1. `complete`: everything reachable was explored.
    """

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.verdict, self.complete = outcome.verdict, outcome.complete
        self.states, self.transitions, self.depth = outcome.distinct_states, outcome.transitions, outcome.depth

    def __bool__(self) -> bool:
        return self.verdict == HOLDS

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict of each property, by name."""
        return {finding.property.name: finding.verdict for finding in self.outcome.reported}

    def steps(self, name: str) -> int | None:
        """The length of the shortest trace that violates or witnesses a property; None when there is none."""
        return self._finding(name).steps

    def trace(self, name: str = "") -> Trace | None:
        """The counterexample to a property, or the shortest of all; None when there is none."""
        found = self._finding(name) if name else shortest(self.outcome)
        return found.trace if found else None

    def _finding(self, name: str) -> Finding:
        named = {finding.property.name: finding for finding in self.outcome.reported}
        if name not in named:
            raise UsageError(f"{name!r:.60} was not checked; there are {', '.join(named)}")
        return named[name]

    def __str__(self) -> str:
        out, trace = io.StringIO(), self.trace()
        text = text_of(trace, self.outcome.model) if trace else ""
        print_outcome(console_for(file=out, width=100), self.outcome, self.outcome.model, text, False, False, None)
        return out.getvalue().rstrip()

    def __repr__(self) -> str:
        return f"<{self.outcome.model.name} {self.outcome.revision}: {self.verdict}, {self.states:,} states>"

    def _repr_html_(self) -> str:
        trace = self.trace()
        picture = poster(document_of(trace, self.outcome.model, choices=False)) if trace else ""
        return f"<pre>{escape(str(self))}</pre>{picture}"


def check(
    model: Model | str,
    revision: str = "",
    *,
    properties: Iterable[str] = (),
    progress: bool = False,
    symmetry: bool = False,
    exact: bool = False,
    deadlock: bool = False,
    keep_going: bool = False,
    threads: int = 0,
    depth: int | None = None,
    states: int | None = None,
    seconds: float | None = None,
    **settings: Any,
) -> Result:
    """Explore every state of a model under some settings, as `highwater check` does.

    `model`: one of a user's own, or the name of one that is there. `revision`: needed where the model has several.
    `properties`: names; else those that are checked by default, with those of progress where `progress` is asked for.
    `depth`, `states`, `seconds`: bounds. UsageError, in a sentence, for what does not fit.
    """
    whole = MODELS[model] if isinstance(model, str) else of_a_user(model)
    if not revision and len(whole.revisions) > 1:
        raise UsageError(f"the model {whole.name} has several revisions: name one of {', '.join(whole.revisions)}")
    name = revision_named(whole, revision) if revision else next(iter(whole.revisions))
    config, known, names = whole.configure(name, **settings), claims_of(whole), list(properties)
    for one in names:
        if one not in known:
            raise UsageError(f"the model {whole.name} has no property {one!r:.60}; there are {', '.join(known)}")
    chosen = [known[one] for one in names] or [*default_properties(whole)]
    chosen += [one for one in progress_of(whole) if progress and not names and one.applies(config)]
    request = Request(
        whole, name, config, [one for one in chosen if not one.of_progress], symmetry, exact, keep_going, deadlock=deadlock,
        threads=threads or cores(), bounds=Bounds(depth, states, seconds), named=bool(names),
        progress=[one for one in chosen if one.of_progress],
    )  # fmt: skip
    refuse_unchecked(request, counts=True)
    return Result(explore(request))


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def of_a_user(model: Model) -> Model:
    """A model as a plugin would bring it, with its properties; traces name the module that it is in."""
    if model.plugins or any(model is one for one in MODELS.values()):
        return model
    module = model.state.__module__
    whole = checked_model(model, module)
    return replace(whole, plugins=(module,)) if getattr(sys.modules.get(module), "__file__", None) else whole
