"""Configuration of the Kafka model: sizes, faults, switches. Every default is the smallest useful one."""

from .language import Settings, UsageError, budget, choice, derived, size, switch
from .truncation.names import RULE_NAMES

RENDEZVOUS, IN_FLIGHT = 0, 1
COARSE, FINE = 0, 1
SERVING, EMPTY = 0, 1
LIVE_REPLICAS, ALL_REPLICAS = 0, 1
ALL, LEADER = 0, 1
HIGH_WATERMARK, RETRY = 0, 1
EPOCH_START, TERM_START = 1, 2
KAFKA_SWITCH, V3_SWITCH, OLDER_SWITCH = 0, 1, 2


class Config(Settings):
    """Sizes bound the exploration, faults are counted, switches choose between designs."""

    brokers = size(3, 1, 9, "brokers in the cluster")
    replicas = size(0, 0, 9, "replicas of each partition; 0: one on every broker")
    partitions = size(1, 1, 6, "partitions of the one topic")
    log_size = size(2, 1, 64, "offsets in a log")
    max_records = size(2, 1, 120, "batches that producers may write, all partitions together")
    max_batch = size(1, 1, 8, "records in the largest batch")
    max_epoch = size(2, 0, 30, "the last leader epoch; the first is 0")
    min_isr = size(1, 1, 9, "ISR members without which acks=all refuses a write")

    crashes = budget("brokers that stop and lose what was only in memory")
    power_losses = budget("crashes that also lose the unflushed end of the log")
    session_expiries = budget("ZooKeeper sessions that expire while their broker lives on", 1)
    message_losses = budget("OffsetsForLeaderEpoch exchanges that fail")
    controller_changes = budget("controllers that take over from another")
    preferred_elections = budget("elections of the preferred replica, requested or on schedule", 1)
    unclean_elections = budget("leaders elected from outside the ISR")
    lost_epoch_files = budget("leader-epoch caches that are lost in a crash")
    topic_deletions = budget("partitions that are deleted")
    reassignments = budget("partitions that an operator moves to other brokers (V3 F)")

    start = choice(["serving", "empty"], "whether the partitions already have leaders, or nothing is there yet")
    controller_steps = choice(["coarse", "fine"], "whether read, decide, write and send are one step")
    fetch = choice(["rendezvous", "in-flight"], "whether a fetch is one step of two brokers, or request and response")
    acks = choice(["all", "leader"], "when a producer's record is acknowledged")
    new_isr = choice(["live-replicas", "all-replicas"], "the ISR of a new partition (V3 B; ZH)")
    consumers = size(0, 0, 1, "consumers that read the partitions in order")
    controller_epoch = switch("brokers drop the commands of earlier controllers (D4)", 1)
    fenced_controllers = switch("a controller's writes fail once another was elected, as KAFKA-6082 made them (Z9)")
    broker_epochs = switch("what was sent to a broker before it restarted is refused, as KIP-380 made it (E1)")
    scheduled_elections = switch("the controller starts preferred elections by itself, beside those requested (I2)")
    stale_commands = switch("brokers obey commands whose leader epoch is not larger than their own (no C5)")
    ordered_stops = switch("StopReplica and the commands of one controller reach a broker in the order of sending (C6)", 1)
    keep_following = switch("a new epoch of the same leader restarts nothing: no truncation (V3 C, 2.2)")

    truncation = choice(RULE_NAMES, "the rule by which a follower cuts its log")
    checked_fetch = switch("a fetch tells the epoch of the last record, and the leader refuses another history")
    fenced = switch("requests carry the leader epoch and are refused in any other (T7)")
    admission = choice(
        ["high-watermark", "epoch-start", "term-start"],
        "what a follower must have reached to join the ISR",
    )
    failed_epoch_request = choice(["high-watermark", "retry"], "what follows a failed OffsetsForLeaderEpoch (T8)")
    reassignment = choice(["kafka", "v3", "v3-older"], "how a reassignment switches to the new replicas (V3 F; its older text)")

    members = derived(lambda c: c.brokers)
    epochs = derived(lambda c: c.max_epoch + 1)
    controllers = derived(lambda c: c.controller_changes + 1)
    offsets = derived(lambda c: c.log_size + 1)
    flights = derived(lambda c: c.log_size if c.fetch == IN_FLIGHT else 0)
    fetch_partitions = derived(lambda c: c.partitions if c.fetch == IN_FLIGHT else 0)
    checkpoints = derived(lambda c: c.log_size if c.crashes else 0)
    flushes = derived(lambda c: c.log_size if c.power_losses else 0)
    consumer_partitions = derived(lambda c: c.partitions if c.consumers else 0)
    batches = derived(lambda c: c.max_batch)
    moving_partitions = derived(lambda c: c.partitions if c.reassignments else 0)
    moves = derived(lambda c: 1 if c.reassignments else 0)
    moves_watched = derived(lambda c: 4 if c.reassignments else 0)
    watched = derived(lambda c: 4 if c.reassignments else 3)

    def check(self):
        """Settings that do not fit each other."""
        if self.replicas > self.brokers:
            raise UsageError(f"replicas = {self.replicas} is more than brokers = {self.brokers}: one broker holds one replica")
        if self.reassignments and self.replicas in (0, self.brokers):
            raise UsageError(
                f"reassignments = {self.reassignments} moves partitions to other brokers, but every broker has a replica: "
                "set replicas below brokers"
            )
