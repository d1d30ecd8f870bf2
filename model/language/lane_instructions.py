"""What kernels do with blocks of states in lanes, as LLVM's intermediate code for vector instructions (AVX-512 with VBMI2).

A block has the cells of `LANES` states: 64 bytes each, aligned to 64.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from llvmlite.binding import get_host_cpu_features

from .lane_values import LANES
from .lowered_expressions import NOTHING, NUMBER, Kind

NEEDED = ("avx512bw", "avx512vbmi", "avx512vbmi2", "bmi2")
"""The processor's features without which states are expanded one at a time."""

GROUP = 8
"""How many cells `spread_group` writes."""

DECLARED = """
declare <64 x i8> @llvm.experimental.vector.compress.v64i8(<64 x i8>, <64 x i1>, <64 x i8>)
declare <64 x i8> @llvm.x86.avx512.pmultishift.qb.512(<64 x i8>, <64 x i8>)
declare <8 x i64> @llvm.fshr.v8i64(<8 x i64>, <8 x i64>, <8 x i64>)
"""

ADDRESS_OF = """
define linkonce_odr i64 @address_of(ptr %place) alwaysinline nounwind {
  %address = ptrtoint ptr %place to i64
  ret i64 %address
}
"""

EVERYWHERE = """
define linkonce_odr <64 x i8> @everywhere(i64 %number) alwaysinline nounwind {
  %byte = trunc i64 %number to i8
  %first = insertelement <64 x i8> poison, i8 %byte, i64 0
  %all = shufflevector <64 x i8> %first, <64 x i8> poison, <64 x i32> zeroinitializer
  ret <64 x i8> %all
}

define linkonce_odr <8 x i64> @eight_times(i64 %number) alwaysinline nounwind {
  %first = insertelement <8 x i64> poison, i64 %number, i64 0
  %all = shufflevector <8 x i64> %first, <8 x i64> poison, <8 x i32> zeroinitializer
  ret <8 x i64> %all
}
"""

TAKE_CHANGES = """
define linkonce_odr void @take_changes(ptr %before, ptr %after, i64 %cell, i64 %bias, i64 %mask, i64 %lanes, ptr %changed)
    alwaysinline nounwind {
  %offset = mul i64 %cell, 64
  %from = getelementptr inbounds i8, ptr %before, i64 %offset
  %to = getelementptr inbounds i8, ptr %after, i64 %offset
  %old = load <64 x i8>, ptr %from, align 64
  %new = load <64 x i8>, ptr %to, align 64
  store <64 x i8> %old, ptr %to, align 64
  %least = call <64 x i8> @everywhere(i64 %bias)
  %bits = call <64 x i8> @everywhere(i64 %mask)
  %one = add <64 x i8> %old, %least
  %other = add <64 x i8> %new, %least
  %differ = xor <64 x i8> %one, %other
  %vary = and <64 x i8> %differ, %bits
  %chosen = bitcast i64 %lanes to <64 x i1>
  %packed = call <64 x i8> @llvm.experimental.vector.compress.v64i8(<64 x i8> %vary, <64 x i1> %chosen, <64 x i8> zeroinitializer)
  store <64 x i8> %packed, ptr %changed, align 1
  ret void
}
"""
"""Resets a cell of the successors to the state's. `changed` gets what differed of its bits in a key, of these lanes alone."""

MERGE_CHANGES = """
define linkonce_odr void @merge_changes(ptr %changed, i64 %count, i64 %shift, ptr %keys, i64 %first) alwaysinline nounwind {
  %left = icmp sge i64 %shift, 0
  %opposite = sub i64 0, %shift
  %distance = select i1 %left, i64 %shift, i64 %opposite
  %distances = call <8 x i64> @eight_times(i64 %distance)
  br label %round
round:
  %at = phi i64 [ 0, %0 ], [ %next, %round ]
  %from = getelementptr inbounds i8, ptr %changed, i64 %at
  %bytes = load <8 x i8>, ptr %from, align 1
  %words = zext <8 x i8> %bytes to <8 x i64>
  %up = shl <8 x i64> %words, %distances
  %down = lshr <8 x i64> %words, %distances
  %moved = select i1 %left, <8 x i64> %up, <8 x i64> %down
  %place = add i64 %first, %at
  %to = getelementptr inbounds i64, ptr %keys, i64 %place
  %old = load <8 x i64>, ptr %to, align 8
  %new = xor <8 x i64> %old, %moved
  store <8 x i64> %new, ptr %to, align 8
  %next = add i64 %at, 8
  %more = icmp slt i64 %next, %count
  br i1 %more, label %round, label %done
done:
  ret void
}
"""
"""Changes the bits from `shift` on of `count` words of `keys`, from place `first` on; room for seven more is needed.

A negative shift leaves the lowest bits out.
"""


def row(kind: str, places: Sequence[int]) -> str:
    """The places that a shuffle takes, as text."""
    return f"<{len(places)} x {kind}> <{', '.join(f'{kind} {place}' for place in places)}>"


def spread_group_text() -> str:
    """`spread_group`: eight cells of the states and of their successors, from the 64 bits that begin at bit `shift` of a word.

    `words`: a word of each key, and `ends` the word in which these bits end. Of each cell, a byte in `places` has the bit where
    it begins among them, one in `masks` its bits, one in `biases` what is subtracted, and one in `kept` what is kept of that.
    """
    head = ["ptr %words", "i64 %shift", "ptr %ends", "i64 %places", "i64 %masks", "i64 %biases", "i64 %kept"]
    head += ["ptr %before", "ptr %after", *(f"i64 %cell{number}" for number in range(GROUP))]
    lines = ["%distance = call <8 x i64> @eight_times(i64 %shift)", "%starts = call <8 x i64> @eight_times(i64 %places)"]
    lines.append("%where = bitcast <8 x i64> %starts to <64 x i8>")
    for number in range(8):
        for word in ("words", "ends"):
            lines.append(f"%at.{word}.{number} = getelementptr inbounds i64, ptr %{word}, i64 {8 * number}")
            lines.append(f"%{word}.{number} = load <8 x i64>, ptr %at.{word}.{number}, align 64")
        given = f"<8 x i64> %ends.{number}, <8 x i64> %words.{number}, <8 x i64> %distance"
        by_cell = row("i32", [8 * (i % 8) + i // 8 for i in range(LANES)])
        lines += [
            f"%bits.{number} = call <8 x i64> @llvm.fshr.v8i64({given})",
            f"%bytes.{number} = bitcast <8 x i64> %bits.{number} to <64 x i8>",
            f"%parts.{number} = call <64 x i8> @llvm.x86.avx512.pmultishift.qb.512(<64 x i8> %where, <64 x i8> %bytes.{number})",
            f"%sorted.{number} = shufflevector <64 x i8> %parts.{number}, <64 x i8> poison, {by_cell}",
            f"%row.0.{number} = bitcast <64 x i8> %sorted.{number} to <8 x i64>",
        ]
    for step, distance in enumerate((1, 2, 4)):  # exchange rows and columns
        low = row("i32", [i if not i & distance else 8 + (i ^ distance) for i in range(8)])
        high = row("i32", [i | distance if not i & distance else 8 + i for i in range(8)])
        for i in range(8):
            pair = f"<8 x i64> %row.{step}.{i & ~distance}, <8 x i64> %row.{step}.{i | distance}"
            lines.append(f"%row.{step + 1}.{i} = shufflevector {pair}, {high if i & distance else low}")
    for number in range(GROUP):
        for name in ("masks", "biases", "kept"):
            lines.append(f"%one.{name}.{number} = lshr i64 %{name}, {8 * number}")
            lines.append(f"%{name}.{number} = call <64 x i8> @everywhere(i64 %one.{name}.{number})")
        lines += [
            f"%cell.{number} = bitcast <8 x i64> %row.3.{number} to <64 x i8>",
            f"%masked.{number} = and <64 x i8> %cell.{number}, %masks.{number}",
            f"%moved.{number} = sub <64 x i8> %masked.{number}, %biases.{number}",
            f"%value.{number} = and <64 x i8> %moved.{number}, %kept.{number}",
            f"%offset.{number} = mul i64 %cell{number}, {LANES}",
        ]
        for block in ("before", "after"):
            lines.append(f"%{block}.{number} = getelementptr inbounds i8, ptr %{block}, i64 %offset.{number}")
            lines.append(f"store <64 x i8> %value.{number}, ptr %{block}.{number}, align {LANES}")
    body = "\n  ".join([*lines, "ret void"])
    return f"\ndefine linkonce_odr void @spread_group({', '.join(head)}) alwaysinline nounwind {{\n  {body}\n}}\n"


@cache
def lane_instructions() -> dict[str, tuple[str, Kind]]:
    """By name: the text, and the kind of what is returned."""
    return {
        "address_of": (ADDRESS_OF, NUMBER),
        "take_changes": (TAKE_CHANGES, NOTHING),
        "merge_changes": (MERGE_CHANGES, NOTHING),
        "spread_group": (spread_group_text(), NOTHING),
    }


@cache
def has_lanes() -> bool:
    """Whether the processor has what this needs."""
    features = get_host_cpu_features()
    return all(features.get(one) for one in NEEDED)
