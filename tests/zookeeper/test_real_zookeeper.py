"""The model's store answers as a real ZooKeeper does."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import invariant, run_state_machine_as_test
from kazoo.client import KazooClient
from pair import Pair
from support.elsewhere import python


def play(server, sequences, steps):
    play_class(type("PairOfStores", (Pair,), {"server": server}), sequences, steps)


def play_class(machine, sequences, steps, phases=tuple(Phase)):
    chosen = settings(
        max_examples=sequences,
        stateful_step_count=steps,
        phases=phases,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine, settings=chosen)


def test_the_stores_agree(zookeeper):
    play(zookeeper, 40, 25)


@pytest.mark.long
def test_the_stores_agree_over_two_thousand_sequences(zookeeper):
    play(zookeeper, 2000, 40)


def test_the_server_is_the_release_that_the_model_is_held_against(zookeeper):
    client = KazooClient(f"127.0.0.1:{zookeeper.port}")
    client.start(timeout=120)
    try:
        assert client.server_version()[:2] == (3, 9)
    finally:
        client.stop()
        client.close()


def test_two_servers_side_by_side_do_not_meet(zookeeper):
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from server import Server\nserver = Server()\nprint(server.port)\nserver.stop()\nassert not server.folder.exists()"
    )
    code, out, error = python(".", "-c", code)
    assert code == 0, error
    assert int(out) != zookeeper.port and zookeeper.process.poll() is None


def test_a_difference_would_be_found(zookeeper):
    """A model without the events of one watch is refuted; and versions do grow, so that they are compared."""

    class WithoutTopicEvents(Pair):
        server = zookeeper

        def unseen(self, broker):
            return [path for path in super().unseen(broker) if path != "/brokers/topics"]

    class WithoutVersions(Pair):
        server = zookeeper

        @invariant()
        def versions_never_grow(self):
            assert all(node.version <= 1 for node in self.s.zookeeper.leader_and_isr)

    for machine in (WithoutTopicEvents, WithoutVersions):
        with pytest.raises(AssertionError):
            play_class(machine, 200, 30, phases=[Phase.generate])
