"""The model's store and a real one, side by side: the same operations, the same results.

A client of the real store is a broker of the model. The model is driven below its actions, by the functions
that they write the store with (`model/zookeeper`), so that the store may come into states that Kafka avoids.

Where Kafka's use differs from the general store, and the machine allows for it:
- the model counts a node's version from 1, with 0 for no node; ZooKeeper counts from 0;
- the model's brokers always keep a watch on /controller, and its controllers on the two folders, from their
  first read on; a client of ZooKeeper has the watches that it asked for;
- a child watch fires in the model when a broker registers and when its session ends; the data of the children is
  not watched, in Kafka neither;
- a session's end and the deletion of its ephemeral nodes are one step in both, but a client learns of it later;
- when a session ends with a registration and /controller, the model fires the watch on the registrations first. ZooKeeper
  takes the two in the order of a hash set of their whole paths, so here either order agrees. Only this machine sees the
  difference: in the states that the model reaches no client has both watches set.
"""

import itertools
import threading
from contextlib import suppress

from highwater.model.controller.memory import resign
from highwater.model.members import NO_BROKER, contains
from highwater.model.zookeeper.sessions import watch_controller_path
from highwater.model.zookeeper.watches import fire_topics_watch, has_session, see_event
from highwater.model.zookeeper.znodes import (
    create_controller_path,
    delete_controller_path,
    delete_leader_and_isr,
    end_session,
    register_broker,
    write_leader_and_isr,
)
from highwater.properties.registry import KAFKA
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from kazoo.client import KazooClient
from kazoo.exceptions import BadVersionError, ConnectionLoss, NodeExistsError, NoNodeError, RolledBackError, RuntimeInconsistency
from kazoo.handlers.threading import KazooTimeoutError, SequentialThreadingHandler
from kazoo.protocol.states import Callback, KazooState

BROKERS, PARTITIONS = 3, 2
OK, EXISTS, NO_NODE, BAD_VERSION = "ok", "node exists", "no node", "bad version"
ERRORS = {NodeExistsError: EXISTS, NoNodeError: NO_NODE, BadVersionError: BAD_VERSION}
CONTROLLER, IDS, TOPICS = "/controller", "/brokers/ids", "/brokers/topics"

brokers = st.integers(0, BROKERS - 1)
partitions = st.integers(0, PARTITIONS - 1)
versions = st.integers(0, 4)
numbers = itertools.count()


def outcome(operation, *arguments, **named):
    """What a real operation answers: ok, or its error."""
    try:
        operation(*arguments, **named)
    except tuple(ERRORS) as error:
        return ERRORS[type(error)]
    return OK


AT_ONCE = {"max_tries": -1, "delay": 0.01, "backoff": 1, "max_jitter": 0}
"""A client that lost its connection tries again soon, and not after a pause that grows with bad luck."""


class Client:
    """A session with the real store, and the watch events that it has been told of, in order."""

    def __init__(self, port, folder):
        self.events = []
        for left in reversed(range(10)):
            try:
                self._begin(port, folder)
                break
            except KazooTimeoutError:  # once in many runs the server does not read what a client begins with
                if not left:
                    raise

    def _begin(self, port, folder):
        """Connect. By itself Kazoo would wait for two thirds of the session's time before it tries again."""
        self.lost = lost = threading.Event()
        handler = SequentialThreadingHandler()
        self.kazoo = KazooClient(f"127.0.0.1:{port}{folder}", timeout=60, handler=handler, connection_retry=AT_ONCE)
        self.kazoo.add_listener(lambda state: lost.set() if state == KazooState.LOST else None)
        self.kazoo.start(timeout=10)

    def lose_session(self, port, folder):
        """Another client takes the session and closes it; this one asks for something until it knows that it has lost it.

        It may take the session back first, since it tries again so soon: then it is still connected, and loses it once more.
        """
        session = self.kazoo.client_id
        for _ in range(20):
            thief = KazooClient(f"127.0.0.1:{port}{folder}", timeout=60, client_id=session)
            with suppress(ConnectionLoss):  # it was taken back just when the thief asked for its root
                thief.start(timeout=120)
            thief.stop()
            thief.close()
            for _ in range(30):
                self.kazoo.exists_async("/")
                if self.lost.wait(0.1):
                    return
        raise AssertionError("the client does not learn that its session has expired")

    def watch(self, path):
        """Read and set the watch: of the node itself, or of a folder's children."""

        def told(event):
            self.events.append(event.path)

        if path == CONTROLLER:
            self.kazoo.exists(path, watch=told)
        else:
            self.kazoo.get_children(path, watch=told)

    def settle(self):
        """Wait until every event that the server had for this session before now has been told."""
        self.kazoo.exists("/")
        done = threading.Event()
        self.kazoo.handler.dispatch_callback(Callback("watch", done.set, ()))
        assert done.wait(30)

    def close(self):
        self.kazoo.stop()
        self.kazoo.close()


class Pair(RuleBasedStateMachine):
    """Both stores; `server` is set by the test."""

    server = None

    def __init__(self):
        super().__init__()
        settings = {"brokers": BROKERS, "partitions": PARTITIONS, "controller_changes": 9, "start": "empty"}
        config = KAFKA.configure("kip-320", **settings)
        self.s = KAFKA.initial_states(config)[0]
        self.s.zookeeper.sessions = self.s.zookeeper.broker_ids = 0
        for broker in self.s.broker:
            broker.controller_watch = 0
        self.folder = f"/pair{next(numbers)}"
        self.operator = Client(self.server.port, "")
        for path in (IDS, TOPICS, "/state"):
            self.operator.kazoo.ensure_path(self.folder + path)
        self.operator.close()
        self.operator = Client(self.server.port, self.folder)
        self.clients = {}

    # Sessions and ephemeral nodes.

    @rule(broker=brokers)
    def register(self, broker):
        """Begin a session with the ephemeral node of the broker; a second node of the name is refused."""
        path = f"{IDS}/{broker}"
        if broker in self.clients:
            assert contains(self.s.zookeeper.broker_ids, broker)
            assert outcome(self.clients[broker].kazoo.create, path, b"", ephemeral=True) == EXISTS
            return
        client = self.clients[broker] = Client(self.server.port, self.folder)
        assert outcome(client.kazoo.create, path, b"", ephemeral=True) == OK
        client.watch(CONTROLLER)
        register_broker(self.s, broker)
        watch_controller_path(self.s, broker)
        self.s.broker[broker].controller_watch = 0  # that there is no controller is read, not told by a watch

    @precondition(lambda self: self.clients)
    @rule(choice=brokers, closed=st.booleans())
    def expire(self, choice, closed):
        """A session ends: its client closes it, or the server takes it away from a client that lives on."""
        broker = sorted(self.clients)[choice % len(self.clients)]
        client = self.clients.pop(broker)
        if not closed:
            client.lose_session(self.server.port, self.folder)
        client.close()
        before = {other: len(self.unseen(other)) for other in self.clients}
        end_session(self.s, broker)
        resign(self.s, broker)
        self.s.broker[broker].controller_watch = 0
        assert not has_session(self.s, broker)
        for other, client in self.clients.items():
            both = self.unseen(other)[before[other] :]
            if len(both) == 2:
                client.settle()
                assert set(client.events[-2:]) == set(both)
                client.events[-2:] = both

    # /controller: only one creation wins.

    @precondition(lambda self: self.clients and self.s.zookeeper.controller_epoch < 9)
    @rule(choice=brokers)
    def create_controller(self, choice):
        """A broker in session tries to become controller, and then reads both folders with a watch."""
        broker = sorted(self.clients)[choice % len(self.clients)]
        client = self.clients[broker]
        found = outcome(client.kazoo.create, CONTROLLER, str(broker).encode(), ephemeral=True)
        if self.s.zookeeper.controller != NO_BROKER:
            assert found == EXISTS
            return
        assert found == OK
        create_controller_path(self.s, broker)
        me = self.s.controller[self.s.zookeeper.controller_epoch]
        if not any(c.active and c.host == broker for c in self.s.controller):
            me.active, me.host = 1, broker
            client.watch(IDS)
            client.watch(TOPICS)

    @rule()
    def delete_controller(self):
        """An operator deletes /controller."""
        found = outcome(self.operator.kazoo.delete, CONTROLLER)
        if self.s.zookeeper.controller == NO_BROKER:
            assert found == NO_NODE
        else:
            assert found == OK
            delete_controller_path(self.s)

    # leaderAndISR: conditional writes.

    @precondition(lambda self: self.clients)
    @rule(choice=brokers, partition=partitions)
    def create_state(self, choice, partition):
        """The first write creates the node."""
        broker = sorted(self.clients)[choice % len(self.clients)]
        found = outcome(self.clients[broker].kazoo.create, f"/state/{partition}", str(broker).encode())
        if self.s.zookeeper.leader_and_isr[partition].version > 0:
            assert found == EXISTS
        else:
            assert found == OK
            write_leader_and_isr(self.s, partition, broker, 0, 1 << broker)

    @precondition(lambda self: self.clients)
    @rule(choice=brokers, partition=partitions, known=versions, present=st.booleans())
    def write_state(self, choice, partition, known, present):
        """A write on condition of a version: the present one, or any."""
        broker = sorted(self.clients)[choice % len(self.clients)]
        node = self.s.zookeeper.leader_and_isr[partition]
        known = max(1, node.version if present else known)
        found = outcome(self.clients[broker].kazoo.set, f"/state/{partition}", str(broker).encode(), version=known - 1)
        if node.version == 0:
            assert found == NO_NODE
        elif node.version != known:
            assert found == BAD_VERSION
        else:
            assert found == OK
            write_leader_and_isr(self.s, partition, broker, 0, 1 << broker)

    @rule(partition=partitions)
    def delete_state(self, partition):
        """A deleted node begins again with its first version."""
        found = outcome(self.operator.kazoo.delete, f"/state/{partition}")
        if self.s.zookeeper.leader_and_isr[partition].version == 0:
            assert found == NO_NODE
        else:
            assert found == OK
            delete_leader_and_isr(self.s, partition)

    @precondition(lambda self: self.clients)
    @rule(choice=brokers, known=st.tuples(versions, versions), present=st.booleans())
    def write_both(self, choice, known, present):
        """A multi (Z9): both conditional writes, or none."""
        broker = sorted(self.clients)[choice % len(self.clients)]
        nodes = self.s.zookeeper.leader_and_isr
        known = [max(1, nodes[p].version if present else known[p]) for p in range(PARTITIONS)]
        transaction = self.clients[broker].kazoo.transaction()
        for partition in range(PARTITIONS):
            transaction.set_data(f"/state/{partition}", str(broker).encode(), version=known[partition] - 1)
        answers = transaction.commit()
        expected = [
            NO_NODE if node.version == 0 else OK if node.version == version else BAD_VERSION
            for node, version in zip(nodes, known, strict=True)
        ]
        first = next((p for p in range(PARTITIONS) if expected[p] != OK), None)
        for partition in range(PARTITIONS):
            if first is None:
                write_leader_and_isr(self.s, partition, broker, 0, 1 << broker)
                assert not isinstance(answers[partition], Exception)
            elif partition == first:
                assert ERRORS[type(answers[partition])] == expected[partition]
            else:
                assert isinstance(answers[partition], (RolledBackError, RuntimeInconsistency))

    # Topics, and watches.

    @rule(partition=partitions)
    def create_topic(self, partition):
        """The children of /brokers/topics change."""
        found = outcome(self.operator.kazoo.create, f"{TOPICS}/{partition}", b"")
        if self.s.zookeeper.assigned[partition]:
            assert found == EXISTS
        else:
            assert found == OK
            self.s.zookeeper.assigned[partition] = 1
            fire_topics_watch(self.s)

    @rule(partition=partitions)
    def delete_topic(self, partition):
        """And change back."""
        found = outcome(self.operator.kazoo.delete, f"{TOPICS}/{partition}")
        if not self.s.zookeeper.assigned[partition]:
            assert found == NO_NODE
        else:
            assert found == OK
            self.s.zookeeper.assigned[partition] = 0
            fire_topics_watch(self.s)

    @precondition(lambda self: any(self.unseen(b) for b in self.clients))
    @rule(choice=brokers)
    def see(self, choice):
        """A client takes its next event, and reads again with a watch."""
        having = [b for b in sorted(self.clients) if self.unseen(b)]
        broker = having[choice % len(having)]
        client = self.clients[broker]
        client.watch(client.events.pop(0))
        see_event(self.s, broker)

    def unseen(self, broker):
        """The model's events that a client has yet to see, in order."""
        waiting = [(self.s.broker[broker].controller_watch, CONTROLLER)]
        for controller in self.s.controller:
            if controller.active and controller.host == broker:
                waiting += [(controller.brokers_watch, IDS), (controller.topics_watch, TOPICS)]
        waiting = sorted(pair for pair in waiting if pair[0] > 0)
        assert [number for number, _ in waiting] == list(range(1, len(waiting) + 1)), "events are numbered"
        return [path for _, path in waiting]

    @invariant()
    def stores_agree(self):
        """Nodes, owners, versions, data, and every client's events in order."""
        real, store = self.operator.kazoo, self.s.zookeeper
        ids = {b for b in range(BROKERS) if contains(store.broker_ids, b)}
        assert {int(name) for name in real.get_children(IDS)} == ids
        assert {b for b in range(BROKERS) if contains(store.sessions, b)} == set(self.clients)
        controller = real.exists(CONTROLLER) and int(real.get(CONTROLLER)[0])
        assert controller == (None if store.controller == NO_BROKER else store.controller)
        for partition in range(PARTITIONS):
            node, stat = store.leader_and_isr[partition], real.exists(f"/state/{partition}")
            assert (stat.version + 1 if stat else 0) == node.version
            if stat:
                assert int(real.get(f"/state/{partition}")[0]) == node.leader
        for broker, client in self.clients.items():
            client.settle()
            came, due = client.events, self.unseen(broker)
            assert came == due, f"broker {broker}: {came} came, {due} were due"

    def teardown(self):
        for client in (*self.clients.values(), self.operator):
            client.close()
