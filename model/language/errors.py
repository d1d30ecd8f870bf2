"""What can be wrong with what a user gave us, as opposed to what is wrong with us."""


class UsageError(Exception):
    """Bad input. The message is one sentence: what, where, the usual cause, what to do. Exit code 2."""
