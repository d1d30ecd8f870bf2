"""Four machine instructions that Python lacks, for compiled kernels and, slower, for uncompiled ones.

`extract_bits` and `deposit_bits` gather and scatter the bits of a word that a mask names (PEXT and PDEP
where the processor has them); `high_product` is the upper half of a 128-bit product; `prefetch` asks for
a cache line early. Of the explorer's files, only this one names Numba.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from ...model.language import loader
from .arrays import Place, Words

INSTRUCTIONS = (
    "call_check", "call_check_step", "call_steps", "deposit_bits", "extract_bits", "high_product", "prefetch",
)  # fmt: skip

I64, I128, I32 = ir.IntType(64), ir.IntType(128), ir.IntType(32)


def address_of(function: Any) -> Any:
    """Where the one version of a compiled function lies; the function itself when it is not compiled."""
    if not loader.compiled(function):
        return function
    (version,) = function.overloads.values()
    return version.library.get_pointer_to_function(version.fndesc.llvm_func_name)


def _has_bit_instructions() -> bool:
    features = llvmlite.binding.get_host_cpu_features()
    return bool(features.get("bmi2"))


if loader.way() == "no":

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

    def high_product(one: np.uint64, other: np.uint64) -> np.uint64:
        """The upper 64 bits of the 128-bit product."""
        return np.uint64(int(one) * int(other) >> 64)

    def prefetch(array: Words, index: Place) -> None:
        """A hint, which Python ignores."""

    def call_steps(function: Any, recs: Any, rows: Any, codes: Any, base: Any, taken: Any, able: Any, n: Any) -> Any:
        """One half of Next."""
        return function(recs, rows, codes, base, taken, able, n)

    def call_check(function: Any, s: Any, active: Any) -> Any:
        """A predicate over a state."""
        return function(s, active)

    def call_check_step(function: Any, s: Any, t: Any, active: Any) -> Any:
        """A predicate over a step."""
        return function(s, t, active)

else:

    def _bits(name: str) -> Any:
        @intrinsic
        def instruction(typing: Any, word: Any, mask: Any) -> Any:
            def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
                kind = ir.FunctionType(I64, [I64, I64])
                function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.x86.bmi.{name}.64")
                return builder.call(function, arguments)

            return types.uint64(types.uint64, types.uint64), generate

        return instruction

    @intrinsic
    def high_product(typing: Any, one: Any, other: Any) -> Any:
        """The upper 64 bits of the 128-bit product."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            product = builder.mul(builder.zext(arguments[0], I128), builder.zext(arguments[1], I128))
            return builder.trunc(builder.lshr(product, ir.Constant(I128, 64)), I64)

        return types.uint64(types.uint64, types.uint64), generate

    def _call(result: Any) -> Any:
        """Code that calls the compiled function whose address is the first argument."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kinds, convention = signature.args[1:], context.call_conv
            kind = convention.get_function_type(result, kinds)
            pointer = builder.inttoptr(arguments[0], kind.as_pointer())
            status, answer = convention.call_function(builder, pointer, result, kinds, arguments[1:])
            with cgutils.if_unlikely(builder, status.is_error):
                convention.return_status_propagate(builder, status)
            return answer

        return generate

    @intrinsic
    def call_steps(typing: Any, function: Any, recs: Any, rows: Any, codes: Any, base: Any, taken: Any, able: Any, n: Any) -> Any:
        """One half of Next, by its address."""
        return types.int64(function, recs, rows, codes, base, taken, able, types.int64), _call(types.int64)

    @intrinsic
    def call_check(typing: Any, function: Any, s: Any, active: Any) -> Any:
        """A predicate over a state, by its address."""
        return types.uint64(function, s, active), _call(types.uint64)

    @intrinsic
    def call_check_step(typing: Any, function: Any, s: Any, t: Any, active: Any) -> Any:
        """A predicate over a step, by its address."""
        return types.uint64(function, s, t, active), _call(types.uint64)

    @intrinsic
    def prefetch(typing: Any, array: Any, index: Any) -> Any:
        """Ask for the cache line of `array[index]` (one dimension, contiguous)."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            view = context.make_array(signature.args[0])(context, builder, arguments[0])
            pointer = builder.gep(view.data, [arguments[1]])
            pointer = builder.bitcast(pointer, ir.IntType(8).as_pointer())
            kind = ir.FunctionType(ir.VoidType(), [pointer.type, I32, I32, I32])
            function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
            builder.call(function, [pointer, *(ir.Constant(I32, n) for n in (1, 3, 1))])
            return context.get_dummy_value()

        return types.void(array, types.int64), generate

    if _has_bit_instructions():
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
