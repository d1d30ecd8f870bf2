"""What `stepper` generates for each model, as the kernels call it."""

from typing import Any

def attempt(s: Any, action: Any, first: Any, tries: Any) -> Any:
    """Take the first enabled instance of the action from `first` on; its number, -1 when none is."""

def broken(s: Any, active: Any) -> Any:
    """The mask of the active always properties that the state breaks."""

def broken_steps(s: Any, t: Any, active: Any) -> Any:
    """The mask of the active step properties that the step breaks."""

def measure(s: Any, out: Any) -> None:
    """Raise each entry of `out` to what the state measures."""
