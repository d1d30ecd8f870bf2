"""Why the exchange before a truncation ends: numbers that decrease (`ranked`)."""

from ..model.epoch_cache import knows_epoch
from ..model.state import Kafka
from ..model.vocabulary import Broker, Partition, Phase
from .lemmas_kafka import BASICS, OF_REQUESTS


def epochs_to_come(s: Kafka, partition: Partition, broker: Broker) -> int:
    """The leader epochs that the follower may still receive."""
    return s.config.max_epoch - s.replica[partition][broker].leader_epoch


def epochs_in_cache(s: Kafka, partition: Partition, broker: Broker) -> int:
    """The number of epochs that the follower has: before it asks again it cuts one of them, or asks for another by name."""
    count = 0
    for epoch in range(s.config.epochs):
        if knows_epoch(s.replica[partition][broker], epoch):
            count += 1
    return count


def epoch_asked_for(s: Kafka, partition: Partition, broker: Broker) -> int:
    """The epoch that a request names: the next request names a smaller one."""
    return s.replica[partition][broker].asked_epoch


def is_unanswered(s: Kafka, partition: Partition, broker: Broker) -> int:
    """The answer is still outstanding."""
    return 1 if s.replica[partition][broker].phase is Phase.ASKING else 0


MEASURES = (epochs_to_come, epochs_in_cache, epoch_asked_for, is_unanswered)
HELPFUL = ("answer_epoch_request", "truncate_to_answer")
LEMMAS = (*BASICS, *OF_REQUESTS)
