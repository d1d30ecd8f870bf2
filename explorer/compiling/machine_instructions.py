"""Machine instructions that Python lacks, for compiled kernels and, slower, for uncompiled ones.

`extract_bits` and `deposit_bits` gather and scatter the bits of a word that a mask names (PEXT and PDEP
where the processor has them); `high_product` is the upper half of a 128-bit product; `prefetch` asks for
a cache line early; `trailing_zeros` is the position of a word's lowest set bit; `slots_with` and `slots_like` compare
the words of a cache line with one; `push_slot` puts one before them. Here they are in Python; below, as LLVM has them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...model.language.machine_code.lowered_kinds import NOTHING, NUMBER, WORD
from ...model.language.machine_code.processor import features, way
from .arrays import LINE_SLOTS, Place, Words


def extract_bits(word: np.uint64, mask: np.uint64) -> np.uint64:
    """The bits of `word` that `mask` names, moved together at the low end."""
    out, at = np.uint64(0), np.uint64(0)
    while mask != np.uint64(0):
        lowest = mask & (~mask + np.uint64(1))
        if word & lowest:
            out |= np.uint64(1) << at
        at += np.uint64(1)
        mask ^= lowest
    return out


def deposit_bits(word: np.uint64, mask: np.uint64) -> np.uint64:
    """The low bits of `word`, moved to where `mask` has ones."""
    out = np.uint64(0)
    while mask != np.uint64(0):
        lowest = mask & (~mask + np.uint64(1))
        if word & np.uint64(1):
            out |= lowest
        word >>= np.uint64(1)
        mask ^= lowest
    return out


def high_product(left: np.uint64, right: np.uint64) -> np.uint64:
    """The upper 64 bits of the 128-bit product."""
    return np.uint64(int(left) * int(right) >> 64)


def trailing_zeros(word: np.uint64) -> np.int64:
    """The position of the lowest set bit; undefined for zero."""
    return np.int64((int(word) & -int(word)).bit_length() - 1)


def prefetch(array: Words, index: Place) -> None:
    """A hint, which Python ignores: the cache line of an element is needed soon. The index counts through all dimensions."""


def slots_with(slots: Words, line: Place, word: np.uint64) -> np.uint64:
    """A mask of the slots of a line that hold the word; above it, one of the empty slots."""
    row = slots[int(line) : int(line) + LINE_SLOTS].tolist()
    return np.uint64(sum((c == int(word)) << place | (c == 0) << (LINE_SLOTS + place) for place, c in enumerate(row)))


def slots_like(slots: Words, line: Place, word: np.uint64, ignored: np.uint64) -> np.uint64:
    """A mask of the slots of a line that differ from the word at most in the bits that are ignored."""
    row = slots[int(line) : int(line) + LINE_SLOTS].tolist()
    return np.uint64(sum(((cell ^ int(word)) & ~int(ignored) == 0) << place for place, cell in enumerate(row)))


def push_slot(slots: Words, line: Place, word: np.uint64) -> None:
    """Put the word into the first slot of a line, and move the others by one: the last is lost."""
    slots[line + 1 : line + LINE_SLOTS] = slots[line : line + LINE_SLOTS - 1].copy()
    slots[line] = word


LINE = f"<{LINE_SLOTS} x i64>"

MOVED = f"<{LINE_SLOTS} x i32> <{', '.join(f'i32 {place}' for place in (LINE_SLOTS, *range(LINE_SLOTS - 1)))}>"
"""The slots of a line moved by one, behind the first of another."""

LOADED = f"""%place = getelementptr i64, ptr %slots, i64 %line
  %row = load {LINE}, ptr %place, align 8"""


def everywhere(name: str) -> str:
    """`%{name}s`: a line with this word in all slots."""
    places = f"<{LINE_SLOTS} x i32> zeroinitializer"
    return f"""%{name}.first = insertelement {LINE} undef, i64 %{name}, i32 0
  %{name}s = shufflevector {LINE} %{name}.first, {LINE} undef, {places}"""


def bits(name: str) -> str:
    """`%{name}.word`: the truths of a line as bits."""
    return f"""%{name}.bits = bitcast <{LINE_SLOTS} x i1> %{name} to i{LINE_SLOTS}
  %{name}.word = zext i{LINE_SLOTS} %{name}.bits to i64"""


TEXTS: dict[str, tuple[str, str, str, Any]] = {
    "extract_bits": ("i64 %word, i64 %mask", "%bits = call i64 @llvm.x86.bmi.pext.64(i64 %word, i64 %mask)", "i64 %bits", WORD),
    "deposit_bits": ("i64 %word, i64 %mask", "%bits = call i64 @llvm.x86.bmi.pdep.64(i64 %word, i64 %mask)", "i64 %bits", WORD),
    "high_product": ("i64 %left, i64 %right", """%one = zext i64 %left to i128
  %other = zext i64 %right to i128
  %product = mul i128 %one, %other
  %above = lshr i128 %product, 64
  %high = trunc i128 %above to i64""", "i64 %high", WORD),
    "trailing_zeros": ("i64 %word", "%zeros = call i64 @llvm.cttz.i64(i64 %word, i1 true)", "i64 %zeros", NUMBER),
    "prefetch": ("ptr %array, i64 %index", """%place = getelementptr i64, ptr %array, i64 %index
  call void @llvm.prefetch.p0(ptr %place, i32 0, i32 3, i32 1)""", "void", NOTHING),
    "slots_with": ("ptr %slots, i64 %line, i64 %word", f"""{LOADED}
  {everywhere("word")}
  %same = icmp eq {LINE} %row, %words
  %free = icmp eq {LINE} %row, zeroinitializer
  {bits("same")}
  {bits("free")}
  %above = shl i64 %free.word, {LINE_SLOTS}
  %both = or i64 %same.word, %above""", "i64 %both", WORD),
    "slots_like": ("ptr %slots, i64 %line, i64 %word, i64 %ignored", f"""{LOADED}
  {everywhere("word")}
  %kept = xor i64 %ignored, -1
  {everywhere("kept")}
  %differ = xor {LINE} %row, %words
  %counted = and {LINE} %differ, %kepts
  %same = icmp eq {LINE} %counted, zeroinitializer
  {bits("same")}""", "i64 %same.word", WORD),
    "push_slot": ("ptr %slots, i64 %line, i64 %word", f"""{LOADED}
  {everywhere("word")}
  %moved = shufflevector {LINE} %row, {LINE} %words, {MOVED}
  store {LINE} %moved, ptr %place, align 8""", "void", NOTHING),
}  # fmt: skip
"""For LLVM: what each is given, its instructions, what it returns, and the kind of that."""

if way().is_compiled:
    from ...model.language.machine_code.numba_bridge import instruction

    for _name, (_given, _body, _returned, _kind) in TEXTS.items():
        if features().get("bmi2") or _name not in ("extract_bits", "deposit_bits"):  # which Numba compiles elsewhere
            globals()[_name] = instruction(_name, _given, _body, _returned, _kind)
