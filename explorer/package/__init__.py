"""Highwater: a model checker and property-test harness for Kafka's replication, and for models of your own.

    import highwater
    highwater.check("kafka", "kip-279", brokers=2)

This file makes `highwater` a package like any other: Python finds one without it in a folder, but not in a wheel
that `spark-submit --py-files` puts on the path as it is.
"""

from importlib import import_module
from typing import Any

__all__ = ["Fuzzed", "Proved", "Result", "Walked", "check", "fuzz", "prove", "walk"]


def __getattr__(name: str) -> Any:
    """What is in `__all__`, from `explorer/library.py`; `__init__.pyi` says it to type checkers."""
    if name not in __all__:
        raise AttributeError(f"module 'highwater' has no attribute {name!r}")
    return getattr(import_module("highwater.explorer.library"), name)
