"""What an operator changes while the cluster runs: min.insync.replicas, a feature level (KR3, KR5).

A broker learns a new min.insync.replicas with the log, after what the same delta says of its partitions
(BrokerMetadataPublisher.onMetadataUpdate). The level of eligible leader replicas is the controller's affair alone.
"""

from ..kraft_choices import ChangedMinIsr
from ..members import NO_BROKER
from ..vocabulary import Partition
from ..zookeeper.znodes import write_leader_and_isr
from .quorum import append_change, elr_is_on, has_room, min_isr_at_end
from .state import Kraft


def change_min_isr(s: Kraft, min_isr: int) -> bool:
    """An operator sets min.insync.replicas of the topic, to at most the replicas: Kafka counts with the smaller number.

    The controller counts with it at once, a leader once it has applied the log.

    Design: KIP-966 (KR5).   Kafka: ConfigurationControlManager.incrementalAlterConfigs, createClearElrRecordsAsNeeded.
    Modifies: zookeeper.leader_and_isr, metadata, spent.
    Reads: zookeeper, metadata (the log, which the controller writes).
    """
    if s.spent.min_isr_changes >= s.config.min_isr_changes:
        return False  # budget
    if min_isr == 0 or min_isr == min_isr_at_end(s) or min_isr > (s.config.replicas or s.config.brokers):
        return False
    if not has_room(s):
        return False

    s.spent.min_isr_changes += 1
    for place in range(s.config.eligible_partitions):
        clear_eligible(s, place)
    append_change(s, 0)
    s.metadata[0].change[s.metadata[0].length].min_isr[0] = min_isr
    return True


def clear_eligible(s: Kraft, partition: Partition) -> None:
    """Nobody is eligible, and nobody was the last leader, if the controller makes that of another min.insync.replicas.

    Kafka: ReplicationControlManager.removeTopicElrs.
    """
    log, node = s.metadata[0], s.zookeeper.leader_and_isr[partition]
    stays = s.config.changed_min_isr is ChangedMinIsr.STAY_ELIGIBLE or not elr_is_on(s)
    if s.config.changed_min_isr is ChangedMinIsr.CLEARED_WHILE_LED and node.isr == 0:
        stays = True
    if not stays and (log.elr[partition] != 0 or log.last_leader[partition] != NO_BROKER):
        log.elr[partition] = 0
        log.last_leader[partition] = NO_BROKER
        write_leader_and_isr(s, partition, node.leader, node.leader_epoch, node.isr)


def update_feature(s: Kraft) -> bool:
    """An operator turns eligible leader replicas on, or off: the level of the feature is 1, or 0.

    What was eligible before stays in the image until the next record about the partition.

    Design: KIP-584, KIP-966 (KR3).   Kafka: FeatureControlManager.updateFeature.
    Modifies: metadata, spent.
    """
    if s.spent.feature_changes >= s.config.feature_changes:
        return False  # budget

    s.spent.feature_changes += 1
    s.metadata[0].elr_feature[0] = 1 - s.metadata[0].elr_feature[0]
    return True
