"""Packing for one configuration: in plain Python, and as text, the loops of `kernels.pack` and `kernels.unpack`, unrolled."""

from typing import Any

from ...model.language.kinds import NO_MEMBER, Member, cells, fill
from ...model.language.machine_code.layout import Layout, Plan, Words
from ...model.language.settings import Settings
from .arrays import WORD_BITS

MAX_UNROLLED = 128
"""Words of a row up to which packing is straight-line code: beyond that compiling it takes too long."""

ALL_BITS = (1 << WORD_BITS) - 1


class PlainKeys:
    """Keys of plain states in their normal form, and the states of keys, as compiled code has them. A key is one number."""

    def __init__(self, layout: Layout, config: Settings, key_words: int) -> None:
        self.layout, self.config, self.key_words = layout, config, key_words
        self.empty = layout.model.state(config)
        self.shape: list[tuple[int, int, int, bool]] = []
        self.others, at, own = 0, 0, {cell for _, cell, _ in layout.variables(config)}
        for cell, (kind, low, high) in layout.packed(config).items():
            mask = (1 << (high - low).bit_length()) - 1
            if cell in own:
                self.shape.append((low, mask, at, isinstance(kind, Member)))
            else:  # another configuration has it: here it is 0
                self.others |= (-low & mask) << at
            at += mask.bit_length()

    def key_of(self, state: Any) -> int:
        """The key of a state in its normal form."""
        key = self.others
        for value, (low, mask, at, _) in zip(cells(state), self.shape, strict=True):
            key |= ((value - low) & mask) << at
        return key

    def state_of(self, key: int) -> Any:
        """The state of a key."""
        values = [
            ((key >> at & mask) + low) & NO_MEMBER if member else (key >> at & mask) + low for low, mask, at, member in self.shape
        ]
        return fill(self.empty.copy(), values)  # copied, since that takes less time than to make another one

    def words_of(self, key: int) -> list[int]:
        """The words of a key, as arrays hold them."""
        return words_of(key, self.key_words)


def words_of(key: int, count: int) -> list[int]:
    """A key of this many words, as arrays hold it."""
    return [key >> WORD_BITS * place & ALL_BITS for place in range(count)]


def number_of(words: Words) -> int:
    """A key as one number."""
    key = 0
    for place, word in enumerate(words.tolist()):
        key |= word << WORD_BITS * place
    return key


def pack_text(plan: Plan, layout: Layout) -> str:
    """`pack`, with the plan as constants; it gives the same keys."""
    high = layout.high_bits
    lines = ["def pack(rows, at, packing, keys, to):", "    gathered = np.uint64(0)"]
    filled, k = 0, 0
    for word, mask, bias, bits in zip(*(map(int, a) for a in (plan.word, plan.mask, plan.bias, plan.bits)), strict=True):
        if bits:
            lines.append(f"    x = rows[at, {word}]")
            if bias:
                sum_of_lanes = f"((x & {u64(~high)}) + {u64(bias & ~high)})"
                lines.append(f"    x = {sum_of_lanes} ^ ((x ^ {u64(bias)}) & {u64(high)})")
            lines += [f"    x = extract_bits(x, {u64(mask)})", f"    gathered |= x << {u64(filled)}"]
            filled += bits
            if filled >= WORD_BITS:
                filled -= WORD_BITS
                rest = f"x >> {u64(bits - filled)}" if filled else u64(0)
                lines += [f"    keys[to, {k}] = gathered", f"    gathered = {rest}"]
                k += 1
    if k < plan.key_words:
        lines.append(f"    keys[to, {k}] = gathered")
    return "\n".join(lines)


def unpack_text(plan: Plan, layout: Layout) -> str:
    """`unpack`, with the plan as constants."""
    high, used = layout.high_bits, 0
    lines = ["def unpack(keys, at, packing, rows, to):"]
    columns = (plan.word, plan.mask, plan.bias, plan.post, plan.bits)
    for word, mask, bias, post, bits in zip(*(map(int, a) for a in columns), strict=True):
        k, shift = divmod(used, WORD_BITS)
        lines.append(f"    x = keys[at, {k}] >> {u64(shift)}" if bits else f"    x = {u64(0)}")
        if shift + bits > WORD_BITS:
            lines.append(f"    x |= keys[at, {k + 1}] << {u64(WORD_BITS - shift)}")
        lines.append(f"    x = deposit_bits(x, {u64(mask)})")
        if bias:
            difference = f"((x | {u64(high)}) - {u64(bias & ~high)})"
            lines.append(f"    x = {difference} ^ ((x ^ {u64(~bias)}) & {u64(high)})")
        lines.append(f"    rows[to, {word}] = x & {u64(post)}")
        used += bits
    return "\n".join(lines)


def u64(value: int) -> str:
    """A 64-bit constant, as text."""
    return f"np.uint64({value & ALL_BITS})"
