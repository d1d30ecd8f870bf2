"""How the states and steps of a model are written, in traces, pages and pictures.

All of it may be left out: then each variable is written by its path, and an arrow joins two actors where a step names both.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Facts = dict[str, dict[str, str]]
"""A description of a state: for each part, such as `broker 1`, the texts of its facts."""

Key = tuple[Any, ...]
"""A kind of message, then what tells it from others of its kind."""

Ends = tuple[str, str, str]
"""Sender, receiver, and text of a message."""

Words = Mapping[str, str | tuple[str, str]]
"""A sentence for each variable, by its path without indices; of a flag two, for false and for true. `{0}`, `{1}` are the indices,
`{value}` is the value: `"replica.isr": "broker {1}'s own ISR is {value}"`."""


@dataclass(frozen=True, eq=False)
class Notation:
    """Facts, the words for a violation, messages, and pictures.

    `describe`: the facts of a state; `actors`: for a parameter the part that it names, if not by its own name (`leader`: `broker`
    means that leader=1 is the part `broker 1`); `backstage`: parts that are no actors; `columns`: those with a column in a table;
    `foremost`: the facts that say most; `unlabelled`: those whose text says what they are about. `gone`: how the end of a fact
    is written, from its name and last text (None: `no more NAME`; empty: other facts say it); `ends`: of two descriptions of
    a part, the only facts whose end is written. `in_cell`: a fact, its text, and whether it changed, as a table has them.

    `words`: for the variables of a violation; `witness`: the sentence from state, binding, dimensions and evidence, or nothing.

    `pending`: what is on its way in a state; `receives`: by action the kinds of message that it takes; `kept`: by action the
    kind and parameters of a message that may stay in the state when it was received; `at_once`: steps of two actors by action,
    as (from, to, kind, text), each of both a part or a parameter; without a text, what its log has more. `sides`: two
    parameters, from and to, of other steps; `labels`: by kind, the word before the text at an arrow.

    `scene`: what is drawn of a state: by part `logs`, and `badges`. `short_for`: what documents abbreviate.
    """

    describe: Callable[[Any], Facts] | None = None
    actors: Mapping[str, str] = field(default_factory=dict)
    backstage: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    foremost: tuple[str, ...] = ()
    unlabelled: tuple[str, ...] = ()
    gone: Callable[[str, str], str | None] = lambda fact, text: None
    ends: Callable[[dict[str, str], dict[str, str]], tuple[str, ...]] = lambda before, after: ()
    in_cell: Callable[[str, str, bool], str] | None = None
    words: Words = field(default_factory=dict)
    witness: Callable[[Any, Mapping[str, int], Mapping[str, str], Any], str] | None = None
    pending: Callable[[Any], Mapping[Key, Ends]] | None = None
    receives: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    kept: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    at_once: Mapping[str, tuple[str, str, str, str]] = field(default_factory=dict)
    sides: tuple[str, str] | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    scene: Callable[[Any], dict[str, dict[str, Any]]] | None = None
    short_for: Mapping[str, str] = field(default_factory=dict)
