"""The module in which the functions of `kernels` run compiled."""

from functools import cache
from types import ModuleType

from ..compiling import meta_words
from ..progress.compiled import compiled_loops
from . import kernels

ENTRIES = ("second_words", "route", "collect", "rehome", "in_order", "mark_known")


@cache
def loops() -> ModuleType:
    """One module for all models."""
    return compiled_loops("spark", kernels, (meta_words,), (meta_words.action_code, meta_words.parent_index), ENTRIES)
