"""The configuration file: what flags can say, as TOML.

    model = "kafka"
    revision = "kip-279"
    properties = ["strong_isr"]

    [settings]
    brokers = 2

    [bounds]
    seconds = 60
"""

from __future__ import annotations

import tomllib
from typing import Any

from ...model.language.errors import UsageError

LARGEST_FILE = 1 << 20

KEYS = {"model": str, "revision": str, "properties": list, "settings": dict, "bounds": dict}
BOUNDS = ("depth", "states", "seconds", "memory")


def read_config(path: str) -> dict[str, Any]:
    """What the file says; UsageError with the place that is wrong."""
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"{path} cannot be read: {reason}; check the path given to --config") from None
    if len(data) > LARGEST_FILE:
        raise UsageError(f"{path} is larger than 1 MB: it is not a configuration file")
    try:
        found = tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not text: it is not a configuration file") from None
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise UsageError(f"{path} is not TOML: {str(error)[:120]}; see highwater check --help for what it may hold") from None
    return checked(found, path)


def checked(found: dict[str, Any], path: str) -> dict[str, Any]:
    """The content, when it has the right keys and types."""
    for key, value in found.items():
        if key not in KEYS:
            raise UsageError(f"{path} has an unknown key {key!r:.60}; known are {', '.join(KEYS)}")
        if not isinstance(value, KEYS[key]):
            raise UsageError(f"{path}: {key} must be a {noun(KEYS[key])}, not {value!r:.40}")
    for name in found.get("properties", []):
        if not isinstance(name, str):
            raise UsageError(f"{path}: properties must be a list of names, and {name!r:.40} is none")
    for name, value in found.get("settings", {}).items():
        if not isinstance(value, (int, str)):
            raise UsageError(f"{path}: the setting {name!r:.40} must be a number or a name, not {value!r:.40}")
    for name, value in found.get("bounds", {}).items():
        if name not in BOUNDS:
            raise UsageError(f"{path} has an unknown bound {name!r:.40}; known are {', '.join(BOUNDS)}")
        whole = isinstance(value, int) and not isinstance(value, bool)
        if not (whole or (name == "seconds" and isinstance(value, float))) or not 0 < value < 10**18:
            raise UsageError(f"{path}: the bound {name} must be a number above 0, not {value!r:.40}")
    return found


def noun(kind: type) -> str:
    """What a person calls a type."""
    return "text" if kind is str else "list" if kind is list else "table"
