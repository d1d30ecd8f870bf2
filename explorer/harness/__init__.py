"""Highwater in a user's tests: scenarios of a file, and the pytest plugin that runs them."""
