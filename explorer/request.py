"""What to check, and how: the request that every engine takes."""

import re
import time
from dataclasses import dataclass, field
from typing import Any

from ..model.language.actions import Model
from ..model.language.errors import ModelError, UsageError, hint
from ..model.language.reading.beginnings import has_one
from ..model.language.releases import of_a_fork, row_of
from ..model.language.revisions import is_release
from ..model.language.settings import Settings, changed, in_words
from ..properties.property import Property
from .budget import Bounds

MAX_NAMED = 5
"""How many properties a message explains."""


@dataclass
class Request:
    """A model under one configuration, its properties, and how to explore.

    `named`: a person chose the properties, so each of them must apply under the configuration.
    `until_found`: do not stop before every property is violated or witnessed, or all was seen. `trace_witnesses`: witnesses
    have traces too, as violations have.
    `generic`: with code that was compiled for all configurations; `shared`: for these configurations, including `config`.
    `resume`: continue the run in `run_directory`, from its last level or from `resume_from`. `progress`: properties of
    progress: they need every step, and the local engine keeps whole states for them; Spark decides those that are recoverable.
    `initial_seconds`: it took to find out whether there is an initial state, which may mean to make them all.
    """

    model: Model
    revision: str
    config: Any
    properties: list[Property]
    symmetry: bool = False
    exact: bool = False
    keep_going: bool = False
    until_found: bool = False
    trace_witnesses: bool = False
    deadlock: bool = False
    threads: int = 1
    generic: bool = False
    shared: tuple[Settings, ...] = ()
    bounds: Bounds = field(default_factory=Bounds)
    run_directory: str | None = None
    resume: bool = False
    resume_from: int | None = None
    named: bool = False
    progress: list[Property] = field(default_factory=list)
    initial_seconds: float = 0.0

    @property
    def applicable(self) -> list[Property]:
        """The properties that apply under the configuration: those that are checked."""
        return [claim for claim in self.properties if claim.applies(self.config)]


def sizes(model: Model, revision: str, config: Any) -> str:
    """The sizes in words, and every other setting that is not the revision's default."""
    return in_words({**config.sizes(), **changed(config, model.defaults(revision))})


def revision_named(model: Model, name: str) -> str:
    """The revision of this name, `KIP-101` or `kip_101` too, or the one that describes this release, `2.8.1`; else UsageError."""
    plain = re.sub(r"^kip[-_ ]?(?=\d)", "kip-", name.strip().lower().replace("_", "-"))
    for known in (name, *(revision for revision in model.revisions if revision.lower() == plain)):
        if known in model.revisions:
            return known
    if is_release(name) and model.releases:
        return row_of(model, name)[1]
    fork = of_a_fork(model, name) if model.releases else ""
    raise UsageError(f"the model {model.name} has no revision {name!r:.40}; {fork or hint(plain, model.revisions)}")


def validate_applicable(request: Request, checks: bool = True, counts: bool = False) -> None:
    """UsageError when a property that a person named does not apply under the configuration.

    Also, where the command `checks`, when nothing at all is left to check: an exploration that checks nothing must not look
    like one that holds. `counts`: where nothing was to be checked, it may count the states. ModelError without an initial state.
    """
    begun = time.perf_counter()
    is_there = has_one(request.model, request.config)
    request.initial_seconds = time.perf_counter() - begun
    if not is_there:
        raise ModelError(f"the model {request.model.name} has no initial state under this configuration")
    asked = [*request.properties, *request.progress]
    absent = [claim for claim in asked if not claim.applies(request.config)]
    if request.named and absent:
        raise UsageError(f"{means_nothing(absent[0], request.config)}; give it what it needs, or leave it out")
    if checks and len(absent) == len(asked) and not request.deadlock and (asked or not counts):
        needs = "; ".join(f"{name.name} needs {name.lacks(request.config)}" for name in absent[:MAX_NAMED])
        raise UsageError(
            f"no property of the model {request.model.name} applies under this configuration, so there is nothing to check"
            f"{': ' if needs else ''}{needs}"
        )


def means_nothing(claim: Property, config: Any) -> str:
    """That a property does not apply, and what it needs."""
    return f"{claim.name} does not apply under this configuration: it needs {claim.lacks(config)}"
