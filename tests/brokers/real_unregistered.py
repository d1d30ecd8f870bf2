"""KIP-903: a broker that is not registered joins the ISR, since its fetches name no registration that could be compared.

    python tests/brokers/real_unregistered.py 4.4.0

Kafka's own controller and brokers. The follower is killed (kill -9), a record is written, and the leader takes it out of the
ISR. Its disk is lost, and it starts again while its session lives: the controller refuses its registration, but the broker has
read the metadata, and fetches with broker epoch -1. Is it in the ISR before it is registered?

Exits with 0 when each run ended so. What it has fetched is on its disk; a loss takes a fetch that is counted after process and
disk are gone once more, as in the trace `unregistered_fetch.4.4`, and is not performed here.
"""

import shutil
from functools import partial

from highwater.traces.brokers.gate import close
from highwater.traces.brokers.releases import release_named
from kraft_cluster import QUIET, KraftCluster
from real import end_with, eventually, parser_of, say, take_runs

SLOW_SESSION = "broker.heartbeat.interval.ms=500\nbroker.session.timeout.ms=40000\nreplica.lag.time.max.ms=2000\n"
JOINS, WAITS = "joins unregistered", "waits for its registration"


def take(c, topic):
    """One run, with a topic of its own; how it ended."""
    c.create(topic, [0, 1], {"min.insync.replicas": "1"})
    c.elected(topic, 0, 0, [0, 1])
    eventually("broker 0 leads", lambda: c.leads(0, topic, 0))
    c.acknowledged(0, topic)
    known = len(c.lines(1, "Successfully registered"))
    c.nodes.kill(1)
    b = c.produce(0, topic, 2)
    eventually("broker 1 leaves the ISR", lambda: c.isr(topic) == [0])
    close(b)
    shutil.rmtree(c.data(1) / f"{topic}-0")
    say("1. broker 1 is killed, has left the ISR, and has lost its disk")
    c.nodes.start(1)
    eventually("broker 1 joins the ISR, or registers", lambda: c.isr(topic) == [0, 1] or registered(c, known))
    result = JOINS if c.isr(topic) == [0, 1] and not registered(c, known) else WAITS
    for line in c.lines(0, "Submitting ISR state change PendingExpandIsr", topic)[-1:]:
        say(f"   {line[:330]}")
    say(f"2. the ISR is {c.isr(topic)}; broker 1 has registered again: {registered(c, known)}")
    eventually("broker 1 is registered", lambda: registered(c, known))
    c.start()
    c.delete(topic)
    return result


def registered(c, known):
    """Broker 1 has registered once more."""
    return len(c.lines(1, "Successfully registered")) > known


def main(arguments):
    options = parser_of(__doc__, "3.9.1 or later").parse_args(arguments)
    release = release_named(options.release)
    started = partial(KraftCluster.started, release, proxies=False, more=QUIET + SLOW_SESSION)
    return take_runs(options.runs, started, take, JOINS, release.name, anew=True)


if __name__ == "__main__":
    end_with(main)
