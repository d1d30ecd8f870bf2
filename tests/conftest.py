"""Settings that all groups of tests share."""

from hypothesis import settings

# No deadline: the first example of a test may compile. Derandomised: the same examples in every run.
settings.register_profile("suite", deadline=None, derandomize=True)
settings.load_profile("suite")
