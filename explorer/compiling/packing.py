"""Packing for one configuration, as text: the loops of `kernels.pack` and `kernels.unpack`, unrolled."""

from ...model.language.layout import Layout, Plan
from .arrays import WORD_BITS

MOST_UNROLLED = 128
"""Words of a row up to which packing is straight-line code: beyond that compiling it takes too long."""

ALL_BITS = (1 << WORD_BITS) - 1


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
