"""The properties of a model: those that are always checked, and those of progress, which need every state and step to be kept."""

from ..model.language.actions import Model
from .property import Property


def properties_of(model: Model) -> tuple[Property, ...]:
    """The properties of a model, without those of progress."""
    return tuple(one for one in model.properties if not one.of_progress)


def progress_of(model: Model) -> tuple[Property, ...]:
    """The properties of progress of a model."""
    return tuple(one for one in model.properties if one.of_progress)


def claims_of(model: Model) -> dict[str, Property]:
    """All properties of a model, by name."""
    return {one.name: one for one in (*properties_of(model), *progress_of(model))}


def default_properties(model: Model) -> tuple[Property, ...]:
    """The properties that are checked when none is named: all but those that no revision is expected to keep."""
    return tuple(p for p in properties_of(model) if p.by_default)
