"""The models that engines and people can name."""

from .designs.next import DESIGNS
from .language.actions import Model
from .language.errors import UsageError
from .next import KAFKA
from .published.next import PUBLISHED
from .strategies.next import STRATEGIES

MODELS: dict[str, Model] = {model.name: model for model in (KAFKA, PUBLISHED, STRATEGIES, DESIGNS)}


def model_named(name):
    """The model of this name; UsageError when there is none."""
    if name not in MODELS:
        raise UsageError(f"there is no model {name!r:.40}; there are {', '.join(MODELS)}")
    return MODELS[name]
