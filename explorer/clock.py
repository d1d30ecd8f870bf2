"""When the program began: set before anything else is loaded, so that the seconds of a run count the loading too."""

began: list[float] = []
"""By the monotonic clock; empty in a library."""

interrupted: list[int] = []
"""The signals that have ended a command which forks: Arrow's threads may abort such a process as it ends, after its report."""
