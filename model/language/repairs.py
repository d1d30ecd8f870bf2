"""Repairs: the changes to a protocol that each have a name, a source and a release, as values of its settings.

A repair is one value of one setting. Several repairs of the same setting are a chain in the order of the catalogue: each was
built on the one before, so to take one away is to go back to that one. What stands below the first is what the protocol did
before any of them: the setting's first declared value that is no repair, unless the first repair names another (`before`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from .settings import Named, Setting, Settings


@dataclass(frozen=True)
class Repair:
    """One entry of a catalogue.

    `setting` and `value` (as people write it): where it is on. `sentence`: what it does. `row`: the requirement that it is about.
    `source`: the document or issue; `release`: the first that had it; `where`: class and method in the sources of that release.
    `only_adds`: it only adds steps to what can happen, so a claim that something never happens cannot need it; progress can.
    `when_named`: it is about a file, a batch, a cleaner or a choice that few questions have; it is varied only when it is named.
    `before`: what the release before did, where that is not what the document says; `since`: the first release that did so, where
    an earlier one did not; if that is `release`, only development did. `until`: the release that has it no more.
    """

    name: str
    setting: str
    value: Any
    sentence: str
    row: str = ""
    source: str = ""
    release: str = ""
    where: str = ""
    only_adds: bool = False
    when_named: bool = False
    before: Any = None
    since: str = ""
    until: str = ""


@dataclass(frozen=True)
class Chain:
    """The repairs of one setting up to one of them. Level 0 is `base`, level k the k-th repair."""

    setting: str
    base: Any
    repairs: tuple[Repair, ...]

    def value(self, level: int) -> Any:
        """The setting's value at a level, as people write it."""
        return self.repairs[level - 1].value if level else self.base

    @cached_property
    def top(self) -> int:
        """The highest level."""
        return len(self.repairs)


def switches_of(settings: type[Settings]) -> tuple[Repair, ...]:
    """The catalogue of a model that has none: each of its switches is a repair, which is on at 1."""
    switches = {name: s for name, s in settings.settings.items() if s.group == "switch" and not isinstance(s, Named)}
    return tuple(Repair(name, name, 1, switch.doc) for name, switch in switches.items())


def chains(repairs: Sequence[Repair], config: Settings, wanted: Sequence[str] | None = None) -> tuple[Chain, ...]:
    """The chains of a catalogue, each up to the repair that `config` has, or up to a later one that is `wanted` by name.

    A setting whose value in `config` is neither a repair nor what stands below the repairs has no chain: it is not varied.
    """
    out, shown = [], config.shown()
    for setting in dict.fromkeys(repair.setting for repair in repairs):
        mine = [repair for repair in repairs if repair.setting == setting]
        base = base_of(config.settings[setting], mine)
        values = [base, *(repair.value for repair in mine)]
        if shown[setting] not in values:
            continue
        asked = [place for place, repair in enumerate(mine, 1) if wanted is not None and repair.name in wanted]
        top = max([values.index(shown[setting]), *asked])
        if top:
            out.append(Chain(setting, base, tuple(mine[:top])))
    return tuple(out)


def lacking(chain: Chain, config: Settings) -> Chain:
    """The part of a chain beyond what `config` has: its level 0 is the configuration's own value."""
    present = config.shown()[chain.setting]
    later = [repair.value for repair in chain.repairs].index(present) + 1 if present != chain.base else 0
    return Chain(chain.setting, present, chain.repairs[later:])


def without_rare(chain: Chain, wanted: Sequence[str] = ()) -> Chain:
    """The chain without those that are varied only when named, unless `wanted` names them: each comes and goes with the one
    that it was built on."""
    base, kept = chain.base, list[Repair]()
    for repair in chain.repairs:
        if not repair.when_named or repair.name in wanted:
            kept.append(repair)
        elif kept:
            kept[-1] = replace(kept[-1], value=repair.value)
        else:
            base = repair.value
    return Chain(chain.setting, base, tuple(kept))


def base_of(setting: Setting, repairs: Sequence[Repair]) -> Any:
    """What stands below the repairs: what the first of them names, or the setting's first declared value that is none."""
    if repairs[0].before is not None:
        return repairs[0].before
    declared: Sequence[Any] = setting.names if isinstance(setting, Named) else range(setting.low, setting.high + 1)
    taken = [repair.value for repair in repairs]
    return next(value for value in declared if value not in taken)
