"""The models that come with Highwater, as protocols alone: `properties.registry` has them with what is said of them."""

from .designs.next import DESIGNS
from .kraft.next import KRAFT
from .next import KAFKA
from .published.next import PUBLISHED
from .published_kraft.next import PUBLISHED_KRAFT
from .strategies.next import STRATEGIES

PROTOCOLS = (KAFKA, KRAFT, PUBLISHED, PUBLISHED_KRAFT, STRATEGIES, DESIGNS)
