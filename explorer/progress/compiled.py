"""The passes over the graph, compiled: one module for all models."""

from __future__ import annotations

import inspect
from functools import cache
from types import ModuleType

from ...model.language.loader import load
from ..compiling import hash_table
from ..compiling.generate import HEADER, bare_text
from . import kernels

ENTRIES = ("locate", "count_arrivals", "fill_arrivals", "search_back", "count_induced", "fill_induced", "judge")


@cache
def passes() -> ModuleType:
    """The module in which the functions of `kernels` run compiled."""
    constants = {n: v for module in (hash_table, kernels) for n, v in vars(module).items() if n.isupper() and isinstance(v, int)}
    functions = [hash_table.home, *(f for f in vars(kernels).values() if inspect.isfunction(f) and f.__module__ == kernels.__name__)]
    text = "\n\n\n".join([*(f"{name} = {value}" for name, value in constants.items()), *map(bare_text, functions)])
    return load("progress", text + "\n", ENTRIES, (), HEADER)
