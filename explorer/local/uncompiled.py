"""The kernels in plain Python, over the model as it is written: for a search that need not wait for the compiler.

They do what `compiling.kernels` and `compiling.hash_table` do, in the same order, with the same keys and fingerprints. So a
search over them finds the same states under the same numbers, notes the same findings, and counts the same: the
outcome does not show which of the two ran. It does some thousand states a second; `tick` is called for each, and may raise.
"""

import copy
from collections.abc import Callable
from dataclasses import replace
from functools import partialmethod
from typing import Any

import numpy as np

from ...model.language.reading.program import interpreted
from ...model.language.reading.step_checks import has_plugin_step, plugin_actions_in, validate_normal_form, validate_step
from ...model.language.steps import Action
from ..compiling.arrays import (
    ALWAYS_NOTES,
    DEADLOCK_NOTE,
    SOMETIMES_NOTES,
    SOMETIMES_STEP_NOTES,
    STEP_NOTES,
    WORD_BITS,
    Checks,
    Numbers,
    Outboxes,
    Words,
)
from ..compiling.compiled import Compiled
from ..compiling.generate import checked_program, functions_of
from ..compiling.hash_table import MIX_A, MIX_B, MIX_C
from ..compiling.meta_words import action_code, meta_word
from ..compiling.packing import ALL_BITS, number_of


def uncompiled(compiled: Compiled, tick: Callable[[], None]) -> Compiled:
    """The same model under the same configuration, with kernels that need no compiling."""
    twin = copy.copy(compiled)
    twin.own_normal_form = True
    twin.module = twin.table = Kernels(compiled, tick)  # type: ignore[assignment]
    return twin


class Kernels:
    """The functions that a search calls of both compiled modules. A key is one number; `states`: those to expand."""

    BITS_OF_CELLS = 0  # there are no lanes, whose cells would be looked at

    def __init__(self, compiled: Compiled, tick: Callable[[], None]) -> None:
        self.compiled, self.plain, self.tick = compiled, compiled.plain, tick
        self.model, self.config = compiled.model, compiled.config
        functions = functions_of(self.model, compiled.properties)
        whole = checked_program(self.model, functions)
        plugin_code = plugin_actions_in(self.model.actions, whole)
        self.checked_step = has_plugin_step(self.model, whole)
        asked = {claim.function: whole.name_of(claim.function) for claim in compiled.properties}
        roots = {*plugin_code, *map(whole.name_of, functions)} & whole.callers_of(whole.plugin_code)
        texts = interpreted(whole, roots)  # what compiled code refuses is refused here too
        self.groups = [
            [replace(claim, function=texts.get(asked[claim.function], claim.function)) for claim in group]
            for group in compiled.properties.groups
        ]
        self.normal_form = self.model.normal_form and texts.get(whole.name_of(self.model.normal_form), self.model.normal_form)
        self.steps: list[tuple[int, int, Action, list[tuple[int, ...]], Any]] = []
        for place, (action, base) in enumerate(zip(self.model.actions, compiled.base.tolist(), strict=True)):
            name = whole.name_of(action.function)
            if base >= 0:
                text = texts[name] if name in plugin_code else None
                self.steps.append((place, base, action, list(action.instances(self.config)), text))
        self.states: dict[int, Any] = {}
        self.seen: set[int] = set()

    # Keys and fingerprints.

    def fingerprint(self, key: int) -> int:
        """As `hash_table.fingerprint`."""
        h = MIX_C
        for word in self.plain.words_of(key):
            x = word ^ h
            h = ((x ^ MIX_B) * MIX_A >> WORD_BITS) ^ (x * MIX_A & ALL_BITS)
        return (h * MIX_B >> WORD_BITS) ^ (h * MIX_B & ALL_BITS) or 1

    def fingerprints(self, keys: Words, out: Words) -> None:
        """The fingerprint of every key."""
        for i, words in enumerate(keys):
            out[i] = self.fingerprint(number_of(words))

    def reveal(self, keys: Words, packing: Any, rows: Words) -> None:
        """The row of each key."""
        for words, row in zip(keys, rows, strict=True):
            self.compiled.layout.write(self.plain.state_of(number_of(words)), row)

    # The search.

    def expand(
        self, keys: Words, first: int, last: int, start: int, shard: int, shift: np.uint64,
        packing: Any, scratch: Any, renaming: Any, base: Numbers, checks: Checks, boxes: Outboxes, only_check: bool,
    ) -> int:  # fmt: skip
        """As `kernels.expand`."""
        room, fullest = boxes.fp.shape[2] - scratch.rows.shape[0], 0
        for i in range(first, last):
            if fullest > room:
                return i
            self.tick()
            key = number_of(keys[i])
            state = self.states.pop(key) if key in self.states else self.plain.state_of(key)
            index = start + i
            self.look(checks, (ALWAYS_NOTES, SOMETIMES_NOTES), 0, (state,), index, -1)
            if only_check:
                continue
            successors = list(self.successors(state, checks))
            if not successors and checks.notes[DEADLOCK_NOTE, 0] < 0:
                checks.notes[DEADLOCK_NOTE, 0] = index
            for code, after in successors:
                self.look(checks, (STEP_NOTES, SOMETIMES_STEP_NOTES), 1, (state, after), index, code)
                if self.normal_form is not None:
                    self.normal_form(after)
                if self.checked_step:
                    validate_normal_form(*self.compiled.decode(code), state, after)
                following = self.plain.key_of(after)
                h = self.fingerprint(following)
                owner = h >> int(shift)
                to = int(boxes.filled[shard, owner])
                boxes.fp[shard, owner, to], boxes.key[shard, owner, to] = h, self.plain.words_of(following)
                boxes.meta[shard, owner, to] = meta_word(index, shard, code)
                boxes.filled[shard, owner] = to + 1
                fullest = max(fullest, to + 1)
                if h not in self.seen:
                    self.states[following] = after
        return last

    def successors(self, state: Any, checks: Checks) -> Any:
        """Every step out of a state, as (code, state after it); counted for its action."""
        after = state.copy()
        for place, base, action, instances, text in self.steps:
            before, step = int(checks.taken[place]), text or action.version(self.config)
            for number, arguments in enumerate(instances):
                taken = step(after, *arguments)
                if action.rolls_back and not taken:
                    after = state.copy()
                if text:
                    validate_step(action, arguments, state, after, taken)
                if taken:
                    checks.taken[place] += 1
                    yield base + number, after
                    after = state.copy()
            checks.able[place] += int(checks.taken[place]) > before

    def look(self, checks: Checks, rows: tuple[int, int], group: int, states: tuple[Any, ...], index: int, code: int) -> None:
        """As `kernels.check_state` and `check_step`: note the first violation and the first witness of each property."""
        for number, offset in zip((group, group + 2), rows, strict=True):
            active = int(checks.active[number])
            for place, claim in enumerate(self.groups[number]):
                if active >> place & 1 and checks.notes[offset + place, 0] < 0 and claim.deciding(*states) is not None:
                    checks.notes[offset + place] = index, code

    def insert(
        self, boxes: Outboxes, shard: int, slots: Words, shift: np.uint64, store: Words, at: int, log: Words, log_at: int,
        action_of: Numbers, found: Numbers, exact: bool = False,
    ) -> int:  # fmt: skip
        """As `hash_table.insert`: one set, for all shards, takes the place of the slots."""
        begin, seen = at, self.seen
        for source in range(boxes.filled.shape[0]):
            for i in range(int(boxes.filled[source, shard])):
                h = number_of(boxes.key[source, shard, i]) if exact else int(boxes.fp[source, shard, i])
                if h in seen:
                    continue
                seen.add(h)
                store[at], log[log_at] = boxes.key[source, shard, i], boxes.meta[source, shard, i]
                found[action_of[int(action_code(boxes.meta[source, shard, i]))]] += 1
                at, log_at = at + 1, log_at + 1
        return at - begin

    insert_exact = partialmethod(insert, exact=True)
    """As `hash_table.insert_exact`."""

    def rehash(self, *arguments: Any) -> int:
        """There are no slots to move."""
        return 0

    @staticmethod
    def rank(keys: Words, parts: Words, counts: Words, room: np.uint64, ranks: Words) -> None:
        """As `order_kernels.rank`, bit by bit."""
        ranks[:] = 0
        for mask, word in zip(parts[:, 1].tolist(), keys.T[parts[:, 0]], strict=True):
            for bit in reversed(range(WORD_BITS)):
                if mask >> bit & 1:
                    ranks[:] = ranks << np.uint64(1) | word >> np.uint64(bit) & np.uint64(1)
        ranks[:] = ranks << room | np.arange(len(keys), dtype=np.uint64)

    @staticmethod
    def sort_ranks(ranks: Words, spare: Words, room: np.uint64, digit: np.uint64, counts: Numbers) -> bool:
        """As `order_kernels.sort_ranks`, in place."""
        ranks.sort()
        return False

    @staticmethod
    def put_in_order(keys: Words, metas: Words, places: Numbers, keys_out: Words, metas_out: Words) -> None:
        """As `order_kernels.put_in_order`."""
        keys_out[:], metas_out[:] = keys[places], metas[places]
