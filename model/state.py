"""Every variable of the Kafka model, one line each.

Read `ZooKeeper` first: what is published there is the truth (V3, overview). Then what a controller, a
broker and a replica know of it, which may be out of date. Then messages in flight. The history at the end is
not present in an implementation: only properties read it.
"""

from typing import TYPE_CHECKING

from .language import Record, State, flag, integer, many, one, one_of
from .language import member as broker
from .language import member_set as broker_set
from .metadata_log import Metadata
from .vocabulary import BROKERS, Changing, Moving, Phase, Producing, Purpose, Starting, Writing, epoch, offset, version

if TYPE_CHECKING:
    from .config import Config


class LeaderAndIsr(Record):
    """The znode /brokers/topics/[topic]/[partition]/leaderAndISR (V3 paths 4, Z4)."""

    version = version("grows with every write; 0: the node does not exist")
    leader = broker("the leader; NO_BROKER when the partition is offline")
    leader_epoch = epoch("grows with every decision of a controller")
    isr = broker_set("who may be elected without losing committed records")
    controller_epoch = integer(-1, "controller_changes", "the controller that decided last (V3 comment A.2)", -1)


class ZooKeeper(Record):
    """What the store holds."""

    sessions = broker_set("brokers whose session the store counts as alive (Z7)")
    broker_ids = broker_set("children of /brokers/ids: ephemeral, one per live session (Z2)")
    controller = broker("/controller: ephemeral, owned by the broker's session (Z1)")
    controller_epoch = integer(-1, "controller_changes", "/controller_epoch: the latest controller (D4)", -1)
    assigned = many(broker_set("brokers that hold a replica, AR; empty: no such partition"), "partitions", "Z3")
    preferred = many(broker("the first replica of AR, while preferred elections can happen"), "partitions", "Z3")
    leader_and_isr = many(LeaderAndIsr, "partitions", "Z4")
    preferred_election = many(flag("an election of the preferred replica is requested"), "partitions", "Z10")
    reassigned = many(
        broker_set("/admin/partitions_reassigned/[topic]/[partition]: RAR, who shall hold it; empty: no such node"),
        "moving_partitions",
        "Z5",
    )
    deleting = many(flag("the topic is to be deleted, or has been deleted in part"), "deleting_partitions", "B2")
    adding = many(
        broker_set("/admin/partitions_add/[topic]/[partition]: who shall hold it; empty: no node"), "changing_partitions", "Z6"
    )
    removing = many(flag("/admin/partitions_remove/[topic]/[partition] is there"), "changing_partitions", "Z6")
    adding_preferred = many(broker("the first of those who shall hold it: the preferred replica"), "preferred_additions", "Z6")
    reassigned_preferred = many(broker("the first of RAR, while preferred elections can happen"), "moving_partitions", "Z5")


class Controller(Record):
    """One controller, by controller epoch: what it remembers (V3 A, D)."""

    active = flag("it thinks that it is the controller")
    host = broker("the broker it runs on; NO_BROKER: one without replicas that does not fail")
    live = broker_set("/brokers/ids as it read them last")
    bounced = many(broker_set("who has registered again since it read them: the broker epoch is another one"), "registrations")
    dead_before = many(broker_set("who had died before it was elected, and has not returned (N9)"), "earlier_deaths")
    lapsed = many(flag("its leader was one of them, and it has decided on no other yet (N9)"), "lapsed_partitions")
    named_live = many(broker_set("who lives, as its last UpdateMetadata says (N9)"), "news")
    naming = many(broker_set("brokers to which that is on its way"), "news")
    failed = many(broker_set("members of its ISR that had failed at the last look (whole_changes)"), "looked_partitions")
    brokers_watch = integer(0, "watched", "0: set; n: fired, the n-th event that its broker has yet to see (Z8)")
    topics_watch = integer(0, "watched", "the same for /brokers/topics")
    moves_watch = integer(0, "moves_watched", "the same for /admin/partitions_reassigned")
    recovering = flag("it was elected and has not read the store yet (D.3)")
    known = many(flag("it has seen that the partition exists"), "partitions")
    init_sent = broker_set("brokers to which its LeaderAndIsr with the flag INIT is on its way (C2)")
    init_names = many(broker_set("brokers for which that request names the partition"), "partitions")
    unled = many(flag("it found the partition without a leader when it was elected (D.6)"), "unled_partitions")
    awaited = many(epoch("the election whose leader has yet to answer (M1)"), "awaiting_partitions")
    stopping = many(broker_set("brokers to which StopReplica is on its way (B2, F2)"), "partitions")
    fresh = many(flag("it has seen the partition appear, and has yet to give it a leader (B1)"), "vanishing_partitions")
    ending = many(flag("it has read that the topic is to be deleted (B2)"), "confirming_partitions")
    changing = many(one_of(Changing, "where it is with the addition or removal (H1, H2)"), "changing_partitions")
    added = many(broker_set("who shall hold the partition that it adds"), "changing_partitions")
    added_preferred = many(broker("the first of them, while preferred elections can happen"), "preferred_additions")
    isr_read = many(version("leaderAndISR's version when it looked and set a watch: another has fired it (M4)"), "watched_moves")
    stopped = many(broker_set("brokers that have confirmed StopReplica for a topic to be deleted (B2)"), "confirming_partitions")
    moving = many(one_of(Moving, "where it is with the reassignment (F1)"), "moving_partitions")


class Process(Record):
    """One broker as a process."""

    up = flag("the process runs")
    controller_epoch = integer(0, "controller_changes", "the latest controller whose command it obeyed (D4)")
    leaving = integer(0, "leavings", "it asks the controller to move its leaders away, or has stopped since (M3)")
    upgraded = integer(0, "upgrades", "it has restarted with the new release (T9)")
    exited = integer(0, "exits", "it has ended itself; nobody starts it again (N5)")
    registering = integer(0, "unknown_registrations", "it has registered in a new session, and has no answer yet (N3)")
    knows_live = many(broker_set("who lives, as the last UpdateMetadata said that it received (N9)"), "news")
    controller_watch = integer(0, "watched", "its watch on /controller: 0: set; n: fired, the n-th unseen event (Z8)")


class Slot(Record):
    """One offset of a log. Beyond its end, and below the batch with which it begins, all are zero: each log has one encoding."""

    hole = integer(0, "holes", "compaction has deleted it; what it was is kept for the properties")
    record = integer(0, "max_records", "which batch: a batch's records share the number; 0: none")
    epoch = integer(0, "max_epoch", "the leader epoch in which it was appended")


class Replica(Record):
    """One broker's copy of a partition, and what the broker knows of the partition."""

    exists = flag("the directory is there, on disk (C1, C6)")
    earlier_topic = integer(0, "topic_id_marks", "its directory has the id of the earlier topic of that name (KIP-516)")
    leo = offset("log end offset, on disk")
    log_start = integer(0, "log_starts", "log start offset, on disk: retention has deleted what lies below (KIP-107)")
    log = many(Slot, "log_size", "the records at offsets log_start .. leo - 1, on disk")
    epoch_start = many(integer(-1, "log_size", "where the epoch starts; -1: not in the cache", -1), "epochs", "on disk")
    flushed = integer(0, "flushes", "what survives a power loss (S4)")
    checkpoint = integer(0, "checkpoints", "high watermark on disk (C7)")
    hw = offset("high watermark; a crash leaves the checkpoint")
    no_hw = integer(0, "lost_marks", "its high watermark is -1, and `hw` the log's start: it was not in the log (KAFKA-3978)")
    no_checkpoint = integer(0, "lost_checkpoints", "the one on disk is -1")

    leader_epoch = epoch("the epoch of the command obeyed last (C5)")
    leader = broker("whom it follows; itself when it serves as leader; NO_BROKER when it does neither")
    isr = broker_set("leader: the ISR as it knows it")
    zk_version = version("leader: the version of leaderAndISR that it knows")
    moved = integer(0, "moves", "leader: its command named only RAR as the partition's replicas (F2)")
    term_start = offset("leader: its LEO when it began to serve")
    fetched_to = many(offset("leader: the LEO of a follower, as its last fetch told (G1)"), BROKERS)

    phase = one_of(Phase, "follower: what it does", "phases")
    failed = flag("follower: an append did not continue its log; it fetches no more (G8)")
    rounds = integer(0, "most_rounds", "follower: how many OffsetsForLeaderEpoch requests it has made since it follows (Q7)")
    asked_epoch = integer(-1, "asked_epochs", "follower: the epoch that it asks for, or the lowest of several (T3, T4)", -1)
    answer_epoch = epoch("follower: the epoch in the answer on its way (T1, T2)")
    answer_end = integer(-1, "log_size", "follower: the end offset in it; -1: undefined", -1)


class Start(Record):
    """What a starting broker has yet to do for one partition, and what it has read (V3 E)."""

    phase = one_of(Starting, "what it has yet to do")
    is_assigned = flag("it holds a replica, by /brokers/topics")
    version = version("leaderAndISR's")
    leader = broker("leaderAndISR's")
    leader_epoch = epoch("leaderAndISR's")
    isr = broker_set("leaderAndISR's")


class Command(Record):
    """A LeaderAndIsr request for one partition and epoch; it may arrive late, never or more than once."""

    leader = broker("who shall lead")
    isr = broker_set("the ISR it starts from")
    zk_version = version("the version of leaderAndISR after the decision was written")
    moved = integer(0, "moves", "it names only RAR as the partition's replicas, not AR + RAR (F2)")
    unsent = many(broker_set("brokers to which that controller has yet to send it"), "controllers")
    sent = many(broker_set("brokers to which that controller has sent it"), "controllers")
    overtaken = many(broker_set("those whose connection has closed since: it may come late, or never"), "connections")
    early = many(broker_set("brokers to which that controller sent it before it said who lives (N9)"), "news_controllers")


class Decision(Record):
    """A controller's write of leaderAndISR in flight to the store, based on what it read (V3 A.3)."""

    asked = flag("there is one")
    purpose = one_of(Purpose, "what it is about", "purposes")
    version = version("the version that was read: the condition of the write")
    leader = broker("who shall lead")
    leader_epoch = epoch("the epoch of the decision")
    isr = broker_set("the new ISR")


class IsrWrite(Record):
    """A leader's write of the ISR: request and answer (V3 G)."""

    phase = one_of(Writing, "how far it is; the last two are answers on their way")
    version = version("the condition of the write; once it is written, the node's new version")
    isr = broker_set("the ISR that is asked for")
    earlier = integer(0, "earlier_requests", "its request of an earlier epoch has yet to be answered by a controller (N12)")
    bounced = many(broker_set("KRaft: members of that ISR of which it names an earlier registration (KIP-903)"), "quorums")


class FetchRequest(Record):
    """A fetch request from a follower to a leader, with fetches in flight."""

    sent = flag("there is one")
    checked = integer(0, "checks", "the leader has compared its epochs, and has yet to take its offset (fetch_count = later)")
    orphaned = integer(0, "orphans", "1: its sender has ended; 2: and registered again; 3: it names no registration (KRaft)")
    fetch_offset = offset("the follower's LEO when it asked")
    leader_epoch = epoch("its leader epoch")
    last_epoch = epoch("the epoch of its last record")


class FetchResponse(Record):
    """The response to a follower; or to one that has turned away since it fetched, whose fetcher still waits (KAFKA-18991)."""

    sent = flag("there is one")
    leader = broker("of a late response, or of one that may be renewed: whose it is")
    fetch_offset = offset("the offset that was asked for")
    base_offset = offset("where its records start: the start of the batch that holds the fetch offset")
    hw = offset("the leader's high watermark")
    no_hw = integer(0, "lost_marks", "that is -1")
    log_start = integer(0, "log_starts", "the leader's log start offset")
    log = many(Slot, "flights", "its records, from the first slot on")


class FetchRefusal(Record):
    """A leader's answer to a fetch that shows another history: its largest epoch up to the follower's last, and where it ends."""

    sent = flag("there is one")
    leader = broker("whose it is")
    fetch_offset = offset("the offset that was asked for")
    epoch = epoch("the epoch; NO_EPOCH: it knows none so early")
    end = offset("its end")
    hw = integer(0, "raised_refusals", "the leader's high watermark (KAFKA-14704)")
    log_start = integer(0, "log_starts", "the leader's log start offset")


class ProduceRequest(Record):
    """A produce request with acks=all, as the broker that has appended its records knows it (produce_wait)."""

    phase = one_of(Producing, "how far it is", "produce_phases")
    end = offset("what the high watermark must reach")
    record = integer(0, "max_records", "the record that its producer will take for committed")


class Consumer(Record):
    """A consumer of one partition."""

    position = offset("the offset that it reads next")
    record = integer(0, "max_records", "the record that it read last")
    refused_in = epoch("the epoch of the leader that answered it out-of-range last")


class Client(Record):
    """A producer of one partition, and the view that it is served from (G9)."""

    leader = broker("whom it takes for the leader, as it read last")
    external_view = broker("the ExternalView: the leader that clients are told of (V3 discussion 6)")


class Alert(Record):
    """Alerts about one partition (M10)."""

    raised = flag("what was to be done for it took too long")


class Spent(Record):
    """Budgets used so far."""

    records = integer(0, "max_records", "batches written")
    crashes = integer(0, "crashes", "with and without power loss")
    power_losses = integer(0, "power_losses", "crashes that lost unflushed records")
    session_expiries = integer(0, "session_expiries", "sessions that expired under a living broker")
    fences = integer(0, "fences", "KRaft: living brokers that were fenced")
    early_registrations = integer(0, "early_registrations", "KRaft: brokers that registered again before they were fenced")
    unregistered_starts = integer(0, "unregistered_starts", "KRaft: brokers that fetched, and ended before they had registered")
    min_isr_changes = integer(0, "min_isr_changes", "KRaft: changes of min.insync.replicas")
    feature_changes = integer(0, "feature_changes", "KRaft: changes of a feature level")
    directory_reports = integer(0, "directory_reports", "KRaft: reports of the directory of a replica")
    recreations = integer(0, "recreations", "KRaft: topics deleted and created again")
    message_losses = integer(0, "message_losses", "OffsetsForLeaderEpoch exchanges that failed")
    preferred_elections = integer(0, "preferred_elections", "requests of operators, and elections on schedule")
    unclean_elections = integer(0, "unclean_elections", "leaders from outside the ISR")
    compactions = integer(0, "compactions", "records deleted by compaction")
    retentions = integer(0, "retentions", "times that a log's start was moved up")
    lost_epoch_files = integer(0, "lost_epoch_files", "leader-epoch caches lost")
    exchanged_directories = integer(0, "exchanged_directories", "log directories exchanged for a copy")
    topic_deletions = integer(0, "topic_deletions", "partitions deleted")
    reassignments = integer(0, "reassignments", "partitions that were to move")
    cancelled_moves = integer(0, "cancelled_moves", "moves that were cancelled")
    ignored_commands = integer(0, "ignored_commands", "requests that a broker dropped by a bug")
    failed_commands = integer(0, "failed_commands", "requests that a broker gave up half-way")
    lost_answers = integer(0, "lost_answers", "writes whose answer was lost")
    topic_recreations = integer(0, "topic_recreations", "deleted partitions created again")
    partition_additions = integer(0, "partition_additions", "partitions that were to be added")
    partition_removals = integer(0, "partition_removals", "partitions that were to be removed")
    controlled_shutdowns = integer(0, "controlled_shutdowns", "brokers that asked to be shut down")
    lost_brokers = broker_set("brokers that will never come back")
    emptied_disks = integer(0, "emptied_disks", "disks that were lost while their broker was down")


class History(Record):
    """What happened to one partition. Not present in an implementation; only properties read it."""

    record = many(integer(0, "max_records", "the record committed at the offset; 0: none"), "log_size")
    commit_epoch = many(epoch("the leader epoch in which it was committed"), "log_size")
    acknowledged = many(integer(0, "max_records", "acks=leader: the record acknowledged at the offset; 0: none"), "log_size")
    answered = many(integer(0, "max_records", "acks=all: the record whose producer was told of the offset"), "answered_offsets")
    assured = many(integer(0, "max_records", "the record acknowledged with acks=all at the offset"), "assured_offsets")
    served = epoch("the highest epoch in which a broker served as leader")
    server = broker("that broker")
    unclean_epoch = epoch("the latest epoch whose leader was elected from outside the ISR (A3)")
    contradicted = flag("two different records were committed at one offset")
    lost = flag("an unclean election lost committed records")


class Generation(Record):
    """A topic that is created again under its old name (Q14). Not present in an implementation; only properties read it."""

    born = integer(0, "max_records", "how many batches had been written then: those are an earlier generation's")
    again = flag("it was created again")
    obeyed = broker_set("brokers whose replica has obeyed a command of the present generation")


class Kafka(State):
    """The whole state."""

    config: "Config"
    zookeeper = one(ZooKeeper, "what is published")
    metadata = many(Metadata, "quorums", "KRaft: the log of metadata")
    controller = many(Controller, "controllers", "every controller, by controller epoch")
    broker = many(Process, BROKERS, "the processes")
    replica = many(many(Replica, BROKERS), "partitions", "the replicas, by partition and broker")
    start = many(many(Start, BROKERS), "starting_partitions", "what starting brokers have yet to do, by partition and broker")
    decision = many(many(Decision, "controllers"), "asking_partitions", "controllers' writes on their way, by partition")
    isr_write = many(many(IsrWrite, BROKERS), "asking_partitions", "leaders' writes on their way, by partition")
    command = many(many(Command, "epochs"), "commanded_partitions", "LeaderAndIsr requests, by partition and epoch")
    earlier_command = many(many(Command, "epochs"), "recreated_partitions", "of a deleted topic, by partition and epoch (Q14)")
    fetch_request = many(many(many(FetchRequest, BROKERS), BROKERS), "fetch_partitions", "by partition, leader, follower")
    fetch_response = many(many(FetchResponse, BROKERS), "fetch_partitions", "by partition and follower")
    late_response = many(many(FetchResponse, BROKERS), "late_partitions", "by partition and follower")
    fetch_refusal = many(many(FetchRefusal, BROKERS), "refusal_partitions", "by partition and follower")
    produce_request = many(many(ProduceRequest, BROKERS), "produce_partitions", "by partition and broker")
    consumer = many(Consumer, "consumer_partitions", "by partition")
    client = many(Client, "client_partitions", "by partition")
    alert = many(Alert, "alert_partitions", "by partition")
    spent = one(Spent, "what the fault budgets have paid for")
    history = many(History, "partitions", "ghosts")
    generation = many(Generation, "recreated_partitions", "ghosts")
