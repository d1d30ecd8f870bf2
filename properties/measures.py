"""Measures of how near to trouble a state is: what guided testing tries to raise. None of them is a claim.

A measure is a function of the state in the language of models, which answers a number.
"""

from collections.abc import Callable
from typing import Any

from ..model.broker.roles import leads
from ..model.log import same_record
from ..model.members import contains


def epochs_in_flight(s: Any) -> int:
    """How many leader epochs the replicas of one partition believe in beyond the first, at most."""
    most = 0
    for partition in range(s.config.partitions):
        lowest = s.config.max_epoch
        highest = 0
        for broker in range(s.config.members):
            me = s.replica[partition][broker]
            if me.leader_epoch >= 0:
                lowest = min(lowest, me.leader_epoch)
                highest = max(highest, me.leader_epoch)
        most = max(most, highest - lowest)
    return most


def divergent_suffix(s: Any) -> int:
    """Over how many offsets two logs of one partition differ, both having a record there, at most."""
    most = 0
    for partition in range(s.config.partitions):
        for one in range(s.config.members):
            for other in range(s.config.members):
                if one < other:
                    most = max(most, differing_offsets(s, partition, one, other))
    return most


def differing_offsets(s: Any, partition: Any, one: Any, other: Any) -> int:
    """Over how many offsets the two logs differ."""
    mine = s.replica[partition][one]
    theirs = s.replica[partition][other]
    count = 0
    for offset in range(s.config.log_size):
        if offset < min(mine.leo, theirs.leo) and not same_record(mine, theirs, offset):
            count += 1
    return count


def isr_view_lag(s: Any) -> int:
    """In how many members the ISR that leaders know differs from the published one, zombies included, at most."""
    most = 0
    for partition in range(s.config.partitions):
        for leader in range(s.config.members):
            if leads(s, partition, leader):
                count = 0
                known = s.replica[partition][leader].isr
                for broker in range(s.config.members):
                    if contains(known ^ s.zookeeper.leader_and_isr[partition].isr, broker):
                        count += 1
                most = max(most, count)
    return most


def uncommitted_leaders(s: Any) -> int:
    """How many brokers lead one partition at a time and hold records that are not committed, at most."""
    most = 0
    for partition in range(s.config.partitions):
        count = 0
        for broker in range(s.config.members):
            me = s.replica[partition][broker]
            if leads(s, partition, broker) and me.leo > me.hw:
                count += 1
        most = max(most, count)
    return most


MEASURES: dict[str, tuple[Callable[..., int], ...]] = {
    "kafka": (epochs_in_flight, divergent_suffix, isr_view_lag, uncommitted_leaders),
}


def measures_of(model: str) -> tuple[Callable[..., int], ...]:
    """The measures of the model of this name; a model may have none."""
    return MEASURES.get(model, ())
