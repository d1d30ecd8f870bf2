"""The variables that only KRaft has: the log of metadata, as far as not all brokers have applied it, and what follows from it.

What the log says at its end stands where ZooKeeper's nodes stand: `zookeeper.leader_and_isr` (whose version is the partition
epoch), `zookeeper.assigned`, and `zookeeper.broker_ids`, the brokers that are not fenced.
"""

from .language import Record, flag, integer, many
from .language import member as broker
from .language import member_set as broker_set
from .vocabulary import BROKERS, epoch, version


class Image(Record):
    """What the log says of a partition after one change."""

    leader = broker("the leader; NO_BROKER when it has none")
    leader_epoch = epoch("its leader epoch")
    version = version("its partition epoch: grows with every record about it")
    isr = broker_set("its ISR")
    replicas = many(broker_set("who holds a replica, while partitions can move"), "moves")


class Change(Record):
    """What the log says after one change: a batch of records that the controller wrote at once."""

    active = broker_set("brokers that are neither fenced nor in controlled shutdown")
    bounced = broker_set("who has registered again with this change, under another broker epoch")
    min_isr = many(integer(0, "members", "min.insync.replicas, while that can change"), "changing_min_isrs")
    image = many(Image, "partitions", "by partition")


class Metadata(Record):
    """The quorum: its log from the first change that a running broker has yet to apply, and what only the controller uses."""

    change = many(Change, "kept_changes", "the first has been applied by all running brokers; the log ends with number `length`")
    length = integer(0, "window", "changes that not all running brokers have applied")
    applied = many(integer(0, "window", "the change up to which it has applied the log"), BROKERS)
    leaving = broker_set("brokers in controlled shutdown")
    left_at = many(integer(0, "shutdown_window", "the change with which its controlled shutdown began"), BROKERS)
    elr = many(broker_set("eligible leader replicas, while the ISR is below min ISR (KIP-966)"), "eligible_partitions")
    adding = many(broker_set("who was added by the reassignment in progress (KR7)"), "moving_partitions")
    born_at = many(
        integer(0, "window", "the change with which its name was given to another topic"), "recreated_topics", "KIP-516"
    )
    elr_feature = many(flag("eligible leader replicas are on, while that can change"), "changing_features")
    last_leader = many(broker("the last leader of a partition whose ISR has become empty (KIP-966)"), "eligible_partitions")
