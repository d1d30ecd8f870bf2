"""The passes over the graph, compiled: one module for all models."""

import inspect
from functools import cache
from types import ModuleType
from typing import Any

from ...model.language.loader import load
from ..compiling import hash_table, meta_words
from ..compiling.generate import HEADER, bare_text
from . import kernels

ENTRIES = ("locate", "count_arrivals", "fill_arrivals", "search_back", "count_induced", "fill_induced", "judge")


@cache
def passes() -> ModuleType:
    """The module in which the functions of `kernels` run compiled."""
    names = {n: v for module in (hash_table, meta_words, kernels) for n, v in vars(module).items() if n.isupper()}
    constants = {name: value for name, value in names.items() if isinstance(value, int)}
    own: list[Any] = [f for f in vars(kernels).values() if inspect.isfunction(f) and f.__module__ == kernels.__name__]
    text = "\n\n\n".join([*(f"{name} = {value}" for name, value in constants.items()), *map(bare_text, [hash_table.home, *own])])
    return load("progress", text + "\n", ENTRIES, (), HEADER)
