"""The rankings of each model: why goals are reached, for `highwater prove`."""

from ..model.epoch_cache import latest_epoch
from ..model.vocabulary import ASKING
from .ranking import Ranking


def epochs_to_come(s, partition, broker):
    """The leader epochs of which the follower may still be told."""
    return s.config.max_epoch - s.replica[partition][broker].leader_epoch


def epochs_in_cache(s, partition, broker):
    """The latest epoch that the follower's log has: truncation makes it smaller."""
    return latest_epoch(s, s.replica[partition][broker])


def epoch_asked_for(s, partition, broker):
    """The epoch that a request names: the next one names a smaller one."""
    return s.replica[partition][broker].asked_epoch


def is_unanswered(s, partition, broker):
    """The answer is yet to come."""
    return 1 if s.replica[partition][broker].phase == ASKING else 0


EXCHANGE = Ranking(
    name="exchange_ends",
    measures=(epochs_to_come, epochs_in_cache, epoch_asked_for, is_unanswered),
    helpful=("answer_epoch_request", "truncate_to_answer"),
)

RANKINGS: dict[str, tuple[Ranking, ...]] = {"kafka": (EXCHANGE,)}


def ranking_of(model: str, name: str) -> Ranking | None:
    """The ranking of a property of the model of this name."""
    return next((one for one in RANKINGS.get(model, ()) if one.name == name), None)
