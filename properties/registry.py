"""The models that come with Highwater, each with all that is said of it: what it claims, and how its states are written."""

from dataclasses import replace
from typing import Any

from ..model.designs import next as designs
from ..model.kraft import next as kraft
from ..model.language.actions import Model
from ..model.language.errors import UsageError
from ..model.next import KAFKA as KAFKA_PROTOCOL
from ..model.published import next as published
from ..model.published_kraft import next as published_kraft
from ..model.strategies import next as strategies
from ..traces.families import notations
from . import small_sizes
from .designs import DESIGNS_PROGRESS, DESIGNS_PROPERTIES
from .kafka import KAFKA_PROPERTIES
from .kraft import KRAFT_PROGRESS, KRAFT_PROPERTIES
from .lemmas_kafka import KAFKA_LEMMAS, KAFKA_PROOFS
from .lemmas_kraft import KRAFT_LEMMAS, KRAFT_PROOFS
from .lemmas_published import PUBLISHED_LEMMAS, PUBLISHED_PROOFS
from .progress import KAFKA_PROGRESS
from .property import quantified
from .published import PUBLISHED_PROPERTIES
from .published_kraft import PUBLISHED_KRAFT_PROPERTIES
from .step_invariants import KAFKA_STEP_INVARIANTS
from .step_invariants_brokers import BROKER_STEP_INVARIANTS
from .step_invariants_kraft import KRAFT_STEP_INVARIANTS
from .step_invariants_produce import PRODUCE_STEP_INVARIANTS
from .strategies import STRATEGIES_PROGRESS, STRATEGIES_PROPERTIES
from .unreachable_actions import POSSIBLE


class Models(dict[str, Model]):
    """Models by their names. What a plugin brings makes others of them; nothing is added to one."""

    def __missing__(self, name: str) -> Model:
        raise UsageError(f"there is no model {name!r:.40}; there are {', '.join(self)}; a plugin's is known with --plugin")


def described(protocol: Model, **said: Any) -> Model:
    """The protocol with what is said of it."""
    for name in {"properties", "lemmas", "step_invariants"} & set(said):
        said[name] = quantified(said[name], protocol.domains)
    return replace(protocol, **said)


KAFKA = described(
    KAFKA_PROTOCOL,
    properties=(*KAFKA_PROPERTIES, *KAFKA_PROGRESS),
    lemmas=KAFKA_LEMMAS,
    proofs=KAFKA_PROOFS,
    step_invariants=(*KAFKA_STEP_INVARIANTS, *BROKER_STEP_INVARIANTS, *PRODUCE_STEP_INVARIANTS),
    sizes=small_sizes.KAFKA,
    possible=POSSIBLE,
    notation=notations.UNDER_ZOOKEEPER,
)

KRAFT = described(
    kraft.KRAFT,
    properties=(*KRAFT_PROPERTIES, *KRAFT_PROGRESS),
    lemmas=KRAFT_LEMMAS,
    proofs=KRAFT_PROOFS,
    step_invariants=(*KRAFT_STEP_INVARIANTS, *PRODUCE_STEP_INVARIANTS),
    sizes=small_sizes.KRAFT,
    notation=notations.UNDER_KRAFT,
)

PUBLISHED = described(
    published.PUBLISHED,
    properties=PUBLISHED_PROPERTIES,
    lemmas=PUBLISHED_LEMMAS,
    proofs=PUBLISHED_PROOFS,
    sizes=small_sizes.PUBLISHED,
    notation=notations.AS_PUBLISHED,
)

PUBLISHED_KRAFT = described(
    published_kraft.PUBLISHED_KRAFT, properties=PUBLISHED_KRAFT_PROPERTIES, notation=notations.KRAFT_AS_PUBLISHED
)

STRATEGIES = described(
    strategies.STRATEGIES,
    properties=(*STRATEGIES_PROPERTIES, *STRATEGIES_PROGRESS),
    sizes=small_sizes.STRATEGIES,
    notation=notations.STRATEGIES,
)

DESIGNS = described(
    designs.DESIGNS,
    properties=(*DESIGNS_PROPERTIES, *DESIGNS_PROGRESS),
    sizes=small_sizes.DESIGNS,
    notation=notations.DESIGNS,
)

MODELS = Models({model.name: model for model in (KAFKA, KRAFT, PUBLISHED, PUBLISHED_KRAFT, STRATEGIES, DESIGNS)})

DEFAULT = KAFKA.name
"""The model that is meant where none is named."""
