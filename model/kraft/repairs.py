"""The repairs of Kafka's replication under KRaft, in the order of their releases; some are the ZooKeeper model's (KR8)."""

from ..language import Repair
from ..repairs import REPAIRS as OF_BROKERS

REPAIRS = (
    Repair("fenced-stay-out", "eligible", "active",
           "leader and controller let no broker into the ISR that is fenced or shutting down",
           "KR4", "KAFKA-13916", "3.3.0", "Partition.isReplicaIsrEligible, ReplicationControlManager.ineligibleReplicasForIsr"),
    Repair("same-registration", "eligible", "same-registration",
           "AlterPartition names the broker epoch of each member's last fetch, and the controller refuses an earlier one",
           "KR4", "KAFKA-14139", "3.5.0",
           "Partition.isBrokerEpochIsrEligible, ReplicationControlManager.ineligibleReplicasForIsr"),
    Repair("epoch-outlives-shrink", "shrink_epoch", "kept",
           "the leader epoch does not rise when the ISR shrinks and the leader stays",
           "KR6", "KAFKA-15021", "3.6.0", "PartitionChangeBuilder.triggerLeaderEpochBumpForIsrShrinkIfNeeded"),
    Repair("min-isr-commits", "under_min_isr", "waits",
           "the high watermark does not rise while the ISR is below min ISR",
           "KR5", "KAFKA-15583", "3.7.0", "Partition.maybeIncrementLeaderHW"),
    Repair("earlier-process-refused", "earlier_fetch", "refused",
           "a leader refuses a fetch that names an earlier registration than it knows",
           "KR4", "KAFKA-15221", "3.7.0", "Replica.updateFetchStateOrThrow", when_named=True),
    *(one for one in OF_BROKERS if one.source in ("KAFKA-14704", "KAFKA-18991")),
    Repair("unclean-shutdown-noticed", "unclean_registration", "removed",
           "a broker that registers after a crash is no eligible leader replica any more",
           "KR2", "KAFKA-18635", "4.0.0", "ReplicationControlManager.handleBrokerUncleanShutdown"),
    Repair("eligible-replicas", "recovery", "eligible-replicas",
           "the ISR may be empty: who left it below min ISR may be elected, and then the last leader",
           "KR3", "KIP-966", "4.1.0", "PartitionChangeBuilder.maybePopulateTargetElr"),
    Repair("no-fenced-leader", "last_leader", "active",
           "the last leader is elected again only while it is active",
           "KR3", "KAFKA-19522", "4.1.0", "PartitionChangeBuilder.canElectLastKnownLeader"),
    *(one for one in OF_BROKERS if one.setting == "lead_again" and one.release == "none"),
)  # fmt: skip
