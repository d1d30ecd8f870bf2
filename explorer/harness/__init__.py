"""Highwater in a user's tests.

    scenarios      the scenarios of a file, and how one is run
    counts         what a scenario expects of states, depth, steps and actions
    collected      which files speak of scenarios
    pytest_plugin  scenarios as test items
    fixture        `highwater` in a test function: checks that fail the test, and keep the counterexample
    entries        what a report carries for reviewers; `places`: at which line; `changed_code`: of what they can change
    annotations    what GitHub shows of it; `drawing`: of a counterexample; `sarif`: for code scanning
"""

COUNTS = "counts"
"""The item of a scenario that compares what is explored in numbers."""
