"""What kernels do with blocks of states in lanes, as LLVM's intermediate code for vector instructions.

A block has the cells of `LANES` states: a row of so many bytes each, aligned to as many. What AVX-512 has an instruction for
and AVX2 has not is written in two ways, for `WIDE` lanes and for fewer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from .lowered_kinds import NOTHING, NUMBER, ValueKind
from .processor import LANES, WIDE

ROW = f"<{LANES} x i8>"
"""A cell in all lanes."""

GROUP = 8
"""How many cells `spread_group` writes."""

BYTE_FROM = 8 << 8
"""To take a byte by BEXTR: its length in bits stands above the place where it begins."""

ADDRESS_OF = """
define linkonce_odr i64 @address_of(ptr %place) alwaysinline nounwind {
  %address = ptrtoint ptr %place to i64
  ret i64 %address
}
"""

EVERYWHERE = f"""
define linkonce_odr {ROW} @everywhere(i64 %number) alwaysinline nounwind {{
  %byte = trunc i64 %number to i8
  %first = insertelement {ROW} poison, i8 %byte, i64 0
  %all = shufflevector {ROW} %first, {ROW} poison, <{LANES} x i32> zeroinitializer
  ret {ROW} %all
}}

define linkonce_odr <8 x i64> @eight_times(i64 %number) alwaysinline nounwind {{
  %first = insertelement <8 x i64> poison, i64 %number, i64 0
  %all = shufflevector <8 x i64> %first, <8 x i64> poison, <8 x i32> zeroinitializer
  ret <8 x i64> %all
}}
"""


def compress_text() -> list[str]:
    """Stores the bytes of `%vary` in the lanes of `%able` at `%changed`, one behind the other."""
    if LANES == WIDE:
        return [
            "%lanes = bitcast i64 %able to <64 x i1>",
            f"%dense = call {ROW} @llvm.x86.avx512.mask.compress.v64i8({ROW} %vary, {ROW} zeroinitializer, <64 x i1> %lanes)",
            f"store {ROW} %dense, ptr %changed, align 1",
        ]
    lines = [f"%words = bitcast {ROW} %vary to <{LANES // 8} x i64>", "%at.0 = add i64 0, 0"]
    for number in range(LANES // 8):
        lines += [
            f"%chunk.{number} = extractelement <{LANES // 8} x i64> %words, i64 {number}",
            f"%down.{number} = lshr i64 %able, {8 * number}",
            f"%mask.{number} = and i64 %down.{number}, 255",
            f"%ones.{number} = call i64 @llvm.x86.bmi.pdep.64(i64 %mask.{number}, i64 {0x0101010101010101})",
            f"%bytes.{number} = mul i64 %ones.{number}, 255",
            f"%dense.{number} = call i64 @llvm.x86.bmi.pext.64(i64 %chunk.{number}, i64 %bytes.{number})",
            f"%to.{number} = getelementptr inbounds i8, ptr %changed, i64 %at.{number}",
            f"store i64 %dense.{number}, ptr %to.{number}, align 1",
            f"%count.{number} = call i64 @llvm.ctpop.i64(i64 %mask.{number})",
            f"%at.{number + 1} = add i64 %at.{number}, %count.{number}",
        ]
    return lines


def take_changes_text() -> str:
    """`take_changes`: reset a cell of the successors to the state's; whether bits of it in a key differed in a lane of `able`.

    `changed` gets what differed, of the first lane of `able` first. Of that, eight are merged `into` words as by `merge_upwards`.
    """
    low = f"shufflevector {ROW} %dense, {ROW} poison, {row(range(8))}"
    first = low if LANES == WIDE else "load <8 x i8>, ptr %changed, align 1"
    lines = [
        f"%offset = mul i64 %cell, {LANES}",
        "%from = getelementptr inbounds i8, ptr %before, i64 %offset",
        "%to = getelementptr inbounds i8, ptr %after, i64 %offset",
        f"%old = load {ROW}, ptr %from, align {LANES}",
        f"%new = load {ROW}, ptr %to, align {LANES}",
        f"store {ROW} %old, ptr %to, align {LANES}",
        f"%least = call {ROW} @everywhere(i64 %bias)",
        f"%bits = call {ROW} @everywhere(i64 %mask)",
        f"%one = add {ROW} %old, %least",
        f"%other = add {ROW} %new, %least",
        f"%differ = xor {ROW} %one, %other",
        f"%vary = and {ROW} %differ, %bits",
        *compress_text(),
        f"%first = {first}",
        "%wide = zext <8 x i8> %first to <8 x i64>",
        "%distances = call <8 x i64> @eight_times(i64 %distance)",
        "%moved = shl <8 x i64> %wide, %distances",
        "%word.old = load <8 x i64>, ptr %into, align 8",
        "%word.new = xor <8 x i64> %word.old, %moved",
        "store <8 x i64> %word.new, ptr %into, align 8",
        f"%some = icmp ne {ROW} %vary, zeroinitializer",
        *mask_text("%some"),
        "%here = and i64 %word, %able",
        "ret i64 %here",
    ]
    body = "\n  ".join(lines)
    given = "ptr %before, ptr %after, i64 %cell, i64 %bias, i64 %mask, i64 %able, ptr %changed, i64 %distance, ptr %into"
    return f"\ndefine linkonce_odr i64 @take_changes({given}) alwaysinline nounwind {{\n  {body}\n}}\n"


MISPLACED = f"""
define linkonce_odr i64 @misplaced(ptr %before, ptr %after, i64 %cell, i64 %least, i64 %span, i64 %other, i64 %able, i64 %refused)
    alwaysinline nounwind {{
  %offset = mul i64 %cell, {LANES}
  %from = getelementptr inbounds i8, ptr %before, i64 %offset
  %to = getelementptr inbounds i8, ptr %after, i64 %offset
  %old = load {ROW}, ptr %from, align {LANES}
  %new = load {ROW}, ptr %to, align {LANES}
  %low = call {ROW} @everywhere(i64 %least)
  %most = call {ROW} @everywhere(i64 %span)
  %nobody = call {ROW} @everywhere(i64 %other)
  %moved = sub {ROW} %new, %low
  %far = icmp ugt {ROW} %moved, %most
  %some = icmp ne {ROW} %new, %nobody
  %outside = and <{LANES} x i1> %far, %some
  %changed = icmp ne {ROW} %new, %old
  %outside.bits = bitcast <{LANES} x i1> %outside to i{LANES}
  %changed.bits = bitcast <{LANES} x i1> %changed to i{LANES}
  {"%outside.word = zext i32 %outside.bits to i64" if LANES < 64 else "%outside.word = add i64 %outside.bits, 0"}
  {"%changed.word = zext i32 %changed.bits to i64" if LANES < 64 else "%changed.word = add i64 %changed.bits, 0"}
  %left = and i64 %outside.word, %able
  %written = and i64 %changed.word, %refused
  %all = or i64 %left, %written
  ret i64 %all
}}
"""
"""Of a cell, the lanes of `able` in which it is outside its range, and those of `refused` in which it was written."""


def row(places: Sequence[int]) -> str:
    """The places that a shuffle takes, as text."""
    return f"<{len(places)} x i32> <{', '.join(f'i32 {place}' for place in places)}>"


def merge_text(name: str, shift: str) -> str:
    """`name`: xor `words`, from the place `first` to before `last`, with bytes of `changed` there, shifted by `distance` bits.

    It goes by eight words, the last of which may be beyond `last`.
    """
    return f"""
define linkonce_odr void @{name}(ptr %changed, i64 %distance, ptr %words, i64 %first, i64 %last) alwaysinline nounwind {{
entry:
  %distances = call <8 x i64> @eight_times(i64 %distance)
  %begin = getelementptr inbounds i8, ptr %changed, i64 %first
  br label %more
more:
  %at = phi i64 [ %first, %entry ], [ %next, %more ]
  %from = phi ptr [ %begin, %entry ], [ %behind, %more ]
  %bytes = load <8 x i8>, ptr %from, align 1
  %wide = zext <8 x i8> %bytes to <8 x i64>
  %moved = {shift} <8 x i64> %wide, %distances
  %to = getelementptr inbounds i64, ptr %words, i64 %at
  %old = load <8 x i64>, ptr %to, align 8
  %new = xor <8 x i64> %old, %moved
  store <8 x i64> %new, ptr %to, align 8
  %next = add i64 %at, 8
  %behind = getelementptr inbounds i8, ptr %from, i64 8
  %left = icmp slt i64 %next, %last
  br i1 %left, label %more, label %done
done:
  ret void
}}
"""


CLEAR_WORDS = """
define linkonce_odr void @clear_words(ptr %words, i64 %count) alwaysinline nounwind {
entry:
  br label %more
more:
  %at = phi i64 [ 0, %entry ], [ %next, %more ]
  %to = getelementptr inbounds i64, ptr %words, i64 %at
  store volatile <8 x i64> zeroinitializer, ptr %to, align 8
  %next = add i64 %at, 8
  %left = icmp slt i64 %next, %count
  br i1 %left, label %more, label %done
done:
  ret void
}
"""
"""Zeros by eight words, as which they are read: by fewer, the processor would wait. It is volatile, or LLVM calls `memset`."""


def bits_text(number: int) -> Iterator[str]:
    """`%bits.{number}`: of eight lanes, the 64 bits that begin at bit `%distance` of a word."""
    for word in ("words", "ends"):
        yield f"%at.{word}.{number} = getelementptr inbounds i64, ptr %{word}, i64 {8 * number}"
        yield f"%{word}.{number} = load <8 x i64>, ptr %at.{word}.{number}, align {LANES}"
    given = f"<8 x i64> %ends.{number}, <8 x i64> %words.{number}, <8 x i64> %distance"
    yield f"%bits.{number} = call <8 x i64> @llvm.fshr.v8i64({given})"


def cells_text() -> Iterator[str]:
    """`%cell.{number}`: for each of the eight cells, the byte that begins at its place, in all lanes."""
    words = f"<{LANES // 8} x i64>"
    for number in range(GROUP):  # by BEXTR: of a shift and a mask LLVM makes EXTRQ, for which AVX instructions wait
        yield f"%place.{number} = call i64 @llvm.x86.bmi.bextr.64(i64 %places, i64 {BYTE_FROM + 8 * number})"
        yield f"%start.{number} = call <8 x i64> @eight_times(i64 %place.{number})"
        yield f"%row.{number}.0 = freeze {words} poison"
    for eight in range(LANES // 8):
        yield from bits_text(eight)
        for number in range(GROUP):
            yield f"%down.{number}.{eight} = lshr <8 x i64> %bits.{eight}, %start.{number}"
            yield f"%cut.{number}.{eight} = trunc <8 x i64> %down.{number}.{eight} to <8 x i8>"
            yield f"%part.{number}.{eight} = bitcast <8 x i8> %cut.{number}.{eight} to i64"
            grown = f"{words} %row.{number}.{eight}, i64 %part.{number}.{eight}, i64 {eight}"
            yield f"%row.{number}.{eight + 1} = insertelement {grown}"
    for number in range(GROUP):
        yield f"%cell.{number} = bitcast {words} %row.{number}.{LANES // 8} to {ROW}"


def cells_text_wide() -> Iterator[str]:
    """As `cells_text`: bytes at eight places of a word are one instruction."""
    yield "%starts = call <8 x i64> @eight_times(i64 %places)"
    yield "%where = bitcast <8 x i64> %starts to <64 x i8>"
    by_cell = row([8 * (i % 8) + i // 8 for i in range(LANES)])
    for number in range(8):
        yield from bits_text(number)
        yield f"%bytes.{number} = bitcast <8 x i64> %bits.{number} to <64 x i8>"
        given = f"<64 x i8> %where, <64 x i8> %bytes.{number}"
        yield f"%parts.{number} = call <64 x i8> @llvm.x86.avx512.pmultishift.qb.512({given})"
        yield f"%sorted.{number} = shufflevector <64 x i8> %parts.{number}, <64 x i8> poison, {by_cell}"
        yield f"%row.0.{number} = bitcast <64 x i8> %sorted.{number} to <8 x i64>"
    for step, distance in enumerate((1, 2, 4)):  # exchange rows and columns
        low = row([i if not i & distance else 8 + (i ^ distance) for i in range(8)])
        high = row([i | distance if not i & distance else 8 + i for i in range(8)])
        for i in range(8):
            pair = f"<8 x i64> %row.{step}.{i & ~distance}, <8 x i64> %row.{step}.{i | distance}"
            yield f"%row.{step + 1}.{i} = shufflevector {pair}, {high if i & distance else low}"
    for number in range(GROUP):
        yield f"%cell.{number} = bitcast <8 x i64> %row.3.{number} to <64 x i8>"


def spread_group_text() -> str:
    """`spread_group`: eight cells of the states and of their successors, from the 64 bits that begin at bit `shift` of a word.

    `words`: a word of each key, and `ends` the word in which these bits end. Of each cell, a byte in `places` has the bit where
    it begins among them, one in `masks` its bits, one in `biases` what is subtracted, and one in `kept` what is kept of that.
    """
    head = ["ptr %words", "i64 %shift", "ptr %ends", "i64 %places", "i64 %masks", "i64 %biases", "i64 %kept"]
    head += ["ptr %before", "ptr %after", *(f"i64 %cell{number}" for number in range(GROUP))]
    lines = ["%distance = call <8 x i64> @eight_times(i64 %shift)"]
    lines += cells_text_wide() if LANES == WIDE else cells_text()
    for number in range(GROUP):
        for name in ("masks", "biases", "kept"):
            lines.append(f"%one.{name}.{number} = lshr i64 %{name}, {8 * number}")
            lines.append(f"%{name}.{number} = call {ROW} @everywhere(i64 %one.{name}.{number})")
        lines += [
            f"%masked.{number} = and {ROW} %cell.{number}, %masks.{number}",
            f"%moved.{number} = sub {ROW} %masked.{number}, %biases.{number}",
            f"%value.{number} = and {ROW} %moved.{number}, %kept.{number}",
            f"%offset.{number} = mul i64 %cell{number}, {LANES}",
        ]
        for block in ("before", "after"):
            lines.append(f"%{block}.{number} = getelementptr inbounds i8, ptr %{block}, i64 %offset.{number}")
            lines.append(f"store {ROW} %value.{number}, ptr %{block}.{number}, align {LANES}")
    body = "\n  ".join([*lines, "ret void"])
    how = "alwaysinline" if LANES == WIDE else "noinline"  # it is long there, and a key has some twenty groups
    return f"\ndefine linkonce_odr void @spread_group({', '.join(head)}) {how} nounwind {{\n  {body}\n}}\n"


def lanes_text(mask: str) -> list[str]:
    """`%lanes`: a mask in a word as a truth for each lane. What is one instruction of AVX-512, LLVM makes 60 of elsewhere."""
    if LANES == WIDE:
        return [f"%lanes = bitcast i64 {mask} to <64 x i1>"]
    return [
        f"%bytes = bitcast i64 {mask} to <8 x i8>",
        f"%spread = shufflevector <8 x i8> %bytes, <8 x i8> poison, {row([i // 8 for i in range(LANES)])}",
        f"%bit = and {ROW} %spread, <{', '.join(f'i8 {1 << i % 8}' for i in range(LANES))}>",
        f"%lanes = icmp ne {ROW} %bit, zeroinitializer",
    ]


def mask_text(truths: str) -> list[str]:
    """`%word`: a truth for each lane as a mask in a word."""
    if LANES == WIDE:
        return [f"%word = bitcast <64 x i1> {truths} to i64"]
    return [f"%mask.bits = bitcast <{LANES} x i1> {truths} to i{LANES}", f"%word = zext i{LANES} %mask.bits to i64"]


@cache
def lane_instructions() -> dict[str, tuple[str, ValueKind]]:
    """By name: the text, and the kind of what is returned."""
    return {
        "address_of": (ADDRESS_OF, NUMBER),
        "clear_words": (CLEAR_WORDS, NOTHING),
        "take_changes": (take_changes_text(), NUMBER),
        "misplaced": (MISPLACED, NUMBER),
        "merge_upwards": (merge_text("merge_upwards", "shl"), NOTHING),
        "merge_downwards": (merge_text("merge_downwards", "lshr"), NOTHING),
        "spread_group": (spread_group_text(), NOTHING),
    }
