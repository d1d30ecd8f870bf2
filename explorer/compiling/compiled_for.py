"""The compiled model for a request: a separate module, because importing the compiler takes a fifth of a second."""

from ...properties.catalogue import properties_of
from ...properties.property import Property
from ..request import Request
from ..sources import validate_sources
from .compiled import Compiled, layout_for, layouts_that_fit


def compile_for(request: Request, properties: list[Property], tasks: int = 1) -> Compiled:
    """The compiled model; in generic mode with all of the model's properties, so that the code is shared, where it has room.

    NoRoom where the bound on memory leaves too little for this many tasks.
    """
    validate_sources()
    model, config = request.model, request.config
    if request.shared:
        meant = [claim for claim in request.properties if any(map(claim.applies, request.shared))]
        return Compiled(model, config, meant, shared=request.shared)
    if not request.generic or not layouts_that_fit(model, config):  # what a model says of its largest sizes is no bound
        room = request.bounds.room()
        return Compiled(model, config, properties, request.symmetry, room=None if room is None else room // tasks)
    everything = properties_of(model) or tuple(properties)
    others = [claim for claim in properties if claim not in everything]
    return Compiled(model, config, (*everything, *others), request.symmetry, layout_for(model, config))
