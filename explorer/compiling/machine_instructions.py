"""Machine instructions that Python lacks, for compiled kernels and, slower, for uncompiled ones.

`extract_bits` and `deposit_bits` gather and scatter the bits of a word that a mask names (PEXT and PDEP
where the processor has them); `high_product` is the upper half of a 128-bit product; `prefetch` asks for
a cache line early; `trailing_zeros` is the position of a word's lowest set bit; `slots_with` and `slots_like` compare
the words of a cache line with one; `push_slot` puts one before them. This is the only file of the explorer that names Numba.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from ...model.language.machine_code.numba_bridge import intrinsic_of
from ...model.language.machine_code.processor import features, way
from .arrays import LINE_SLOTS, Place, Words

I64, I128, I32 = ir.IntType(64), ir.IntType(128), ir.IntType(32)


if not way().is_compiled:

    def extract_bits(word: np.uint64, mask: np.uint64) -> np.uint64:
        """The bits of `word` that `mask` names, moved together at the low end."""
        bits, left, out, at = int(word), int(mask), 0, 0
        while left:
            lowest = left & -left
            out |= (1 if bits & lowest else 0) << at
            at, left = at + 1, left ^ lowest
        return np.uint64(out)

    def deposit_bits(word: np.uint64, mask: np.uint64) -> np.uint64:
        """The low bits of `word`, moved to where `mask` has ones."""
        bits, left, out = int(word), int(mask), 0
        while left:
            lowest = left & -left
            out |= lowest if bits & 1 else 0
            bits, left = bits >> 1, left ^ lowest
        return np.uint64(out)

    def high_product(left: np.uint64, right: np.uint64) -> np.uint64:
        """The upper 64 bits of the 128-bit product."""
        return np.uint64(int(left) * int(right) >> 64)

    def trailing_zeros(word: np.uint64) -> np.int64:
        """The position of the lowest set bit."""
        return np.int64((int(word) & -int(word)).bit_length() - 1)

    def prefetch(array: Words, index: Place) -> None:
        """A hint, which Python ignores."""

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

else:

    U64 = types.uint64

    def instruction(typed: Callable[..., Any]) -> Callable[..., Any]:
        """An instruction, of what generates its code; `typed`: of the types that it is given, those of result and values."""
        places = len(inspect.signature(typed).parameters)
        return lambda generate: intrinsic_of(generate.__name__, places, lambda _typing, *given: (typed(*given), generate))

    def _bits(name: str) -> Any:
        @instruction(lambda word, mask: U64(U64, U64))
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = ir.FunctionType(I64, [I64, I64])
            return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"llvm.x86.bmi.{name}.64"), arguments)

        return generate

    @instruction(lambda left, right: U64(U64, U64))
    def high_product(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        """The upper 64 bits of the 128-bit product."""
        product = builder.mul(builder.zext(arguments[0], I128), builder.zext(arguments[1], I128))
        return builder.trunc(builder.lshr(product, ir.Constant(I128, 64)), I64)

    @instruction(lambda word: types.int64(U64))
    def trailing_zeros(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        """The position of the lowest set bit; undefined for zero."""
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    @instruction(lambda array, index: types.void(array, types.int64))
    def prefetch(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        """Ask for the cache line of an element of a contiguous array; its index counts through all dimensions."""
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        pointer = builder.gep(view.data, [arguments[1]])
        pointer = builder.bitcast(pointer, ir.IntType(8).as_pointer())
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, I32, I32, I32])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(function, [pointer, *(ir.Constant(I32, n) for n in (0, 3, 1))])
        return context.get_dummy_value()

    LINE, PLACES = ir.VectorType(I64, LINE_SLOTS), ir.VectorType(I32, LINE_SLOTS)

    def _line_at(context: Any, builder: Any, slots: Any, array: Any, place: Any) -> Any:
        """The address of a line of slots."""
        view = context.make_array(slots)(context, builder, array)
        return builder.bitcast(builder.gep(view.data, [place]), LINE.as_pointer())

    def _load(builder: Any, address: Any) -> Any:
        row = builder.load(address)
        row.align = 8
        return row

    def _everywhere(builder: Any, word: Any) -> Any:
        """A line with this word in all slots."""
        first = builder.insert_element(ir.Constant(LINE, ir.Undefined), word, ir.Constant(I32, 0))
        return builder.shuffle_vector(first, ir.Constant(LINE, ir.Undefined), ir.Constant(PLACES, [0] * LINE_SLOTS))

    def _places(builder: Any, truths: Any) -> Any:
        """The truths of a line as bits."""
        return builder.zext(builder.bitcast(truths, ir.IntType(LINE_SLOTS)), I64)

    @instruction(lambda slots, line, word: U64(slots, types.int64, U64))
    def slots_with(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        """A mask of the slots of a line that hold the word; above it, one of the empty slots."""
        row = _load(builder, _line_at(context, builder, signature.args[0], *arguments[:2]))
        words, nothing = _everywhere(builder, arguments[2]), ir.Constant(LINE, [0] * LINE_SLOTS)
        here, free = (_places(builder, builder.icmp_unsigned("==", row, cell)) for cell in (words, nothing))
        return builder.or_(here, builder.shl(free, ir.Constant(I64, LINE_SLOTS)))

    @instruction(lambda slots, line, word, ignored: U64(slots, types.int64, U64, U64))
    def slots_like(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        """A mask of the slots of a line that differ from the word at most in the bits that are ignored."""
        row = _load(builder, _line_at(context, builder, signature.args[0], *arguments[:2]))
        differences = builder.xor(row, _everywhere(builder, arguments[2]))
        counted = builder.and_(differences, _everywhere(builder, builder.not_(arguments[3])))
        return _places(builder, builder.icmp_unsigned("==", counted, ir.Constant(LINE, [0] * LINE_SLOTS)))

    @instruction(lambda slots, line, word: types.void(slots, types.int64, U64))
    def push_slot(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        """Put the word into the first slot of a line, and move the others by one: the last is lost."""
        address = _line_at(context, builder, signature.args[0], *arguments[:2])
        moved = ir.Constant(PLACES, [LINE_SLOTS, *range(LINE_SLOTS - 1)])
        row = builder.shuffle_vector(_load(builder, address), _everywhere(builder, arguments[2]), moved)
        builder.store(row, address, align=8)
        return context.get_dummy_value()

    if features().get("bmi2"):
        extract_bits, deposit_bits = _bits("pext"), _bits("pdep")
    else:
        from numba import njit

        @njit
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

        @njit
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
