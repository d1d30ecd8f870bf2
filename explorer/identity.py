"""What a run on disk is about: everything that decides its verdict. A run is resumed only as what it was begun as."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..model.language.errors import UsageError
from ..properties.property import Property
from ..traces.trace import version_of
from .compiling.compiled import Compiled


def identity_of(compiled: Compiled, revision: str, properties: Iterable[Property]) -> dict[str, Any]:
    """What a run is about, for its manifest."""
    return {
        "model": compiled.model.name,
        "model_version": version_of(compiled.model),
        "revision": revision,
        "settings": compiled.config.shown(),
        "properties": sorted(p.name for p in properties),
        "symmetry": compiled.symmetry,
    }


def refuse_another(place: object, found: dict[str, Any], identity: dict[str, Any]) -> None:
    """UsageError when the run in a directory, which `found` tells of, is another one."""
    for key, mine in identity.items():
        if found.get(key) != mine:
            raise UsageError(
                f"{place} holds a run with another {key.replace('_', ' ')} ({_brief(found.get(key), mine)});"
                f" give the same model, revision, settings and properties, or name another directory"
            )


def _brief(theirs: Any, mine: Any) -> str:
    """How two parts of an identity differ, in a few words."""
    if isinstance(theirs, dict) and isinstance(mine, dict):
        keys = [k for k in {**theirs, **mine} if theirs.get(k) != mine.get(k)]
        return ", ".join(f"{k}: {theirs.get(k)} there, {mine.get(k)} here" for k in keys[:3])
    return f"{str(theirs)[:80]} there, {str(mine)[:80]} here"
