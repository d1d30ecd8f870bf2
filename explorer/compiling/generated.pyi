"""What `generate` writes for each model, as the kernels call it. A state is a record of `arrays.Records`."""

from typing import Any

import numpy as np

from .arrays import Numbers, Records, Words

STATE_WORDS: int
"""Words of a row that hold the state; the configuration follows."""

def steps(recs: Records, rows: Words, codes: Numbers, base: Numbers, taken: Numbers, able: Numbers) -> int:
    """Next: writes the successors of row 0 to the rows from 1 on; the row after the last."""

def broken(s: Any, active: np.uint64) -> np.uint64:
    """The mask of the active always properties that the state breaks."""

def broken_steps(s: Any, t: Any, active: np.uint64) -> np.uint64:
    """The mask of the active step properties that the step breaks."""

def witnessed(s: Any, active: np.uint64) -> np.uint64:
    """The mask of the active sometimes properties that the state witnesses."""

def witnessed_steps(s: Any, t: Any, active: np.uint64) -> np.uint64:
    """The mask of the active sometimes properties that the step witnesses."""

def to_normal_form(s: Any) -> None:
    """Rewrite the state to the representative of those that behave alike."""

def signature(s: Any, sort: int, b: int) -> int:
    """A number that depends on member `b` of a sort and on no member's name."""

def rename(s: Any, t: Any, order: Numbers, places: Numbers) -> None:
    """Write to `t` the state `s` with its members renamed."""

# In lanes (`lanes`): a block is a record, see `lanes.block_type`.

LANES: int
"""How many states a block has."""

FAILED: int
"""The place in its journal that says whether a check has failed."""

def spread(block: Any) -> None:
    """Write the states, and their successors as the same, from the keys in `words`."""

def check_block(block: Any, live: np.uint64, index: int, active: Words, notes: Numbers) -> None:
    """Check the states in the lanes of `live`; `index` is that of lane 0."""

def steps_of_block(
    block: Any, live: np.uint64, index: int, base: Numbers, active: Words, notes: Numbers, taken: Numbers, able: Numbers
) -> None:
    """Next: enters the successors of all states, and checks the steps."""

def address_of(place: Any) -> int:
    """The address of a record or array."""

def popcount(word: np.uint64) -> int:
    """How many bits a word has."""

def clear_words(words: Any, count: int) -> None:
    """See `model.language.machine_code.lane_instructions`."""

def take_changes(
    states: Any, successors: Any, cell: int, bias: int, mask: int, able: np.uint64, changed: Any, distance: int, into: Any
) -> np.uint64:
    """See `model.language.machine_code.lane_instructions`."""

def misplaced(
    states: Any, successors: Any, cell: int, least: int, span: int, other: int, able: np.uint64, refused: np.uint64
) -> np.uint64:
    """See `model.language.machine_code.lane_instructions`."""

def merge_upwards(changed: Any, distance: int, words: Any, first: int, last: int) -> None:
    """See `model.language.machine_code.lane_instructions`."""

def merge_downwards(changed: Any, distance: int, words: Any, first: int, last: int) -> None:
    """See `model.language.machine_code.lane_instructions`."""
