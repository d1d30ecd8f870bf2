"""What to check, and how: the one form in which every engine gets it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..model.language.actions import Model
from ..properties.property import Property
from .budget import Bounds
from .compiling.compiled import Compiled, layout_for


@dataclass
class Request:
    """What to check, and how. `generic`: with code that was compiled for all configurations."""

    model: Model
    revision: str
    config: Any
    properties: list[Property]
    symmetry: bool = False
    exact: bool = False
    keep_going: bool = False
    deadlock: bool = False
    threads: int = 1
    generic: bool = False
    bounds: Bounds = field(default_factory=Bounds)
    run_directory: str | None = None
    resume: bool = False


def compile_for(request: Request, properties: list[Property]) -> Compiled:
    """The compiled model; in generic mode with all of the model's properties, so that the code is shared."""
    model, config = request.model, request.config
    if not request.generic:
        return Compiled(model, config, properties, request.symmetry)
    from ..properties.catalogue import properties_of

    everything = properties_of(model.name) or tuple(properties)
    return Compiled(model, config, everything, request.symmetry, layout_for(model, config))
