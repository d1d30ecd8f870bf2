"""The properties of a model: those that are checked when none is named, and others, such as those of progress."""

from collections.abc import Sequence

from ..model.language.actions import Model
from ..model.language.errors import UsageError, hint
from .property import Property


def properties_of(model: Model) -> tuple[Property, ...]:
    """The properties of a model, without those that are checked only on request."""
    return tuple(claim for claim in model.properties if not (claim.of_progress or claim.on_request))


def progress_of(model: Model) -> tuple[Property, ...]:
    """Those that are checked only on request, such as properties of progress: these need every state and step to be kept."""
    return tuple(claim for claim in model.properties if claim.of_progress or claim.on_request)


def claims_of(model: Model) -> dict[str, Property]:
    """All properties of a model, by name."""
    return {claim.name: claim for claim in (*properties_of(model), *progress_of(model))}


def default_properties(model: Model) -> tuple[Property, ...]:
    """The properties that are checked when none is named: all but those that no revision is expected to keep."""
    return tuple(p for p in properties_of(model) if p.by_default)


def claims_named(model: Model, names: Sequence[str]) -> list[Property]:
    """These properties; UsageError, with the name that was meant, for one that is not there."""
    known = claims_of(model)
    for name in names:
        if name not in known:
            raise UsageError(f"the model {model.name} has no property {name!r:.60}; {hint(name, known, where_listed(model))}")
    return [known[name] for name in dict.fromkeys(names)]


def where_listed(model: Model) -> str:
    """Where the names of a model's properties are to be found: of a user's, which `highwater list` has by its file, here."""
    names = ", ".join(claims_of(model)) or "none"
    return f"it has {names}" if model.plugins else f"see highwater list properties --model {model.name}"
