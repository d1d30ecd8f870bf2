"""Why a goal is reached: numbers that decrease. `highwater prove` uses the rankings of each model.

A ranking belongs to a property of progress. Its measures are functions of the state in the language of models, with the
property's parameters. They are compared lexicographically: the first that differs decides. While the property waits (its
premise is true and its goal is not), some step of a helpful action leads to the goal or decreases the measures. They
cannot decrease for ever, because every measure is a number with bounds.

For `recoverable` this is enough: the step can be taken. For `leads_to` and `eventually` the helpful step must
be one that is not postponed for ever. No other step may increase the measures, or end the wait otherwise than at the goal, and
a step that leaves them unchanged must leave the helpful step enabled. Faults may increase them, because there are finitely many.
"""

from ..model.epoch_cache import knows_epoch
from ..model.language.actions import Model
from ..model.vocabulary import Phase
from .lemmas_kafka import BASICS, OF_REQUESTS
from .property import Property
from .ranked import Ranking


def epochs_to_come(s, partition, broker):
    """The leader epochs that the follower may still receive."""
    return s.config.max_epoch - s.replica[partition][broker].leader_epoch


def epochs_in_cache(s, partition, broker):
    """The number of epochs that the follower has: before it asks again it cuts one of them, or asks for another by name."""
    count = 0
    for epoch in range(s.config.epochs):
        if knows_epoch(s.replica[partition][broker], epoch):
            count += 1
    return count


def epoch_asked_for(s, partition, broker):
    """The epoch that a request names: the next request names a smaller one."""
    return s.replica[partition][broker].asked_epoch


def is_unanswered(s, partition, broker):
    """The answer is still outstanding."""
    return 1 if s.replica[partition][broker].phase is Phase.ASKING else 0


EXCHANGE = Ranking(
    name="exchange_ends",
    measures=(epochs_to_come, epochs_in_cache, epoch_asked_for, is_unanswered),
    helpful=("answer_epoch_request", "truncate_to_answer"),
    lemmas=(*BASICS, *OF_REQUESTS),
)

RANKINGS: dict[str, tuple[Ranking, ...]] = {"kafka": (EXCHANGE,)}


def ranking_of(model: Model, one: Property) -> Ranking | None:
    """The ranking of a property of a model: the one that it has itself, or that of the catalogue."""
    found: Ranking | None = one.ranking
    return found or next((known for known in RANKINGS.get(model.name, ()) if known.name == one.name), None)
