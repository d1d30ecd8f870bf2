"""How many states the processor can work on at once, by its vector instructions.

`HIGHWATER_COMPILE=narrow` takes `NARROW` lanes where there are more. It is read once, when the package is imported.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from llvmlite.binding import get_host_cpu_features

WIDE, NARROW = 64, 32
"""Bytes of a row, with AVX-512 and with AVX2: a state's cell is one of them."""

NEEDED = {WIDE: ("avx512bw", "avx512vbmi", "avx512vbmi2", "bmi2"), NARROW: ("avx2", "bmi", "bmi2")}
"""The features of a processor that lanes of a width need."""


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
    return {one[1:]: one.startswith("+") for one in given.split(",") if one}


FOUND = lanes_of(features(), NARROW if os.environ.get("HIGHWATER_COMPILE") == "narrow" else WIDE)

LANES = FOUND or NARROW
"""How many states are worked on at once. A mask of them fits into a word."""


def has_lanes() -> bool:
    """Whether the processor has what lanes need; if not, states are expanded one at a time."""
    return FOUND > 0
