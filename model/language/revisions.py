"""Revisions of a model, and the releases that they are for."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple


class Span(NamedTuple):
    """The releases from `first` to `last`, both included; `under`: what coordinates the brokers."""

    first: str
    last: str
    under: str = "ZooKeeper"

    def __contains__(self, release: object) -> bool:
        return numbers(self.first) <= numbers(str(release)) <= numbers(self.last)

    def __str__(self) -> str:
        return self.first if self.first == self.last else f"{self.first} to {self.last}"


@dataclass(frozen=True)
class Revision:
    """A version of the protocol: a row of settings with a sentence on what it changed.

    `violates`: properties that it is expected to violate, though an earlier revision is expected to keep them. `like`: another
    revision, whose settings it has where it names none of its own; once it is part of a model, `settings` has them all.
    `releases`: those that it describes; a design that was never released has none.
    """

    name: str
    sentence: str
    settings: Mapping[str, Any]
    violates: tuple[str, ...] = ()
    like: str = ""
    releases: tuple[Span, ...] = ()


class Unmodelled(NamedTuple):
    """A bug that some releases had and that is in no revision of the model; `why`: what the model does instead."""

    issue: str
    span: Span
    sentence: str
    why: str


def numbers(version: str) -> tuple[int, ...]:
    """A version as numbers that can be compared."""
    return tuple(int(part) for part in version.split("."))


def is_release(text: str) -> bool:
    """Whether a text looks like a release: `2.8.1`, `v3.9`."""
    return bool(re.fullmatch(r"v?\d+(\.\d+){1,3}", text.strip()))
