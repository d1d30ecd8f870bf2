"""The module in which the functions of `kernels` run compiled."""

import inspect
from functools import cache
from types import ModuleType
from typing import Any

from ...model.language.loader import load
from ..compiling import meta_words
from ..compiling.generate import HEADER, bare_text
from . import kernels

ENTRIES = ("second_words", "route", "collect", "rehome", "in_order", "mark_known")


@cache
def loops() -> ModuleType:
    """One module for all models."""
    names = {n: v for module in (meta_words, kernels) for n, v in vars(module).items() if n.isupper() and isinstance(v, int)}
    own: list[Any] = [f for f in vars(kernels).values() if inspect.isfunction(f) and f.__module__ == kernels.__name__]
    functions = [meta_words.action_code, meta_words.parent_index, *own]
    text = "\n\n\n".join([*(f"{name} = {value}" for name, value in names.items()), *map(bare_text, functions)])
    return load("spark", text + "\n", ENTRIES, (), HEADER)
