"""The order in which a level is expanded: states that are alike lie side by side, and lanes then do much the same.

An action is tried in many lanes at once, and costs little where its first guards refuse in all of them. So states are sorted by
what tells which actions are enabled, as far as it differs within the block that is sorted. Where a sample can be expanded, it
shows that (`telling_bits`); on Spark it is what guards read (`by_weight`).
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...model.language.actions import Model
from ...model.language.machine_code.layout import Layout
from ...model.language.machine_code.loader import Loaded
from ...model.language.reading.footprint import guard_reads
from ...model.language.reading.program import Program
from ...model.language.settings import Settings
from .arrays import WORD_BITS, Words
from .packing import number_of, words_of

BLOCK = 1 << 18
"""States that are sorted together. On Spark: at most, if a level is as large as the one before it."""

DIGIT = 11
"""Bits of a digit at most, by which ranks are sorted: their counts fit into the cache nearest to a core."""

MOST = 2 * DIGIT
"""Bits that are compared, at most: those of two digits."""

SAMPLE = 1 << 10
"""About how many keys of a block show which bits differ in it."""

CANDIDATES = 1 << 6
"""Of how many bits those that tell most are chosen."""

LEFT = 1e-3
"""A bit of which less variance is left is determined by those that were chosen."""

INDEX = re.compile(r"\[(\w+|\*)\]")


class Order:
    """Sorts keys of this many words by their most important bits; `variables`: the bits of each, the most important first."""

    def __init__(self, variables: Sequence[int], key_words: int, table: Loaded) -> None:
        self.variables, self.key_words, self.table = variables, key_words, table

    def of(self, keys: Words) -> NDArray[np.int64]:
        """The places of keys, in their order. Keys with the same bits keep their order, so every machine sorts alike."""
        room = max(0, len(keys) - 1).bit_length()
        parts = self.parts_of(keys)
        counts, ranks = np.bitwise_count(parts[:, 1]).astype(np.uint64), np.empty(len(keys), np.uint64)
        self.table.rank(keys, parts, counts, np.uint64(room), ranks)
        ranks = self._sorted(ranks, room, int(counts.sum()))
        ranks &= np.uint64((1 << room) - 1)
        return ranks.view(np.int64)

    def _sorted(self, ranks: Words, room: int, bits: int) -> Words:
        """Ranks that have this many bits above a place, by those."""
        digits = max(1, -(-bits // DIGIT))
        digit, spare = -(-bits // digits), np.empty_like(ranks)
        counts = np.zeros((digits, (1 << digit) + 1), np.int64)
        return spare if self.table.sort_ranks(ranks, spare, np.uint64(room), np.uint64(digit), counts) else ranks

    def parts_of(self, keys: Words) -> Words:
        """The bits that are compared, in their order [part, 2]: a word of a key, and bits of it."""
        sample = np.ascontiguousarray(keys[:: max(1, len(keys) // SAMPLE)].T)
        differing = number_of(np.bitwise_or.reduce(sample ^ sample[:, :1], axis=1))
        found: list[tuple[int, int]] = []
        left = MOST
        for variable in self.variables:
            bits = variable & differing
            if bits and bits.bit_count() <= left:
                found += [(place, word) for place, word in enumerate(words_of(bits, self.key_words)) if word]
                left -= bits.bit_count()
        return np.array(found, np.uint64).reshape(-1, 2)


def in_order(rows: Words, order: NDArray[np.int64], room: Words) -> Words:
    """The rows in this order, in the memory of `room`: to clear new memory would cost more than to fill it."""
    return rows.take(order, axis=0, out=room[: rows.size].reshape(rows.shape), mode="clip")


def by_weight(model: Model, config: Settings, layout: Layout, whole: Program) -> list[int]:
    """The variables of a state, by their place in its declaration, the most important first.

    For each instance of an action, a variable has the weight 1 if the first of its guards reads it, 1/2 if the second one is the
    first to read it, 1/3 for the third, and so on. `whole`: the actions under this configuration.
    """
    places: dict[str, list[tuple[int, str]]] = {}
    weights: dict[int, float] = {}
    for place, (path, _, _) in enumerate(layout.variables(config)):
        places.setdefault(INDEX.sub("[]", path), []).append((place, path))
        weights[place] = 0.0
    for action in model.actions:
        reads = guard_reads(whole, whole.name_of(action.function), action.parameters, model.state)
        for arguments in action.instances(config):
            given, read = dict(zip(action.parameters, map(str, arguments), strict=True)), set[int]()
            for number, some in enumerate(reads, 1):
                alike = [(weight, *pair) for weight in some for pair in places.get(INDEX.sub("[]", weight), ())]
                now = {place for weight, place, path in alike if is_meant(weight, given, path)} - read
                for place in now:
                    weights[place] += 1 / number
                read |= now
    return sorted(weights, key=lambda place: -weights[place])


def is_meant(path: str, given: dict[str, str], variable: str) -> bool:
    """Whether a path that a guard reads is this variable, or may be it; `given`: the values of parameters."""
    pairs = zip(INDEX.findall(path), INDEX.findall(variable), strict=True)
    return all(given.get(index, actual) == actual for index, actual in pairs)


def telling_bits(keys: Words, enabled: NDArray[np.bool_], most: int = MOST) -> int:
    """The bits of keys that tell most of what is enabled, as one number: at most so many. `enabled` [state, code].

    They are chosen one after the other: the bit that explains most of the variance that those before it leave, as in a linear
    regression.
    """
    bits, seen = np.unpackbits(keys.astype("<u8").view(np.uint8), axis=1, bitorder="little").T, enabled.T.view(np.uint8)
    seen = seen[(seen != seen[:, :1]).any(axis=1)]
    shared, own = covariance(bits, seen), bits.mean(axis=1) - bits.mean(axis=1) ** 2
    best = np.argsort(-explained(shared, own), kind="stable")[:CANDIDATES]
    shared, among, found = shared[best], covariance(bits[best], bits[best]), 0
    for _ in range(min(most, len(best))):
        scores = explained(shared, among.diagonal())
        bit = int(scores.argmax())
        if scores[bit] <= 0:
            break
        found |= 1 << int(best[bit])
        part = among[:, bit] / among[bit, bit]
        shared, among = shared - np.outer(part, shared[bit]), among - np.outer(part, among[bit])
    return found


def covariance(left: NDArray[np.uint8], right: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Of each row of one table of 0 and 1 with each of the other: counted, since a product of matrices takes all processors."""
    count = left.shape[1]
    room = ((0, 0), (0, -count % WORD_BITS))
    packed = [np.ascontiguousarray(np.packbits(np.pad(rows, room), axis=1)).view(np.uint64) for rows in (left, right)]
    both = np.bitwise_count(packed[0][:, None] & packed[1]).sum(axis=2, dtype=np.int64)
    found: NDArray[np.float64] = both / count - np.outer(left.mean(axis=1), right.mean(axis=1))
    return found


def explained(shared: NDArray[np.float64], own: NDArray[np.float64]) -> NDArray[np.float64]:
    """How much variance each bit explains, rounded, so that every machine chooses alike; a bit that others determine: nothing."""
    known = own > LEFT
    return np.where(known, np.round((shared**2).sum(axis=1) / np.where(known, own, 1.0), 9), 0.0)
