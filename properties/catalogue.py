"""The properties of a model: those that are checked when none is named, and others, such as those of progress."""

from ..model.language.actions import Model
from .property import Property


def properties_of(model: Model) -> tuple[Property, ...]:
    """The properties of a model, without those that are checked only on request."""
    return tuple(one for one in model.properties if not (one.of_progress or one.on_request))


def progress_of(model: Model) -> tuple[Property, ...]:
    """Those that are checked only on request, such as properties of progress: these need every state and step to be kept."""
    return tuple(one for one in model.properties if one.of_progress or one.on_request)


def claims_of(model: Model) -> dict[str, Property]:
    """All properties of a model, by name."""
    return {one.name: one for one in (*properties_of(model), *progress_of(model))}


def default_properties(model: Model) -> tuple[Property, ...]:
    """The properties that are checked when none is named: all but those that no revision is expected to keep."""
    return tuple(p for p in properties_of(model) if p.by_default)
