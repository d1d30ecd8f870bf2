"""When the program began: set before anything else is loaded, so that the seconds of a run count the loading too."""

began: list[float] = []
"""By the monotonic clock; empty in a library."""
