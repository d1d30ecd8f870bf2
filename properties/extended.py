"""A model with more to it: revisions, switches, truncation rules, actions, properties. The model itself stays what it is."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import FunctionType
from typing import Any

from ..model.language.actions import Model
from ..model.language.errors import LanguageError, UsageError, hint
from ..model.language.lines import actions as lines_of
from ..model.language.lines import ungrouped, validate_fairness, validate_parameters
from ..model.language.reading.plugin_checks import validate_returns, with_plugin_checks
from ..model.language.reading.program import program, validate_reads_only
from ..model.language.releases import row_of, settings_of_release
from ..model.language.revisions import Revision, is_release
from ..model.language.settings import Named, Setting
from ..model.language.steps import parameters_of
from .applicability import Applicability
from .catalogue import claims_of
from .property import FIRST, Property, quantified
from .replaced import Replacements, begins_at, replacing

Version = Callable[..., Any]


def extended(
    model: Model,
    *,
    switches: Mapping[str, Setting] | None = None,
    rules: Mapping[str, Mapping[str, Mapping[str, Version]]] | None = None,
    actions: Iterable[Callable[..., Any]] = (),
    replaces: Mapping[str, Mapping[str, Version]] | None = None,
    forgets: Collection[str] = (),
    revisions: Iterable[Revision] = (),
    properties: Iterable[Property] = (),
    symmetric: bool = False,
    weak: Sequence[Callable[..., Any]] = (),
    strong: Sequence[Callable[..., Any]] = (),
    faults: Sequence[Callable[..., Any]] = (),
) -> Model:
    """The model with these parts beside its own; UsageError, in a sentence, for a part that does not fit.

    `switches`: further settings, by name. `rules`: further values of a setting that chooses among versions of rules, and for each
    the version of every rule that it has: {"truncation": {"my-rule": {"begin_truncation": function}}}. A rule that is not named
    is a step that does not exist. `actions` come after the model's and exist in every revision; the names of their parameters say
    over what they range (`Model.domains`). `weak`, `strong`, `faults`: those of them that are fair, or that the environment does
    to the system (`model.language.actions`); nothing is assumed of the others. Properties are checked by default when some
    revision is expected to keep them.
    `replaces`: by switch and name, functions that stand for the model's own where it is on. One that writes what the model writes
    as it remembers it for properties (`model/history.py`) must remember it, too, but for what `forgets` names.
    `symmetric`: none of these functions prefers a member by its number, as `broker > 0` does; else members are all told apart.
    """
    actions, properties = list(actions), list(properties)
    if not symmetric and (rules or actions or properties or replaces):
        model = replace(model, asymmetry=unless_symmetric(model))
    validate_switches(switches or {}, replaces or {})
    model = with_settings(model, switches or {}, rules or {})
    model = with_actions(model, actions, {"weak": weak, "strong": strong, "faults": faults})
    if replaces:
        with in_the_language():
            model = replacing(model, replaces, forgets)
        validate_texts(model, [action.function for action in model.actions], [])
    model = with_revisions(model, revisions)
    return with_properties(model, properties)


def unless_symmetric(model: Model) -> Callable[[Any], str]:
    """The asymmetry of a model to which functions are added that may prefer a member."""
    why = "what a plugin added may prefer a member by its number, unless it says extended(..., symmetric=True)"
    return lambda config: model.asymmetry(config) or why


def validate_switches(switches: Mapping[str, Setting], replaces: Replacements) -> None:
    """UsageError when functions are to be replaced under something other than a switch that the plugin brings."""
    for name in replaces:
        claim = switches.get(name)
        if not isinstance(claim, Setting) or isinstance(claim, Named) or (claim.low, claim.high) != (0, 1):
            raise UsageError(
                f'{name!r:.40} replaces functions where it is on: add it as switches={{"{name:.40}": switch("...")}}'
            )


def with_settings(
    model: Model, switches: Mapping[str, Setting], rules: Mapping[str, Mapping[str, Mapping[str, Version]]]
) -> Model:
    """The model with further settings, and with further values of the settings that choose among versions of rules."""
    for name in switches:
        if hasattr(model.config, name) or not name.isidentifier():
            raise UsageError(f"the model {model.name} cannot have a setting {name!r:.40}; give the switch another name")
        switch = switches[name]
        if not isinstance(switch, Setting):
            raise UsageError(f"the switch {name:.40} must be made by switch, choice, size or budget, not {switch!r:.40}")
    wider: dict[str, Any] = dict(switches)
    for name, rows in rules.items():
        setting = model.config.settings.get(name)
        if not isinstance(setting, Named):
            raise UsageError(f"the model {model.name} has no setting {name!r:.40} that chooses among rules")
        for value, row in rows.items():
            if value in setting.names:
                raise UsageError(f"there is a value {value!r:.40} of {name} already; give the plugin's another name")
            validate_row(model, name, row)
        wider[name] = setting.extended(rows)
    if not wider:
        return model
    return replace(model, config=type(model.config.__name__, (model.config,), wider))


def validate_row(model: Model, setting: str, row: Mapping[str, Version]) -> None:
    """UsageError when a row names a rule that the setting does not choose, or a version does not fit."""
    known = {rule.__name__: rule for rule in program([a.function for a in model.actions]).rules if rule.setting == setting}
    if not known:
        choosing = sorted({rule.setting for rule in program([action.function for action in model.actions]).rules})
        other = f"no setting of {model.name} does" if not choosing else f"{', '.join(choosing)} does"
        raise UsageError(f"{setting} chooses among no rules; {other}; another function is replaced with replaces=")
    for name, version in row.items():
        if name not in known:
            raise UsageError(f"{setting} chooses no rule {name!r:.60}; {hint(name, known)}")
        if len(parameters_of(version)) != len(known[name].parameters):
            wanted = f"a version of {name} takes s, {', '.join(known[name].parameters)}"
            raise UsageError(f"{wanted}; {version.__name__} does not{begins_at(version)}")
    validate_texts(model, row.values(), [])


def with_actions(
    model: Model, functions: Sequence[Callable[..., Any]], fairness: Mapping[str, Sequence[Callable[..., Any]]]
) -> Model:
    """The model with further actions, after its own. `fairness`: which of them are weak, strong or faults."""
    taken = {action.name for action in model.actions}
    validate_fairness(functions, {word: ungrouped(some) for word, some in fairness.items()})
    for function in functions:
        name = getattr(function, "__name__", str(function))
        if name in taken:
            raise UsageError(f"the model {model.name} has an action {name!r:.60} already; give the plugin's another name")
        taken.add(name)
        if isinstance(function, FunctionType):
            validate_parameters(name, parameters_of(function), model.domains)
        validate_texts(model, [function], [])
    added = lines_of(model.domains, functions, fairness["weak"], fairness["strong"], fairness["faults"])
    return replace(model, actions=(*model.actions, *added)) if added else model


def with_revisions(model: Model, revisions: Iterable[Revision]) -> Model:
    """The model with further revisions, after its own: they are expected to keep what its last one keeps, except `violates`.

    One that is like a release has the settings of its row, and those in which the release differs from it.
    """
    known = dict(model.revisions)
    for revision in revisions:
        if not isinstance(revision.name, str) or not revision.name:
            raise UsageError(f"a revision has a name, which is text, not {revision.name!r:.40}")
        if revision.name in known:
            raise UsageError(f"{model.name} has a revision {revision.name!r:.40} already; give the plugin's another name")
        own: dict[str, Any] = {}
        if revision.like not in known and model.releases and is_release(revision.like):
            release, row, _ = row_of(model, revision.like)
            own, revision = settings_of_release(model, release, row), replace(revision, like=row)
        if revision.like and revision.like not in known:
            near = hint(revision.like, known)
            raise UsageError(f"{revision.name} is like {revision.like!r:.40}, which is not a revision of {model.name}; {near}")
        settings = {**(known[revision.like].settings if revision.like else {}), **own, **revision.settings}
        model.config(**settings)  # UsageError when they do not fit
        known[revision.name] = replace(revision, settings=settings)
    return replace(model, revisions=known) if len(known) > len(model.revisions) else model


def with_properties(model: Model, properties: Sequence[Property]) -> Model:
    """The model with further properties; its revisions say which properties they are expected to violate."""
    known = {*claims_of(model), *(lemma.name for lemma in model.lemmas)}
    for claim in properties:
        if not isinstance(claim, Property):
            said = getattr(claim, "__name__", repr(claim))
            raise UsageError(f"the properties of {model.name} take claims, such as always({said:.40}), not {said:.40} itself")
    properties = [replace(s, since=next(iter(model.revisions))) if s.since == FIRST else s for s in properties]
    for claim in properties:
        if claim.name in known:
            raise UsageError(f"the model {model.name} has a property or lemma {claim.name!r:.60} already; give it another name")
        if claim.since is not None and claim.since not in model.revisions:
            raise UsageError(f"{claim.name} is expected since {claim.since!r:.40}, no revision of the model {model.name}")
        if not callable(claim.needs):
            raise UsageError(f"{claim.name} needs {claim.needs!r:.40}: give text such as 'crashes > 0', or a function")
        if isinstance(claim.needs, Applicability):
            claim.needs.validate_against(f"the property {claim.name}", model.config.settings)
        validate_texts(model, [], claim.functions)
        known.add(claim.name)
    for revision in model.revisions.values():
        for name in revision.violates:
            if name not in known:
                raise UsageError(
                    f"the revision {revision.name} is expected to violate {name!r:.60}, which is not a property of {model.name}"
                )
    return replace(model, properties=(*model.properties, *quantified(properties, model.domains))) if properties else model


def validate_texts(model: Model, functions: Iterable[Any], claims: Iterable[Any]) -> None:
    """UsageError when a function is not in the language of models, uses a field that does not exist, or is a property that
    writes or returns nothing; with file and line."""
    functions, claims = list(functions), list(claims)
    with in_the_language():
        whole = program([*functions, *claims], settings=model.config)
        validate_reads_only(whole, map(whole.name_of, claims))
        validate_returns(whole, map(whole.name_of, claims))
        with_plugin_checks(whole, map(whole.name_of, [*functions, *claims]), model.state, model.config)


@contextmanager
def in_the_language() -> Iterator[None]:
    """What is not in the language of models is a user's error."""
    try:
        yield
    except LanguageError as error:
        raise UsageError(f"{error}; docs/your-own-model.md says what the language of models has") from None
