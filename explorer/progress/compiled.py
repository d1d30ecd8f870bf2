"""Plain functions over arrays, compiled: one module for all models, or for those with the same sizes."""

from collections.abc import Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import Any

from ...model.language.machine_code.loader import Loaded, load
from ..compiling import hash_table, meta_words
from ..compiling.generate import HEADER, bare_text, functions_in
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
    names = {n: v for module in (*beside, loops) for n, v in vars(module).items() if n.isupper() and isinstance(v, int)}
    known = {name: f"def {name}(rows):\n    return {value}" for name, value in (sizes or {}).items()}
    own = [getattr(loops, name) for name in functions_in(loops) if name not in known]
    constants = [f"{name} = {value}" for name, value in names.items()]
    text = "\n\n\n".join([*constants, *known.values(), *map(bare_text, [*called, *own])])
    return load(name, text + "\n", entries, (), HEADER)
