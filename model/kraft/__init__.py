"""Kafka's replication under KRaft: the same brokers as under ZooKeeper, and a log of metadata that tells them what to do.

The broker's half is shared by import: logs, fetches, truncation, high watermarks, the leader's ISR, crashes (`broker/`,
`truncation/`). What the log says at its end stands where ZooKeeper's nodes stand (`metadata_log`).

  config          settings; what only a cluster with ZooKeeper has is fixed
  quorum          what the controller appends, and when there is room
  elections       ISR, eligible replicas, leader and epoch of a partition together
  life            registrations: fenced, unfenced, registered again, in controlled shutdown
  dynamic_configs min.insync.replicas and a feature level, which an operator changes
  directories     a replica moves to another directory of its broker
  topics          a topic is deleted, and created again under its name
  decisions       preferred and unclean elections, AlterPartition
  reassignment    who shall hold a partition; `moves`: until all of them are in the ISR
  images          a broker applies the log, several changes as one delta
  normal_form     the window begins where all running brokers have applied the log
  revisions, next the releases; every action on one page; `repairs`, `unmodelled`: issue by issue

Where the model is coarser than Kafka, and what that hides:
  - The controller is one process that does not fail, and its log is never cut: elections in the quorum, and a controller that was
    replaced and does not know it (KAFKA-14154), are Raft's affair.
  - At most `window` changes are on their way to brokers: the controller waits until all running brokers have applied the first of
    them. A broker that is later than that is not explored; one that is down waits for none.
  - A batch of records that the controller writes at once is one change, and a broker applies it whole. It applies what it has
    fetched up to any change.
  - A broker starts, registers and applies the log up to its registration in one step. Where it registers between the end of its
    session and its fencing, and leaves every ISR with that (since 4.0), fencing and registration are two steps.
  - An answer INELIGIBLE_REPLICA is one step with the refusal. A request that was refused for another reason is not sent again in
    its leader epoch until the log has told the leader what it says.
  - Of the order of a partition's replicas only the first is known, and only while preferred elections can happen; else any that
    may lead is elected; while a partition moves, the first in their order. Several partitions that need a leader at once get the
    same one, if it may lead, or the only one that may.
  - A partition moves to the next brokers around the ring that are not fenced, as many as it has; a move that would leave only
    replicas outside the ISR is not cancelled.
  - Unclean elections are a step of their own, also where the configuration has them happen with the fencing.
  - A broker in controlled shutdown is fenced and stops in one step.
  - A leader commits what its ISR has. Kafka's also waits for a replica outside it that was caught up recently and may join.
  - min.insync.replicas is one value for all partitions, and of the feature levels only that of eligible leader replicas changes.
    Others (metadata.version) would be another revision in the middle of a run.
  - A topic is deleted and created again, on the same brokers, with one change; what brokers do for the earlier one until they
    apply that is left out. So is AlterPartition up to 3.2, which names a topic and not its id.
  - Time is not modelled: a broker that lives is fenced at any moment, within a budget.

Not modelled: topics that are created, or deleted for good; the migration from ZooKeeper; directories that
fail (KIP-858). With one partition a failed directory is a crash of its broker whose disk is lost: ISR and leader change in one
batch of records, as when it is fenced (ReplicationControlManager.handleDirectoriesOffline). Left out are a broker that serves one
partition while another's directory has failed, and so stays unfenced, and a directory assignment that the controller hears late.
A replica that moves to another directory is copied, reported and exchanged in one step, unless its broker ends in between
(`crash_while_moving`). Its report is in the same step, so it follows no other one; that a broker which has applied later
metadata reports the old directory again is not asked. Nor is tiered storage modelled (KIP-405).
"""
