"""What `generate` writes for each model, as the kernels call it."""

from typing import Any

def first_steps(recs: Any, rows: Any, codes: Any, base: Any, taken: Any, able: Any, n: Any) -> Any:
    """The first half of Next: writes successors of row 0 to the rows from `n` on; the next free row."""

def second_steps(recs: Any, rows: Any, codes: Any, base: Any, taken: Any, able: Any, n: Any) -> Any:
    """The second half of Next."""

def broken(s: Any, active: Any) -> Any:
    """The mask of the active always properties that the state breaks."""

def broken_steps(s: Any, t: Any, active: Any) -> Any:
    """The mask of the active step properties that the step breaks."""

def witnessed(s: Any, active: Any) -> Any:
    """The mask of the active sometimes properties that the state witnesses."""

def witnessed_steps(s: Any, t: Any, active: Any) -> Any:
    """The mask of the active sometimes properties that the step witnesses."""

def to_normal_form(s: Any) -> None:
    """Rewrite the state to the representative of those that behave alike."""

def signature(s: Any, b: Any) -> Any:
    """A number that depends on member `b` and on no member's name."""

def rename(s: Any, t: Any, old: Any, new: Any, image: Any, index: Any) -> None:
    """Write to `t` the state `s` with its members renamed."""
