"""Highwater in a user's tests.

    schema         what files may say
    scenarios      the scenarios of a file, and how one is run
    pytest_plugin  scenarios as test items
    fixture        `highwater` in a test function: checks that fail the test, and keep the counterexample
    annotations    what GitHub shows of those that fail; `places`: at which line
"""
