"""Where a release stands: the revision that describes it, what it is known to violate with a command for each, what it lacks."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from ..model.language.actions import Model
from ..model.language.errors import UsageError
from ..model.language.releases import Difference, differences, has, release_of, rows_of, settings_of_release
from ..model.language.repairs import Repair
from ..model.language.settings import changed
from ..traces.beside import beside
from ..traces.scenarios import scenarios
from ..traces.shrink import plain_states
from .catalogue import claims_of, default_properties
from .checked import command_for, recorded
from .explain import violates
from .property import SOMETIMES


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
    order, base = list(model.revisions), model.configure(one.revision, **one.settings)
    for story in scenarios().values():
        for name, trace in story.traces.items():
            claim = claims_of(model).get(trace.property)
            if claim is None or trace.model != model.name or claim.of_progress or claim.kind == SOMETIMES:
                continue
            if order.index(name) > order.index(one.revision) or not violates(claim, plain_states(trace, model)):
                continue
            try:
                own = replace(trace, settings={**trace.settings, **one.settings})
                there = beside(own, model, plain_states(trace, model), one.revision)
            except UsageError:  # its settings do not fit this revision
                continue
            config = there.states[0].config
            if other_design(model, one.revision, config, base) or not claim.applies(config):
                continue
            full = command_for(model, one.revision, config, claim)
            if violates(claim, there.states) or recorded().get(full, "").startswith("violated"):
                subject = f"--release {one.release}"
                told = f"{story.name}{f' ({story.known_as[0]})' if story.known_as else ''}"
                yield Known(told, claim.name, command_for(model, one.revision, config, claim, base, subject))
                break


def other_design(model: Model, revision: str, config: Any, base: Any) -> list[str]:
    """The switches that the revision sets and that a configuration has otherwise: then it is another design."""
    said = model.revisions[revision].settings
    return [name for name in changed(config, base) if name in said and model.config.settings[name].group == "switch"]
