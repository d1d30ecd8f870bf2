"""How text is compiled, which is one value (`Way`), and how many states the processor can work on at once, by its instructions.

`HIGHWATER_COMPILE` names the way: `yes` (default); `narrow`, in as few lanes as processors without AVX-512 have; `single`,
one state at a time, as on processors without the instructions for lanes; `checked`, by Numba alone, with bounds checks on every
array; `no`, the same text run by the Python interpreter. It is read here, once, when the package is imported.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from llvmlite.binding import get_host_cpu_features

from ..errors import UsageError

WIDE, NARROW = 64, 32
"""Bytes of a row, with AVX-512 and with AVX2: a state's cell is one of them."""

NEEDED = {WIDE: ("avx512bw", "avx512vbmi", "avx512vbmi2", "bmi2"), NARROW: ("avx2", "bmi", "bmi2")}
"""The features of a processor that lanes of a width need."""


class Way(NamedTuple):
    """How text is run.

    `lanes`: how many states at once, at most, and 0 for one by one. `is_direct`: what is written in the language of models goes
    to LLVM directly; if not, all goes through Numba, where `is_checked` with bounds checks.
    """

    lanes: int = 0
    is_compiled: bool = True
    is_direct: bool = True
    is_checked: bool = False


WAYS = {
    "yes": Way(WIDE), "narrow": Way(NARROW), "single": Way(), "checked": Way(is_direct=False, is_checked=True),
    "no": Way(is_compiled=False, is_direct=False),
}  # fmt: skip

NAMED = os.environ.get("HIGHWATER_COMPILE", "yes")
"""The name of the way."""


def way() -> Way:
    """How text is run."""
    if NAMED not in WAYS:
        raise UsageError(f"HIGHWATER_COMPILE must be one of {', '.join(WAYS)}, not {NAMED!r:.40}")
    return WAYS[NAMED]


@contextmanager
def bounds_checked() -> Iterator[None]:
    """Meanwhile what is compiled has bounds checks: a mutant may index what is not there."""
    global NAMED
    before, NAMED = NAMED, NAMED if NAMED == "no" else "checked"
    try:
        yield
    finally:
        NAMED = before


def lanes_of(features: Mapping[str, bool], most: int = WIDE) -> int:
    """How many lanes there are with such features, and at most so many; 0 for none."""
    return next((lanes for lanes, needed in NEEDED.items() if lanes <= most and all(map(features.get, needed))), 0)


def features() -> Mapping[str, bool]:
    """The features for which Numba compiles: the processor's, or those that NUMBA_CPU_NAME and NUMBA_CPU_FEATURES leave."""
    given = os.environ.get("NUMBA_CPU_FEATURES")
    if given is None and os.environ.get("NUMBA_CPU_NAME", "").lower() == "generic":
        given = ""
    if given is None:
        return dict(get_host_cpu_features())
    return {part[1:]: part.startswith("+") for part in given.split(",") if part}


FOUND = lanes_of(features(), WAYS.get(NAMED, Way()).lanes or WIDE)

LANES = FOUND or NARROW
"""How many states are worked on at once. A mask of them fits into a word."""


def has_lanes() -> bool:
    """Whether the processor has what lanes need; if not, states are expanded one at a time."""
    return FOUND > 0
