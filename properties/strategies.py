"""What ZH claims of its two strategies: no committed record is lost, and new records can be committed (K2, Q12)."""

from ..model.members import contains
from ..model.strategies.replication import leader_runs, same_record
from ..model.strategies.state import Commit, Config, Strategies
from ..model.vocabulary import Broker, Offset
from .property import always, leads_to, recoverable, sometimes

ISR = "isr"


def no_committed_data_loss(s: Strategies, offset: Offset) -> bool:
    """A leader has every record that was ever committed: what was acknowledged can be read."""
    if not leader_runs(s) or s.committed[offset] == 0:
        return True
    me = s.replica[s.leader]
    return offset < me.leo and me.log[offset].record == s.committed[offset]


def commits_agree(s: Strategies) -> bool:
    """No two leaders commit different records at one offset."""
    return s.contradicted == 0


def followers_have_a_prefix(s: Strategies, follower: Broker, offset: Offset) -> bool:
    """The log of a follower in the present epoch is a prefix of its leader's."""
    if s.replica[follower].epoch != s.epoch or offset >= s.replica[follower].leo:
        return True
    return offset < s.replica[s.leader].leo and same_record(s, follower, s.leader, offset)


def isr_has_committed(s: Strategies, broker: Broker, offset: Offset) -> bool:
    """Every member of the ISR has every committed record, because any member may be elected."""
    if not contains(s.isr, broker) or s.committed[offset] == 0:
        return True
    return offset < s.replica[broker].leo and s.replica[broker].log[offset].record == s.committed[offset]


def commits_record(s: Strategies) -> bool:
    """A record is committed."""
    return s.hw > 0


def commits_after_failover(s: Strategies) -> bool:
    """A later leader commits a record."""
    return s.hw > 0 and s.epoch > 0


def leader_can_serve(s: Strategies) -> bool:
    """Whatever has failed, a leader can run again. Otherwise nothing is written or read."""
    return leader_runs(s)


def write_can_be_committed(s: Strategies) -> bool:
    """Whatever has failed, the next write can be committed: a leader runs, and so does every replica that it waits for."""
    return waits_for_nobody_dead(s)


def waits_for_nobody_dead(s: Strategies) -> bool:
    """A leader runs, and every replica that must have a record before it is committed runs and follows the leader."""
    if not leader_runs(s):
        return False
    following = 0
    for broker in range(s.config.members):
        if s.replica[broker].up and s.replica[broker].epoch == s.epoch:
            following += 1
        elif contains(s.isr, broker):
            return False
    return s.config.commit is Commit.ISR or following >= s.config.majority


def is_interrupted(s: Strategies) -> bool:
    """No leader runs, or it waits for a replica that has stopped."""
    return not waits_for_nobody_dead(s)


def writes_are_committed_again(s: Strategies) -> bool:
    """After a failure the next write is committed again, if every part takes its steps."""
    return waits_for_nobody_dead(s)


def fails_over(config: Config) -> bool:
    """A leader may stop, and another may be elected."""
    return config.crashes > 0 and config.brokers > (2 if config.commit else 1)


STRATEGIES_PROPERTIES = (
    always(no_committed_data_loss, since=ISR),
    always(commits_agree, since=ISR),
    always(followers_have_a_prefix, since=ISR),
    always(isr_has_committed, since=ISR, needs="commit = isr"),
    sometimes(commits_record, since=ISR),
    sometimes(commits_after_failover, since=ISR, needs=fails_over, where="a crash, and replicas that are left to elect"),
)

STRATEGIES_PROGRESS = (
    recoverable(leader_can_serve, since=ISR),
    recoverable(write_can_be_committed, since=ISR),
    leads_to(is_interrupted, writes_are_committed_again, since=ISR),
)
