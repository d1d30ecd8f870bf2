"""Kafka's replication under ZooKeeper: what is modelled, what is left out, where to start.

A cluster of N brokers holds one topic with P partitions. ZooKeeper holds what is published; one broker is the
controller and decides who leads; leaders and followers replicate logs of records in batches. Everything that may
happen is an action: a function of the state that refuses or writes. `next` lists all of them, by actor.

Read in this order:
  vocabulary, state       every variable, one line each: the store, what controllers, brokers and replicas believe
  initial_state, next     the initial states, and what can happen
  zookeeper/              sessions, one-shot watches, conditional writes (Z1-Z5, Z7, Z8, Z10, Z11)
  controller/             V3 A, B, D, F, H and preferred elections (A1-A6, B1, B2, D1-D4, F1-F4, H1, H2, I1, I2, J1, L1)
  broker/                 roles, replication, failure: V3 C, E, G (C1-C7, E1, E2, G1-G10)
  truncation/             one file per rule by which a follower cuts its log (T0-T9)
  revisions, config       V3 as written and Kafka's releases, as rows of switches; sizes and fault budgets; `widths` of variables
  repairs                 what each switch repairs: its source, and the release that first had it
  history, normal_form    what only properties remember; what exploration may forget
  kraft/                  the family under KRaft: the same brokers, and a log of metadata (`metadata_log`, `kraft_choices`)
  published/              another model: the published TLA+ abstraction. language/: how models are written
  strategies/, designs/   small models: commit by the ISR or by a majority; the designs before the controller

Where the model is coarser than an implementation, and what that hides:
  - Time is not modelled: a session may expire, a follower may be late, at any moment. More can happen than in a
    cluster; questions about long or short timeouts cannot be asked.
  - With store = atomic a write to the store, its answer and what follows are one step, and no answer is lost; with
    store = answered these are separate steps for leaders and controllers. Registering is one step in both. How a deleted
    topic's nodes are deleted is a setting (`deletion`).
  - Commands are per partition and may be lost (never obeyed), late and repeated (`repeated_commands`), and in any order or in
    that of one connection (`command_order`); several partitions in one request (A6) are several commands. INIT is one request.
    With command_order = log none is lost; each partition is read separately, as if it had a log to itself, and sessions are
    ZooKeeper's still: the smallest model that has the election of KRaft. `kraft/` has the log, registrations and KIP-966.
    The only response is a new leader's, with elections = answered (M1).
  - A partition is reassigned to brokers around the ring (J1), not to any set of them; the time that a replica needs to
    catch up, and the agent's interval of 30 seconds (V3 F), may be any time.
  - A new controller reads all of the store in one step; a change in between is the same as one after. A starting broker
    reads and acts in steps in v3, and in one step in the releases before 2.2, although Kafka's brokers read no roles and wait
    for the controller (start_up = told): an unnoticed restart is hidden (docs/findings.md). Sending is a separate step only
    with store = answered.
  - Kafka finishes one event before it begins the next. In the releases a controller elects for each leader that has failed, and
    removes each follower that has failed, before it looks at the live brokers again (whole_changes = 1). Other events may come
    between; in a reassignment it looks at the ISR at any time, unless isr_watch = 1. So more can happen than in a cluster.
  - In v3 a follower whose fetch lies beyond its leader's log is answered with nothing, as V3 G says. In the releases it is
    answered out-of-range (`fetch_beyond_end`). A broker that exits by it is not started again.
  - The high watermark in an answer is read after the leader has counted the fetch, as V3 G says. Kafka (but 1.0.0 to 1.1.0) reads
    that of an answer with records before. Tried at the default sizes of each release and in 40 smaller ones: no verdict differs.
  - A follower whose fetch shows another history may join the ISR of a leader with an empty log. Kafka's, since 2.8.1, cuts first.
  - A follower that truncates by the answer to a fetch, and does not know the epoch in it, cuts to the smaller of both ends, as
    the published specification does. Kafka's cuts to its own end of older epochs, and again at the next fetch.
  - A follower deletes what its leader deleted: since 0.11 (KIP-107); before, each by its own age and size. With truncation =
    to-high-watermark `retentions` is refused. What retention leaves is a setting (`retention_limit`, KAFKA-5634).
  - Records are numbers, batches are not compressed. What compaction and retention delete is deleted on disk at once, and
    segments end where batches do.
  - A follower's high watermark is at most the end of its log (G2), in v3 too, where V3 G takes over the leader's.
  - In v3 a leader never removes itself from the ISR, a new controller looks at a partition without a leader until it has one (V3
    D.6: once), and elects for a failed leader also without a new event (V3 A: when the watch fires). INIT names what AR has.
  - A high watermark is below the log's start only after its log was thrown away (`anew_high_watermark`). Before 2.4 Kafka's may
    also be after a restart, until the next fetch. One of -1 (`stray_high_watermark`) stays until all of the ISR has fetched from
    above 0.
  - The end of a log that is cut within a batch is the start of the batch. In Kafka's memory it is the offset of the cut.
  - From 2.1 to 2.4 Kafka compares the epoch of the first fetch of a session only (KAFKA-9338). Without `fenced_fetches` the model
    compares none, as if each follower had a session with its leader already: the next fetch of a refused one is accepted. After
    a restart of the leader an older follower would be refused, and would wait for the next command.
  - Who sees an event sets its watch again, also a broker that lost the race for /controller; V3 D.2 does not say so.
  - A leader commits what its ISR has. Since 0.10.2 Kafka's also waits for a replica outside it that was caught up recently.
  - A leader removes one late follower from its ISR with each write. Kafka's removes all late ones with one.
  - A batch is appended at the end of a log or not at all. Kafka 0.10 appends a compressed one that begins before it.
  - A follower obeys a command that names a dead leader. Kafka's keeps its role if it knows that the leader is dead.
  - A broker that starts deletes what is not assigned to it, as V3 E.4 says, unless start_up = told. No release under
    ZooKeeper does.
  - A new controller creates /controller and writes /controller_epoch in one step. Up to 2.0 these are two (KAFKA-6082).
  - A follower without an epoch cuts to its high watermark. In 0.11 to 2.0 it asks, here only where records carry no epochs
    (`message_format`) and a leader without one answers with its end (KAFKA-6857).
  - A broker that starts and finds no leader knows the published epoch, as V3 E.2 reads it, unless start_up = told. Kafka's
    knows none.
  - A controller whose session has ended resigns, and its broker registers anew, in one step. Up to 1.0 Kafka's handles the events
    that it had queued before it resigns: there an expired session is enough for KAFKA-2729.
  - StopReplica has no leader epoch. Since 2.6 Kafka's has one (KIP-570), which matters only if requests change their order. A
    command has no topic id. Since 2.8 Kafka's has one (KIP-516), and refuses that of an earlier topic of the same name.
  - StopReplica deletes the checkpoint of the high watermark. Kafka's stays on disk for some seconds; if the broker crashes in
    between and holds a replica again, that begins there.
  - A follower whose fetch is refused because no epoch is common cuts to the leader's log start. Kafka's cuts to where the
    leader's first epoch starts, which is later if compaction has deleted what was before.
  - A leader's request for another ISR (isr_writer = controller) reaches any controller in office. It is lost if the leader dies.
    A broker has one such request on its way for each partition; Kafka's has one for all.
  - A broker learns of a new controller from a command that it obeys. Kafka's learns from any request (D4).
    docs/brokers.md says what each release does in six of these cases; docs/findings.md what real brokers did.
  - Clients ask any broker that believes it leads, so they find a zombie too; with clients = 1 they use what is published (G9).
  - With controller_changes = 0 and start = serving the controller runs on a broker apart that does not fail.

Not modelled: StopReplica without deletion, which a controlled shutdown sends (M3); disks that fail while their broker lives
(KIP-112, 1.0); transactions (KIP-98, 0.11); tiered storage (KIP-405, 3.6). The designs before V3 are a separate model
(`designs`), and so are commit by ISR and by majority (`strategies`).
"""
