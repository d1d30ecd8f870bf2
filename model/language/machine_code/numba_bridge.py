"""The bridge by which Numba's functions call those that go to LLVM directly (`lowering`)."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import signature
from numba.extending import intrinsic
from numba.np.numpy_support import as_dtype

from .lowered_kinds import NOTHING, NUMBER, NUMBERS, ROWS, TRUTH, WORD, WORDS, ValueKind, llvm_type
from .lowering import Lowering, Made

NUMBA = {NUMBER: types.int64, TRUTH: types.boolean, WORD: types.uint64, NOTHING: types.none}


def bridge(name: str, places: int, lowering: Lowering) -> Any:
    """What Numba takes a function for."""

    def typed(_typing: Any, *given: Any) -> Any:
        kinds = list(map(kind_of, given))
        made = lowering.make(name, kinds)
        returned = NUMBA[made.returns] if isinstance(made.returns, str) else given[0]
        return signature(returned, *accepted(kinds, given)), lambda *way: call_made(made, kinds, *way)

    return intrinsic_of(name, places, typed)


def instruction(name: str, given: str, body: str, returned: str, kind: ValueKind) -> Any:
    """What Numba takes an instruction for that LLVM has: what it is `given`, the text, what is `returned` and of what kind."""
    answer = "void" if kind is NOTHING else "i64"
    head = f"define linkonce_odr {answer} @{name}({given}) alwaysinline nounwind"
    made = Made(name, kind, f"{head} {{\n  {body}\n  ret {returned}\n}}\n")

    def typed(_typing: Any, *places: Any) -> Any:
        kinds = [ROWS[WORDS] if isinstance(place, types.Array) else kind_of(place) for place in places]
        return signature(NUMBA[kind], *accepted(kinds, places)), lambda *way: call_made(made, kinds, *way)

    return intrinsic_of(name, given.count(",") + 1, typed)


def accepted(kinds: Sequence[ValueKind], given: Sequence[Any]) -> list[Any]:
    """Numba's types for values of these kinds; of records and arrays those that are given."""
    return [NUMBA.get(kind, own) if isinstance(kind, str) else own for kind, own in zip(kinds, given, strict=True)]


def intrinsic_of(name: str, places: int, typed: Callable[..., Any]) -> Any:
    """An intrinsic of Numba's, which wants to see as many parameters as there are."""
    parameters = ", ".join(f"a{number}" for number in range(places))
    namespace: dict[str, Any] = {"typed": typed}
    exec(f"def {name}(typing, {parameters}):\n    return typed(typing, {parameters})", namespace)
    return intrinsic(namespace[name])


def call_made(made: Made, kinds: Sequence[ValueKind], context: Any, builder: Any, signed: Any, arguments: Sequence[Any]) -> Any:
    """The call of a function, and a note for the library that calls it."""
    given = []
    for kind, own, argument in zip(kinds, signed.args, arguments, strict=True):
        array = context.make_array(own)(context, builder, argument) if isinstance(own, types.Array) else None
        if kind is not None:
            address = argument if array is None else array.data
            given.append(builder.bitcast(address, ir.IntType(8).as_pointer()) if llvm_type(kind) == "ptr" else argument)
        if isinstance(kind, str) and array is not None:  # beside the address of rows stands their length
            given.append(cgutils.unpack_tuple(builder, array.shape)[1])
    failed = cgutils.alloca_once_value(builder, ir.IntType(64)(0)) if made.failures else None
    if failed is not None:
        given.append(builder.bitcast(failed, ir.IntType(8).as_pointer()))
    sizes = {NUMBER: ir.IntType(64), WORD: ir.IntType(64), TRUTH: ir.IntType(1), NOTHING: ir.VoidType()}
    kind = ir.FunctionType(sizes[made.returns], [argument.type for argument in given])
    value = builder.call(cgutils.get_or_insert_function(builder.module, kind, made.symbol), given)
    context.active_code_library.lowered[made] = None
    found: Any = None if failed is None else builder.load(failed)
    for failure in made.failures:  # what the call has left in the word
        with builder.if_then(builder.icmp_unsigned("==", found, found.type(failure.number)), likely=False):
            context.call_conv.return_user_exc(builder, getattr(builtins, failure.error), (failure.message,))
    return context.get_dummy_value() if made.returns is NOTHING else value


@cache
def kind_of(given: Any) -> ValueKind:
    """The kind of a parameter of Numba's type, the same object each time; None for what these functions have no use for."""
    if isinstance(given, types.Boolean):
        return NUMBER
    if isinstance(given, types.Integer):
        return WORD if given is types.uint64 else NUMBER
    if isinstance(given, types.Array) and not isinstance(given, types.NestedArray):
        if given.layout != "C" or given.ndim > 2:
            return None
        if given.ndim == 1:
            return np.dtype((as_dtype(given.dtype), (1,)))
        return {types.int64: NUMBERS, types.uint64: WORDS}.get(given.dtype)
    return as_dtype(given) if isinstance(given, (types.Record, types.NestedArray)) else None
