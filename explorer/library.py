"""Highwater from Python: in a notebook, in a script, in a test of one's own.

    import highwater
    from lease import LEASE

    result = highwater.check(LEASE, revision="fenced", nodes=3)
    assert result, result

`check`, `walk`, `fuzz` and `prove` do what the commands of these names do. What does not fit is a UsageError, in a sentence.
"""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from ..model.language.actions import Model
from ..model.language.errors import UsageError
from ..properties.catalogue import claims_named, default_properties, progress_of
from ..properties.plugins import checked_model
from ..properties.registry import MODELS
from .budget import Bounds
from .command_line.prove import lemmas_by_default, lemmas_named, rankings_for
from .compiling.compiled_for import compile_for
from .compiling.walker import OVER, ready_to_walk
from .local.check import check as explore
from .local.random_walk import Walks, walk_randomly
from .machine import threads_for
from .request import Request, revision_named, validate_applicable
from .results import Fuzzed, Proved, Result, Walked
from .stateful.session import RULES, RUNS
from .stateful.session import fuzz as play
from .symbolic.proof import ProofRequest
from .symbolic.proof import prove as induct

__all__ = ["Fuzzed", "Proved", "Result", "Walked", "check", "fuzz", "prove", "walk"]


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
    `depth`, `states`, `seconds`: bounds.
    """
    request = subject(
        model, revision, properties, settings, progress=progress, counts=True, symmetry=symmetry, exact=exact,
        deadlock=deadlock, keep_going=keep_going, threads=threads_for(threads), bounds=Bounds(depth, states, seconds),
    )  # fmt: skip
    return Result(explore(request))


def walk(
    model: Model | str,
    revision: str = "",
    *,
    properties: Iterable[str] = (),
    walks: int | None = None,
    seconds: float | None = None,
    length: int = 200,
    seed: int = 0,
    keep_going: bool = False,
    threads: int = 0,
    **settings: Any,
) -> Walked:
    """Take random walks through a model that is too large to explore, as `highwater walk` does.

    `walks`, `seconds`: how many, or how long (10 seconds where nothing is said); each has at most `length` steps.
    """
    request = subject(model, revision, properties, settings)
    chosen, duration = request.applicable, seconds if seconds or walks else 10.0
    compiled = compile_for(request, chosen)
    left = ready_to_walk(compiled, chosen, lambda _: None, duration)
    if left == 0:
        return Walked(Walks(stopped=OVER.format(seconds or 0)), request, length, seed)
    taken = walk_randomly(compiled, chosen, request.revision, length, walks, left, seed, threads_for(threads), keep_going)
    return Walked(taken, request, length, seed)


def fuzz(
    model: Model | str,
    revision: str = "",
    *,
    properties: Iterable[str] = (),
    runs: int = RUNS,
    seconds: float | None = None,
    rules: int = RULES,
    seed: int = 0,
    **settings: Any,
) -> Fuzzed:
    """Test a model with behaviours that Hypothesis generates, as `highwater fuzz` does; nothing is kept in a corpus.

    `runs`, `seconds`: how many behaviours, or how long; each has at most `rules` rules, which look many steps ahead.
    """
    request = subject(model, revision, properties, settings, bounds=Bounds(seconds=seconds))
    request = replace(request, properties=request.applicable)
    return Fuzzed(play(request, seed, runs, rules), request)


def prove(
    model: Model | str,
    revision: str = "",
    *,
    properties: Iterable[str],
    lemmas: Sequence[str] = (),
    timeout: float = 60.0,
    all_instances: bool = False,
    threads: int = 0,
    **settings: Any,
) -> Proved:
    """Prove properties by induction at any depth, as `highwater prove` does.

    `lemmas`: claims of the model that are proved with them; else those known to suffice. `timeout`: seconds for a question.
    """
    request = subject(model, revision, properties, settings)
    if not request.named:
        raise UsageError("properties is missing: name what is to be proved")
    proof = ProofRequest(
        request.model, request.revision, request.config, request.properties, timeout=timeout, workers=threads_for(threads),
        lemmas=(lemmas_named(request, list(lemmas)) if lemmas else lemmas_by_default(request))[0],
        all_instances=all_instances, progress=rankings_for(request),
    )  # fmt: skip
    return Proved(induct(proof))


def subject(
    model: Model | str, revision: str, properties: Iterable[str], settings: dict[str, Any], progress: bool = False,
    counts: bool = False, **how: Any,
) -> Request:  # fmt: skip
    """What to check, and how. `progress`: with the properties of progress; `counts`: nothing need be checked."""
    whole = MODELS[model] if isinstance(model, str) else of_a_user(model)
    if not revision and len(whole.revisions) > 1:
        raise UsageError(f"the model {whole.name} has several revisions: name one of {', '.join(whole.revisions)}")
    name = revision_named(whole, revision) if revision else next(iter(whole.revisions))
    config = whole.configure(name, **settings)
    names = [properties] if isinstance(properties, str) else list(properties or ())
    chosen = claims_named(whole, names) or [*default_properties(whole)]
    chosen += [item for item in progress_of(whole) if progress and not names and item.applies(config)]
    request = Request(whole, name, config, [item for item in chosen if not item.of_progress], named=bool(names), **how)
    request.progress = [item for item in chosen if item.of_progress]
    validate_applicable(request, counts=counts)
    return request


@cache
def of_a_user(model: Model) -> Model:
    """A model as a plugin would bring it, with its properties; traces name the module that it is in."""
    if model.plugins or any(model is claim for claim in MODELS.values()):
        return model
    module = model.state.__module__
    whole = checked_model(model, module)
    return replace(whole, plugins=(module,)) if getattr(sys.modules.get(module), "__file__", None) else whole
