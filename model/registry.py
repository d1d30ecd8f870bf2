"""The models that there are without any plugin."""

from .designs.next import DESIGNS
from .kraft.next import KRAFT
from .language.actions import Model
from .language.errors import UsageError
from .next import KAFKA
from .published.next import PUBLISHED
from .published_kraft.next import PUBLISHED_KRAFT
from .strategies.next import STRATEGIES


class Models(dict[str, Model]):
    """Models by their names. What a plugin brings makes others of them; nothing is added to one."""

    def __missing__(self, name: str) -> Model:
        raise UsageError(f"there is no model {name!r:.40}; there are {', '.join(self)}")


MODELS = Models({model.name: model for model in (KAFKA, KRAFT, PUBLISHED, PUBLISHED_KRAFT, STRATEGIES, DESIGNS)})
