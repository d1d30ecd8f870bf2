"""What Numba makes of the functions of a text: of the entries when Python calls them, of the others when an entry is compiled."""

from __future__ import annotations

from functools import cache, partial
from inspect import signature
from types import FunctionType, ModuleType
from typing import Any

from numba import njit

from . import loader
from .numba_bridge import bridge
from .numba_cache import Kept
from .numba_private import keep_in
from .pipeline import EntryPipeline, InnerPipeline

BRIDGE = "__lowered"
"""Behind the name of an entry: the function of the text, which Numba's function calls."""


def install(loaded: loader.Loaded, module: ModuleType) -> None:
    """Put what Python calls in the place of the entries. What these call stays Python's as long as all of them come from disk."""
    prepare = cache(partial(prepared, loaded, module))
    for name in loaded.entries:
        if name not in loaded.kernels:  # it may go to LLVM directly, where Python cannot call it
            function = getattr(module, name)
            given, caller = ", ".join(signature(function).parameters), name + BRIDGE
            exec(compile(f"def {name}({given}):\n    return {caller}({given})\n", module.__file__ or "", "exec"), vars(module))
            setattr(module, caller, function)
        options = {"pipeline_class": EntryPipeline, "nogil": True, "cache": True, **common(loaded)}
        entry = njit(**options)(getattr(module, name))
        keep_in(entry, Kept(entry._cache, f"{module.__name__}.{name}-", prepare))
        setattr(module, name, entry)


def prepared(loaded: loader.Loaded, module: ModuleType) -> None:
    """Put what Numba's functions call in the place of the other functions: some go to LLVM directly."""
    # Always the same object for a module: a second one would give LLVM the same functions once more.
    lowering = loader.lowering_of(loaded.text, loaded.kernels, loaded.not_inlined) if loaded.way.is_direct else None
    for name, function in list(vars(module).items()):
        own = name.removesuffix(BRIDGE)
        if lowering is not None and isinstance(function, FunctionType) and own in lowering.functions:
            setattr(module, name, bridge(own, function.__code__.co_argcount, lowering))
        elif isinstance(function, FunctionType):
            inlined = {"forceinline": True} if own not in loaded.not_inlined and not loaded.way.is_checked else {}
            options = {"pipeline_class": InnerPipeline, "no_cpython_wrapper": True, **common(loaded), **inlined}
            setattr(module, name, njit(**options)(function))


def common(loaded: loader.Loaded) -> dict[str, Any]:
    """How all of them are compiled."""
    return {"_nrt": False, "no_cfunc_wrapper": True, "error_model": "python", "boundscheck": loaded.way.is_checked}
