"""Where a release stands: the revision that describes it, what it is known to violate with a command for each, what it lacks."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from ..model.language.actions import Model
from ..model.language.errors import UsageError
from ..model.language.releases import Difference, differences, has, release_of, row_of, rows_of, settings_of_release
from ..model.language.repairs import Repair
from ..model.language.settings import changed
from ..traces.compared import compare_revisions
from ..traces.families.scenarios import SEARCHES, Story, scenarios
from ..traces.shrink import plain_states
from .catalogue import claims_of, default_properties
from .checked import command_for, recorded
from .explain import violates
from .property import SOMETIMES
from .registry import MODELS


class Known(NamedTuple):
    """A scenario that a revision violates, beyond its default sizes or within them; `command` finds a shortest counterexample."""

    scenario: str
    property: str
    command: str


class Standing(NamedTuple):
    """One release under one way of coordination. `expected`: what is violated at the default sizes; `lacks`: repairs of later
    releases that concern it; `differs`: where the release is not what the revision says, and `settings` that make it so."""

    release: str
    revision: str
    span: str
    under: str
    settings: dict[str, object]
    differs: list[Difference]
    expected: list[str]
    lacks: list[Repair]


def standings(model: Model, text: str) -> Iterator[Standing]:
    """Where a release stands, by each revision that describes it; nothing when none does."""
    release = release_of(model, text)
    for name, span in rows_of(model, release):
        own = settings_of_release(model, release, name)
        differs = differences(model, release, name)
        yield Standing(
            release, name, str(span), span.under, own, differs, violated(model, name), list(lacking(model, release, name, own))
        )


def violated(model: Model, revision: str) -> list[str]:
    """The properties of the default check that are expected to be violated at the default sizes, and held by some revision."""
    config = model.defaults(revision)
    return [
        one.name for one in default_properties(model)
        if one.kind != SOMETIMES and one.since and one.applies(config) and not one.expected_to_hold(revision, model)
    ]  # fmt: skip


def lacking(model: Model, release: str, revision: str, own: dict[str, object]) -> Iterator[Repair]:
    """The repairs that other releases have, or none, and that change what this one does."""
    config = model.config(**{**model.revisions[revision].settings, **own}).shown()
    for one in model.repairs:
        later = [other.value for other in model.repairs if other.setting == one.setting]
        here = config[one.setting]
        if has(release, one) or one.value == here or one.until:
            continue
        if here not in later or later.index(one.value) > later.index(here):
            yield one


def known_violations(model: Model, one: Standing) -> Iterator[Known]:
    """The recorded scenarios that a release violates: by the same steps, or by others that a check at their settings found."""
    order, base, subject = list(model.revisions), model.configure(one.revision, **one.settings), asked_by(model, one)
    for story in scenarios().values():
        told = f"{story.name}{f' ({story.known_as[0]})' if story.known_as else ''}"
        earlier = [name for name in broken_in(story.name) if name in order and order.index(name) <= order.index(one.revision)]
        found = (config_of(model, one, story, name, base) for name in earlier if story.traces[name].model == model.name)
        config = next(filter(None, found), None)
        if config is not None:
            claim = claims_of(model)[story.traces[earlier[0]].property]
            yield Known(told, claim.name, command_for(model, one.revision, config, claim, base, subject))
        elif story.name in SEARCHES and story.traces[next(iter(story.traces))].model == model.name:
            name, sizes = SEARCHES[story.name]
            config = model.configure(one.revision, **sizes)
            if recorded().get(command_for(model, one.revision, config, claims_of(model)[name]), "").startswith("violated"):
                full = model.configure(one.revision, **one.settings, **sizes)
                yield Known(told, name, command_for(model, one.revision, full, claims_of(model)[name], base, subject))


def asked_by(model: Model, one: Standing) -> str:
    """The flags, beside `--model`, by which `check` takes a release as this row has it: `--release` takes its first row."""
    if row_of(model, one.release)[1] == one.revision:
        return f"--release {one.release}"
    return " ".join([f"--revision {one.revision}", *(f"--set {name}={value}" for name, value in one.settings.items())])


@cache
def broken_in(scenario: str) -> tuple[str, ...]:
    """The revisions under which a scenario's trace violates what it is about."""
    story, out = scenarios()[scenario], []
    for name, trace in story.traces.items():
        model = MODELS[trace.model]
        claim = claims_of(model).get(trace.property)
        safety = claim is not None and not claim.of_progress and claim.kind != SOMETIMES
        if claim is not None and safety and violates(claim, states_of(scenario, name)):
            out.append(name)
    return tuple(out)


@cache
def states_of(scenario: str, revision: str) -> list[Any]:
    """The states of a scenario's trace."""
    trace = scenarios()[scenario].traces[revision]
    return plain_states(trace, MODELS[trace.model])


def config_of(model: Model, one: Standing, story: Story, name: str, base: Any) -> Any:
    """The configuration of the release with the sizes and faults of a scenario's trace, if it violates the property, too."""
    trace = story.traces[name]
    claim = claims_of(model)[trace.property]
    try:
        own = replace(trace, settings={**trace.settings, **one.settings})
        there = compare_revisions(own, model, states_of(story.name, name), one.revision, keep=True)
    except UsageError:  # its settings do not fit this revision
        return None
    config = there.states[0].config
    if other_design(model, one, config, base) or not claim.applies(config):
        return None
    found = recorded().get(command_for(model, one.revision, config, claim), "").startswith("violated")
    return config if found or violates(claim, there.states) else None


def other_design(model: Model, one: Standing, config: Any, base: Any) -> list[str]:
    """The switches that the revision sets, or a repair of the release, and that a configuration has otherwise: then it is another
    design."""
    said = {*model.revisions[one.revision].settings, *(it.setting for it in model.repairs if has(one.release, it))}
    return [name for name in changed(config, base) if name in said and model.config.settings[name].group == "switch"]
