"""Lemmas of every model, and which of them are known to make a property inductive.

`highwater prove --property P` uses the set given here; `--with all` uses every lemma, `--with none` uses none.
"""

from collections.abc import Mapping

from ..model.language.actions import Model
from ..model.language.errors import UsageError
from ..model.next import KAFKA
from ..model.published.next import PUBLISHED
from .catalogue import claims_of, properties_of
from .lemmas_kafka import KAFKA_LEMMAS, KAFKA_PROOFS
from .lemmas_published import PUBLISHED_LEMMAS, PUBLISHED_PROOFS
from .property import ALWAYS, Property, quantified
from .rankings import ranking_of

LEMMAS: dict[str, tuple[Property, ...]] = {
    "published": quantified(PUBLISHED_LEMMAS, PUBLISHED.domains),
    "kafka": quantified(KAFKA_LEMMAS, KAFKA.domains),
}

PROOFS: dict[str, Mapping[str, tuple[str, ...]]] = {"published": PUBLISHED_PROOFS, "kafka": KAFKA_PROOFS}


def lemmas_of(model: str) -> tuple[Property, ...]:
    """The lemmas of the model of this name."""
    return LEMMAS.get(model, ())


def assumable(model: Model) -> dict[str, Property]:
    """What `--with` accepts: the lemmas, and the invariants."""
    everything = (*lemmas_of(model.name), *properties_of(model))
    return {one.name: one for one in everything if one.kind == ALWAYS}


def known_for(model: Model, names: list[str]) -> list[Property]:
    """The lemmas with which the named properties are known to be inductive, in the revisions where they hold."""
    known = assumable(model)
    wanted = [lemma for name in names for lemma in PROOFS.get(model.name, {}).get(name, ())]
    rankings = (ranking_of(model, one) for one in claims_of(model).values() if one.name in names)
    wanted += [lemma for one in rankings if one is not None for lemma in one.lemmas]
    for name in wanted:
        if name not in known:
            raise UsageError(f"the model {model.name} has no claim of kind always that is called {name!r:.60}, for its ranking")
    return [known[name] for name in dict.fromkeys(wanted)]
