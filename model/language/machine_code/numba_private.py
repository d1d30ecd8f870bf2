"""Private parts of Numba that are used or replaced, in one place, so that a new version is tried against a list.

numba.core.caching.NullCache                is the base of `numba_cache.Kept`, which loads only what was written
the dispatcher's `_cache`                   is replaced by a `Kept` (`keep_in`)
numba.core.types.Record.__repr__            is replaced (below)
numba.np.linalg.ensure_blas                 is left out while Numba is loaded (`load_without_scipy`)
JITCodeLibrary and its codegen              `pipeline` gathers the code of functions, and optimises it once, by
                                            `_module_pass_manager`, `_optimize_functions`, `_optimize_final_module`,
                                            `_linking_libraries`, `_final_module`, `_finalized`, `_raise_if_finalized`,
                                            `_tm`, `_data_layout`
context.active_code_library, call_conv      `numba_bridge` notes what a function calls, and returns its errors
"""

from functools import cache
from importlib import import_module
from typing import Any

from numba.core import types
from numba.core.caching import NullCache

NumbaCache = NullCache

TRIED = ("0.62.0", "0.68.1")
"""The lowest and the newest version of Numba with which this was tried: those of pyproject.toml and constraints.txt."""

# For each of its passes Numba describes the types of a function anew, for listeners that nobody is. The description of a record
# goes through all that lies below it; its name is kept, and says the same. A quarter of the time to compile the Kafka model.
types.Record.__repr__ = types.Type.__repr__  # type: ignore[method-assign]


def keep_in(function: Any, cache: NumbaCache) -> None:
    """What is compiled of a function is kept in this cache."""
    function._cache = cache


@cache
def load_without_scipy() -> None:
    """Numba loads scipy as it begins, a quarter of a second, to see whether it could multiply matrices. It looks again later."""
    linalg: Any = import_module("numba.np.linalg")
    look, linalg.ensure_blas = linalg.ensure_blas, lambda: None
    try:
        import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = look
