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
from ..traces.compared import compare_revisions, sizes_and_faults
from ..traces.families.scenarios import SEARCHES, Story, scenarios
from ..traces.lasso import FEW_STATES, doubt, lost_for
from ..traces.shrink import plain_states
from ..traces.trace import Trace
from .catalogue import claims_of, default_properties
from .checked import command_for, recorded
from .explain import violates
from .property import RECOVERABLE, SOMETIMES, Property
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
        claim.name for claim in default_properties(model)
        if claim.kind != SOMETIMES and claim.since and claim.applies(config) and not claim.expected_to_hold(revision, model)
    ]  # fmt: skip


def lacking(model: Model, release: str, revision: str, own: dict[str, object]) -> Iterator[Repair]:
    """The repairs that other releases have, or none, and that change what this one does."""
    config = model.config(**{**model.revisions[revision].settings, **own}).shown()
    for repair in model.repairs:
        later = [other.value for other in model.repairs if other.setting == repair.setting]
        here = config[repair.setting]
        if has(release, repair) or repair.value == here or repair.until:
            continue
        if here not in later or later.index(repair.value) > later.index(here):
            yield repair


def known_violations(model: Model, standing: Standing) -> Iterator[Known]:
    """The recorded scenarios that a release violates: by the same steps, or by others that a check at their settings found."""
    order, base = list(model.revisions), model.configure(standing.revision, **standing.settings)
    subject = asked_by(model, standing)
    for story in scenarios().values():
        told = f"{story.name}{f' ({story.known_as[0]})' if story.known_as else ''}"
        earlier = [r for r in broken_in(story.name) if r in order and order.index(r) <= order.index(standing.revision)]
        found = (config_of(model, standing, story, name, base) for name in earlier if story.traces[name].model == model.name)
        config = next(filter(None, found), None)
        if config is not None:
            claim = claims_of(model)[story.traces[earlier[0]].property]
            yield Known(told, claim.name, command_for(model, standing.revision, config, claim, base, subject))
        elif story.name in SEARCHES and story.traces[next(iter(story.traces))].model == model.name:
            name, sizes = SEARCHES[story.name]
            config = model.configure(standing.revision, **sizes)
            if recorded().get(command_for(model, standing.revision, config, claims_of(model)[name]), "").startswith("violated"):
                full = model.configure(standing.revision, **standing.settings, **sizes)
                yield Known(told, name, command_for(model, standing.revision, full, claims_of(model)[name], base, subject))


def asked_by(model: Model, standing: Standing) -> str:
    """The flags, beside `--model`, by which `check` takes a release as this row has it: `--release` takes its first row."""
    if row_of(model, standing.release)[1] == standing.revision:
        return f"--release {standing.release}"
    return " ".join([f"--revision {standing.revision}", *(f"--set {name}={value}" for name, value in standing.settings.items())])


@cache
def broken_in(scenario: str) -> tuple[str, ...]:
    """The revisions under which a scenario's trace violates what it is about."""
    story, out = scenarios()[scenario], []
    for name, trace in story.traces.items():
        claim = claims_of(MODELS[trace.model]).get(trace.property)
        if claim is not None and claim.kind != SOMETIMES and shows(trace, claim, states_of(scenario, name)):
            out.append(name)
    return tuple(out)


def shows(trace: Trace, claim: Property, states: list[Any]) -> bool:
    """The states violate the property; of progress, where they are all of the trace's, if its last state or its cycle does."""
    if not claim.of_progress:
        return violates(claim, states)
    if len(states) <= len(trace.steps):
        return False
    model = MODELS[trace.model]
    if claim.kind == RECOVERABLE:
        return bool(lost_for(model, states[-1], claim, FEW_STATES))
    return not doubt(trace, model, states, claim)


@cache
def states_of(scenario: str, revision: str) -> list[Any]:
    """The states of a scenario's trace."""
    trace = scenarios()[scenario].traces[revision]
    return plain_states(trace, MODELS[trace.model])


def config_of(model: Model, standing: Standing, story: Story, name: str, base: Any) -> Any:
    """The configuration of the release with the sizes and faults of a scenario's trace, if it violates the property, too."""
    trace = story.traces[name]
    claim = claims_of(model)[trace.property]
    try:
        settings = {**trace.settings, **sizes_and_faults(trace, model), **standing.settings}
        own = replace(trace, revision=standing.revision, settings=settings)
        there = compare_revisions(own, model, states_of(story.name, name), standing.revision, keep=True)
    except UsageError:  # its settings do not fit this revision
        return None
    config = there.states[0].config
    if other_design(model, standing, config, base) or not claim.applies(config):
        return None
    found = recorded().get(command_for(model, standing.revision, config, claim), "").startswith("violated")
    return config if found or shows(own, claim, there.states) else None


def other_design(model: Model, standing: Standing, config: Any, base: Any) -> list[str]:
    """The switches that the revision sets, or a repair of the release, and that a configuration has otherwise: then it is another
    design. So is what no release did."""
    told = (it.setting for it in model.repairs if has(standing.release, it) or it.since == it.release)
    said = {*model.revisions[standing.revision].settings, *told}
    return [name for name in changed(config, base) if name in said and model.config.settings[name].group == "switch"]
