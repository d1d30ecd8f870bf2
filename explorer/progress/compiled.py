"""Plain functions over arrays, compiled: one module for all models, or for those with the same sizes."""

from collections.abc import Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import Any

from ...model.language.machine_code.loader import Loaded, load
from ..compiling import hash_table, meta_words
from ..compiling.generate import HEADER, bare_text, constant_texts, kernel_texts
from . import kernels

ENTRIES = ("locate", "count_arrivals", "fill_arrivals", "search_back", "count_induced", "fill_induced", "judge")


@cache
def passes() -> Loaded:
    """The passes over the graph."""
    return compiled_loops("progress", kernels, (hash_table, meta_words), (hash_table.home,), ENTRIES)


def compiled_loops(
    name: str, loops: ModuleType, beside: Sequence[ModuleType], called: Sequence[Any], entries: Sequence[str],
    sizes: Mapping[str, int] | None = None,
) -> Loaded:  # fmt: skip
    """A module in which the functions of `loops` run compiled.

    They read constants of the modules `beside`, and call the functions `called`. `sizes`: functions of one argument that return
    these numbers instead.
    """
    known = {name: f"def {name}(rows):\n    return {value}" for name, value in (sizes or {}).items()}
    parts = [*constant_texts((*beside, loops)), *known.values(), *map(bare_text, called), *kernel_texts(known, (loops,))]
    text = "\n\n\n".join(parts)
    return load(name, text + "\n", entries, (), HEADER)
