"""What a property needs of a configuration, as text: `crashes > 0, acks = all`, or `crashes > 0 or lost_brokers > 0`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..model.language.errors import UsageError, hint
from ..model.language.settings import Setting

CONDITION = re.compile(r"(\w+) *([=>]) *([^\s=<>,]+)")
AND, OR = re.compile(r", *and |, *| and "), re.compile(r",? or ")

Condition = tuple[str, str, str]
"""The name of a setting, `=` or `>`, and a value as people write it."""


@dataclass(frozen=True)
class Applicability:
    """A test of configurations: one of the alternatives, all conditions of it."""

    alternatives: tuple[tuple[Condition, ...], ...]

    def __call__(self, config: Any) -> bool:
        return any(all(_is_so(condition, config) for condition in every) for every in self.alternatives)

    def validate_against(self, owner: str, settings: Mapping[str, Setting]) -> None:
        """UsageError for a setting or a value that the model does not have; `owner`: the property, for the message."""
        for name, sign, value in (condition for every in self.alternatives for condition in every):
            said = f"{owner} needs {f'{name} {sign} {value}'!r:.60}"
            if name not in settings:
                raise UsageError(f"{said}, and there is no such setting; {hint(name, settings)}")
            try:
                settings[name].parse(name, value)
            except UsageError as error:
                raise UsageError(f"{said}: {error}") from None


def applicability_of(text: str, owner: str) -> Applicability:
    """What the text says; UsageError for what is not understood, so that no part of it is left out."""
    texts = OR.split(text.strip())
    if len(texts) > 1 and any(map(AND.search, texts)):
        both = "which joins conditions by both `and` and `or`: give a function and `where`"
        raise UsageError(f"{owner} needs {text!r:.80}, {both}")
    return Applicability(tuple(tuple(_condition(part, owner) for part in AND.split(item)) for item in texts))


def _condition(text: str, owner: str) -> Condition:
    found = CONDITION.fullmatch(text.strip())
    if found is None:
        raise UsageError(
            f"{owner} needs {text!r:.60}, which is not `setting = value` or `setting > value`:"
            f" join such conditions by `,` or by `or`, or give a function and `where`"
        )
    return found[1], found[2], found[3]


def _is_so(condition: Condition, config: Any) -> bool:
    name, sign, value = condition
    wanted = config.settings[name].parse(name, value)
    found = getattr(config, name)
    return bool(found > wanted if sign == ">" else found == wanted)
