"""What a user's own package adds to Highwater: a revision, a truncation rule, an action, a property.

A plugin is a module with a function `register()`, which calls the functions below. It is named with
`--plugin module`, or found by itself through an entry point of the group `highwater.plugins`:

    [project.entry-points."highwater.plugins"]
    mine = "my_package.highwater_plugin"
"""

from __future__ import annotations

import importlib
import re
import sys
import traceback
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from ..model.language.actions import Model, Revision, actions, never, parameters_of
from ..model.language.errors import UsageError, hint
from ..model.language.foreign import refuse_valueless, with_checks
from ..model.language.program import LanguageError, program, refuse_writes
from ..model.next import KAFKA
from ..model.registry import MODELS, model_named
from ..model.truncation import rules
from ..model.truncation.names import RULE_NAMES
from ..traces.trace import version_of
from .catalogue import CATALOGUE, PROGRESS
from .property import Property, quantified

GROUP = "highwater.plugins"

_loaded: dict[str, None] = {}
"""In the order of their loading."""


def add_model(model: Model, properties: Iterable[Property]) -> None:
    """Make a whole model known by its name, with its properties."""
    if model.name in MODELS:
        raise UsageError(f"there is a model {model.name!r:.40} already; give the plugin's another name")
    properties = list(properties)
    refuse(model, [action.function for action in model.actions], [f for one in properties for f in one.functions])
    MODELS[model.name] = model
    for table, of_progress in ((CATALOGUE, False), (PROGRESS, True)):
        table[model.name] = tuple(one for one in properties if one.of_progress == of_progress)


def add_action(model: str, function: Any) -> None:
    """Add an action to a model, after its others; it exists in every revision, unless its guards ask for a setting.

    What its parameters are named says over what they range: `partition`, `broker`, `epoch` (`Model.domains`).
    """
    whole, name = model_named(model), getattr(function, "__name__", str(function))
    if name in {action.name for action in whole.actions}:
        raise UsageError(f"the model {model} has an action {name!r:.60} already; give the plugin's another name")
    refuse(whole, [function], [])
    for parameter in parameters_of(function):
        if parameter not in whole.domains:
            raise UsageError(
                f"the action {name} has a parameter {parameter!r:.40}, and the model ranges over {', '.join(whole.domains)}"
            )
    # A model of its own: what was kept of the old one, compiled or counted, must not be taken for the new one's.
    MODELS[model] = replace(whole, actions=(*whole.actions, *actions(whole.domains, [function])))


def add_revision(
    model: str, name: str, sentence: str, settings: Mapping[str, Any], violates: Iterable[str] = (), like: str = ""
) -> None:
    """Add a revision to a model, after its others: a row of settings with a sentence on what it changes.

    `like`: the revision whose other settings it has; without it they are the defaults, which are the oldest document's.
    It is expected to keep what the model's last revision keeps, but for the properties that `violates` names.
    """
    revisions = model_named(model).revisions
    if name in revisions:
        raise UsageError(f"the model {model} has a revision {name!r:.40} already; give the plugin's another name")
    if like and like not in revisions:
        raise UsageError(f"{name} is to be like {like!r:.40}, which is no revision of {model}; {hint(like, revisions)}")
    settings = {**(revisions[like].settings if like else {}), **settings}
    model_named(model).config(**settings)  # UsageError when they do not fit
    broken = set(violates)
    unknown = broken - {p.name for p in CATALOGUE[model]}
    if unknown:
        raise UsageError(f"the revision {name} is to break {min(unknown)!r:.60}, which is no property of the model {model}")
    revisions[name] = Revision(name, sentence, settings)  # a dict, which engines only read
    CATALOGUE[model] = tuple(
        replace(p, violated_in=(*p.violated_in, name)) if p.name in broken else p for p in CATALOGUE[model]
    )


def add_truncation_rule(name: str, begin: Any, answer: Any = None, truncate: Any = None, on_divergence: Any = None) -> None:
    """Add a truncation rule to the Kafka model: a row of the table in `model/truncation/rules.py`.

    `begin`: what a new follower does; `answer`: the leader's answer to OffsetsForLeaderEpoch; `truncate`: the
    follower's reaction; `on_divergence`: what it does when a fetch is refused. None: there is no such step.
    """
    if name in RULE_NAMES:
        raise UsageError(f"there is a truncation rule {name!r:.40} already; give the plugin's another name")
    row = (begin, answer, truncate, on_divergence)
    refuse(KAFKA, [version for version in row if version is not None], [])
    RULE_NAMES.append(name)
    rules.RULES[name] = row
    table = (rules.begin_truncation, rules.answer_epoch_request, rules.truncate_to_answer, rules.truncate_on_divergence)
    for rule, version in zip(table, row, strict=True):
        rule.versions.append(never if version is None else version)
    version_of.cache_clear()


def add_property(model: str, one: Property) -> None:
    """Add a property to a model; it is checked by default when some revision is expected to keep it, if not of progress."""
    if one.name in {p.name for table in (CATALOGUE, PROGRESS) for p in table.get(model_named(model).name, ())}:
        raise UsageError(f"the model {model} has a property {one.name!r:.60} already; give the plugin's another name")
    if one.since is not None and one.since not in model_named(model).revisions:
        raise UsageError(f"the property {one.name} is expected since {one.since!r:.40}, which is no revision of {model}")
    refuse(model_named(model), [], one.functions)
    table = PROGRESS if one.of_progress else CATALOGUE
    table[model] = (*table.get(model, ()), *quantified([one], model_named(model).domains))


def refuse(model: Model, functions: Iterable[Any], claims: Iterable[Any]) -> None:
    """UsageError when a function is not in the language of models, uses a field that there is not, or is a property that
    writes or returns nothing; with file and line."""
    functions, claims = list(functions), list(claims)
    try:
        whole = program([*functions, *claims])
        refuse_writes(whole, map(whole.name_of, claims))
        refuse_valueless(whole, map(whole.name_of, claims))
        with_checks(whole, map(whole.name_of, [*functions, *claims]), model.state, model.config)
    except LanguageError as error:
        raise UsageError(f"{error}; see docs/adding-a-revision.md for what the language of models has") from None


def load_plugins(names: Iterable[str] = ()) -> None:
    """Load the installed plugins, then those named, each once; UsageError when one cannot be loaded."""
    for point in entry_points(group=GROUP):
        load(point.value)
    for name in names:
        load(name)


def loaded_plugins() -> tuple[str, ...]:
    """The plugins that this process has loaded: another process that is to know the same loads them too."""
    return tuple(_loaded)


def load(name: str) -> None:
    """Import one plugin and have it register; `name` is `module` or `module:function`."""
    if name in _loaded:
        return
    module_name, _, function = name.partition(":")
    if not re.fullmatch(r"\w+(\.\w+)*", module_name):
        raise UsageError(f"{name[:80]!r} is not the name of a module, such as my_package.my_plugin")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)  # as with python -m: a module of the user's directory
    try:
        module = importlib.import_module(module_name)
    except SystemExit:
        raise UsageError(f"the plugin {name[:80]} ended the process while it was imported; it must not call exit") from None
    except ImportError as error:
        raise UsageError(f"the plugin {name[:80]} cannot be imported: {error}; it must be installed, or lie here") from None
    except Exception as error:  # whatever its code raises, the user can do the same about it
        raise UsageError(f"the plugin {name[:80]} failed as it was imported: {in_one_line(error)}") from None
    register = getattr(module, function or "register", None)
    if not callable(register):
        raise UsageError(f"the plugin {name[:80]} has no function {function or 'register'}(), which makes its parts known")
    _loaded[name] = None
    try:
        register()
    except SystemExit:
        raise UsageError(f"the plugin {name[:80]} ended the process as it registered; it must not call exit") from None
    except UsageError:
        raise
    except Exception as error:
        raise UsageError(f"the plugin {name[:80]} failed as it registered: {in_one_line(error)}") from None


def in_one_line(error: Exception) -> str:
    """An exception of a plugin in one line, with the place of its last frame."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    said = str(error).strip().splitlines()
    return f"{type(error).__name__}: {said[0][:160] if said else ''} ({Path(last.filename).name}:{last.lineno})"
