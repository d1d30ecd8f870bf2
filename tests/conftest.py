"""Settings that all groups of tests share."""

from hypothesis import settings

# No deadline: the first example of a test may compile. Derandomised: the same examples in every run.
settings.register_profile("suite", deadline=None, derandomize=True)
settings.load_profile("suite")


def pytest_addoption(parser):
    parser.addoption(
        "--rewrite-golden",
        action="store_true",
        help="rewrite traces/golden: digests, model version and told changes; comments and steps stay",
    )
