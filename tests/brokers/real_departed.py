"""N6 under Kafka's own ZooKeeper controller: at the end of a move a leader commits what its ISR lacks, and the record is lost.

    python tests/brokers/real_departed.py 3.9.1
    python tests/brokers/real_departed.py 3.9.1 --control

A partition moves from broker 0 to broker 1, which is the controller, too; acks=all, unclean elections off. The controller has
elected broker 1, the only replica now, and told it; the ISR is [0, 1]. Its next write, which takes broker 0 out of the ISR, is
late on its way to ZooKeeper: nothing else is delayed, nothing changed or made up. A record is acknowledged, which broker 0
lacks. Broker 1 is killed; broker 0 becomes controller and elects itself, from the ISR. The next record is acknowledged at the
same offset.
--control: the write is not late, and the partition has no leader while broker 1, the only member of the ISR, is down.
"""

import json
import threading
import time
from functools import partial

from highwater.traces.brokers.gate import Line, close
from highwater.traces.brokers.releases import release_named
from real import LOST, SAFE, end_with, parser_of, say, take_runs
from real_controller import STATE, TOPIC, Brokers, eventually

REMOVAL = b'"isr":[1]'
"""In a write of the partition's state: broker 0 has left the ISR."""


class LateWrite(Line):
    """A broker's way to ZooKeeper, on which the write of the removal is late, and what comes after it."""

    def __init__(self, address):
        super().__init__(address)
        self.late = threading.Event()

    def _copy(self, source, sink):
        written = b""

        def recv(size):
            nonlocal written
            data = source.recv(size)
            written = written[-64:] + data
            if STATE.encode() in data and REMOVAL in written:
                self.late.set()
                self.open.clear()
            return data

        try:
            while data := recv(1 << 16):
                self.open.wait()
                sink.sendall(data)
        except OSError:
            pass
        close(source)
        close(sink)


class Moving(Brokers):
    """Brokers 0 and 1; with `late` broker 1 reaches ZooKeeper over the line above."""

    def __init__(self, release, late):
        super().__init__(release)
        self.line = LateWrite(lambda: ("127.0.0.1", self.port_of_store)) if late else None

    def start(self, broker):
        self.port_of_store = self.store_port
        if broker == 1 and self.line is not None:
            self.store_port = self.line.port
        try:
            super().start(broker)
        finally:
            self.store_port = self.port_of_store


def schedule(c):
    """One run; how it ended."""
    c.start(0)
    c.store.create(f"/brokers/topics/{TOPIC}", json.dumps({"version": 1, "partitions": {"0": [0]}}).encode())
    eventually("broker 0 leads", c.leads(0, [0]))
    c.start(1)
    while c.json("/controller")["brokerid"] != 1:
        c.store.delete("/controller")
        eventually("there is a controller", lambda: c.json("/controller"))
        time.sleep(0.5)
    time.sleep(2)
    say(f"1. broker 0 leads, broker 1 is the controller: {c.state()}")

    c.store.ensure_path("/admin")
    move = {"version": 1, "partitions": [{"topic": TOPIC, "partition": 0, "replicas": [1]}]}
    c.store.create("/admin/reassign_partitions", json.dumps(move).encode())
    if c.line is None:
        eventually("the partition has moved", c.leads(1, [1]))
    else:
        eventually("the controller removes broker 0 from the ISR", c.line.late.is_set)
        eventually("broker 1 leads", c.leads(1, [0, 1]))
    epoch = c.state()[1]
    eventually("broker 1 obeys", lambda: f"epoch={epoch} " in c.up[1].order(f"inspect {TOPIC} 0"))
    say(f"2. broker 1 leads: {c.state()}; it knows {c.up[1].order(f'inspect {TOPIC} 0')[:200]}")

    answer = c.acknowledged(1, TOPIC)
    say(f"3. the producer is answered (error, offset): {answer}; broker 1 has {c.log(1, TOPIC)}, broker 0 has {c.log(0, TOPIC)};"
        f" high watermark of broker 1: {c.high_watermark(1)}; ZooKeeper: {c.state()}")  # fmt: skip
    c.crash(1)
    if c.line is None:
        eventually("broker 0 is the controller", lambda: c.json("/controller")["brokerid"] == 0)
        time.sleep(5)
        say(f"4. broker 1 is killed: {c.state()}")
        return SAFE if c.state()[0] != 0 else "broker 0 leads"
    eventually("broker 0 is elected", c.leads(0, [0]))
    epoch = c.state()[1]
    eventually("broker 0 obeys", lambda: f"epoch={epoch} " in c.up[0].order(f"inspect {TOPIC} 0"))
    second = c.acknowledged(0, TOPIC, 2)
    say(f"4. broker 1 is killed: {c.state()}; the next record is answered (error, offset): {second};"
        f" broker 0 has {c.log(0, TOPIC)}")  # fmt: skip
    return LOST if answer == second == (0, 0) and "a" not in c.log(0, TOPIC) else SAFE


def main(arguments):
    parser = parser_of(__doc__, "0.10.2.2 to 3.9.1")
    parser.add_argument("--control", action="store_true")
    options = parser.parse_args(arguments)
    release, expected = release_named(options.release), SAFE if options.control else LOST
    about = f"{release.name}, control {options.control}"
    started = partial(Moving, release, not options.control)
    return take_runs(options.runs, started, lambda cluster, _: schedule(cluster), expected, about, anew=True)


if __name__ == "__main__":
    end_with(main)
