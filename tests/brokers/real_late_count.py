"""Does a fetch that a leader has compared, and counts late, count in its next term? Kafka's own controller and brokers.

    python tests/brokers/real_late_count.py 3.9.1

Broker 1 leads in epoch 0 and takes a fetch of broker 2, which has x. A debugger (jdb, of the JDK) stops the one thread that
serves it when the epochs are compared and the offset is not yet taken. Broker 0 leads in epoch 1, broker 1 follows it, and
broker 2 cuts x. Broker 1 leads again in epoch 2, and the thread goes on. If the offset counts, broker 1 commits x, which
broker 2 lacks.

Exits with 0 when it did not count, and with 1 when it did.
"""

import os
import subprocess
import threading
from contextlib import contextmanager
from functools import partial

from highwater.traces.brokers.gate import close
from highwater.traces.brokers.kraft_nodes import CONTROLLER
from highwater.traces.brokers.process import free_port, java
from highwater.traces.brokers.releases import release_named
from highwater.traces.brokers.requests import FETCH
from kraft_cluster import KraftCluster
from real import SECONDS, end_with, eventually, parser_of, say, take_runs
from real_kraft import FETCHER_0, FETCHER_2

COUNTED, FORGOTTEN = "counts in the next term", "does not count in the next term"
WHERE = "kafka.cluster.Partition.updateFollowerFetchState"
DEBUGGED = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,quiet=y,address=127.0.0.1:{}"


class Debugger:
    """jdb, attached to a broker. A breakpoint stops only the thread that meets it."""

    def __init__(self, port):
        command = [java("jdb"), "-attach", f"127.0.0.1:{port}"]
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.said = ""
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while text := self.child.stdout.read(1):
            self.said += text

    def order(self, text, answer):
        """An order, and the words that jdb says when it has obeyed."""
        before = len(self.said)
        self.child.stdin.write(text + "\n")
        self.child.stdin.flush()
        eventually(f"jdb says {answer!r}", lambda: answer in self.said[before:])


@contextmanager
def debugged(port):
    """A process that is started within can be debugged at this port."""
    os.environ["JAVA_TOOL_OPTIONS"] = DEBUGGED.format(port)
    try:
        yield
    finally:
        del os.environ["JAVA_TOOL_OPTIONS"]


def begin(c, topic):
    """Broker 1 leads in epoch 0, and broker 0 is preferred. Returns the port at which broker 1 can be debugged."""
    port = free_port()
    c.start(CONTROLLER, 0, 2)
    with debugged(port):
        c.start(1)
    c.create(topic, [1, 0, 2], {"min.insync.replicas": "2"})
    c.reassign(topic, [0, 1, 2])
    eventually("broker 1 leads", lambda: c.leads(1, topic, 0))
    return port


def take(c, topic):
    """The schedule on a new cluster; whether it counted."""
    port = begin(c, topic)
    c.held |= {(1, FETCH, FETCHER_0), (1, FETCH, FETCHER_2), (0, FETCH, "broker-1-fetcher-0")}
    for client in (FETCHER_0, FETCHER_2):
        c.await_held(1, client)
    producer = c.produce(1, topic)
    eventually("broker 1 appends x", lambda: c.log(1, topic) != "nothing")
    while c.log(2, topic) == "nothing":
        c.pass_one(1, FETCHER_2)
    known = c.known_end(1, 2, topic)
    request = c.await_held(1, FETCHER_2)
    jdb = Debugger(port)
    jdb.order(f"stop thread in {WHERE}", "Set breakpoint")
    threading.Thread(target=c.fronts[1].let_request, args=(request, SECONDS), daemon=True).start()
    eventually("the thread stops", lambda: "Breakpoint hit" in jdb.said)
    say(f"1. x is on 1: {c.log(1, topic)}, and on 2: {c.log(2, topic)}; broker 1 has compared the epoch of broker 2's next"
        f" fetch, and not yet taken its offset, 1; the end that it knows is {known}")  # fmt: skip
    c.elect_preferred(topic)
    c.elected(topic, 0, 1, [0, 1, 2])
    eventually("broker 2 cuts x", lambda: c.log(2, topic) == "nothing")
    eventually("broker 1 follows broker 0", lambda: c.lines(1, f"Follower {topic}-0 starts at leader epoch 1"))
    c.nodes.kill(0)
    c.elected(topic, 1, 2, [1, 2])
    eventually("broker 1 leads again", lambda: c.leads(1, topic, 2))
    say(f"2. broker 1 has followed broker 0 in epoch 1 and leads in epoch 2; it has {c.log(1, topic)}, broker 2 has"
        f" {c.log(2, topic)}; the end that broker 1 knows is {c.known_end(1, 2, topic)}")  # fmt: skip
    counted = "Recorded replica 2 log end offset (LEO) position 1 "
    before = len(c.lines(1, f"[Partition {topic}-0", counted))
    jdb.order(f"clear {WHERE}", "Removed")
    jdb.order("resume", "resumed")
    eventually("the thread goes on", lambda: len(c.lines(1, f"[Partition {topic}-0", counted)) > before)
    jdb.child.kill()
    end, seen = c.known_end(1, 2, topic), c.consume(1, topic)
    say(f"3. the thread has taken the offset (broker 1 logs: {counted.strip()}); the end that broker 1 knows is {end},"
        f" a consumer (error, high watermark): {seen}")  # fmt: skip
    close(producer)
    return COUNTED if end != -1 or seen[1] != 0 else FORGOTTEN


def main(arguments):
    parser = parser_of(__doc__, "3.9.1 or later")
    options = parser.parse_args(arguments)
    release = release_named(options.release)
    if not release.kraft:
        parser.error("a release from 3.9.1 on")
    return take_runs(options.runs, partial(KraftCluster, release), take, FORGOTTEN, f"{release.name}: the offset", anew=True)


if __name__ == "__main__":
    end_with(main)
