"""What can be wrong with what a user gave us, and with a model, as opposed to what is wrong with the tool."""


class UsageError(Exception):
    """Bad input. The message is one sentence: what, where, the usual cause, what to do. Exit code 2."""


class ModelError(Exception):
    """A model or a property failed while it ran, as by an index outside its array. One sentence; exit code 75."""
