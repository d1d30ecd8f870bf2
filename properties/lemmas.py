"""What proofs of a model's properties may assume, and which lemmas are known to make a property inductive.

`highwater prove --property P` uses the set given here; `--with all` uses every lemma, `--with none` uses none.
"""

from ..model.language.actions import Model
from ..model.language.errors import UsageError
from .catalogue import claims_of, properties_of
from .property import ALWAYS, Property


def assumable(model: Model) -> dict[str, Property]:
    """What `--with` accepts: the lemmas, and the invariants."""
    return {lemma.name: lemma for lemma in (*model.lemmas, *properties_of(model)) if lemma.kind == ALWAYS}


def known_for(model: Model, names: list[str]) -> list[Property]:
    """The lemmas with which the named properties are known to be inductive, in the revisions where they hold."""
    known = assumable(model)
    wanted = [lemma for name in names for lemma in model.proofs.get(name, ())]
    wanted += [lemma for p in claims_of(model).values() if p.name in names and p.ranking for lemma in p.ranking.lemmas]
    for name in wanted:
        if name not in known:
            raise UsageError(f"the model {model.name} has no claim of kind always that is called {name!r:.60}, for its ranking")
    return [known[name] for name in dict.fromkeys(wanted)]
