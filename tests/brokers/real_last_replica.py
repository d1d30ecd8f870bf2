"""KIP-966, the last replica standing: its disk is lost, and it is elected again. Kafka's own controller and brokers.

    python tests/brokers/real_last_replica.py 4.4.0
    python tests/brokers/real_last_replica.py 4.4.0 --elr off
    python tests/brokers/real_last_replica.py 4.4.0 --min-isr 1

Three brokers; a is acknowledged with acks=all, and all have it. Brokers 1 and 2 shut down, so that broker 0 is the last member
of the ISR. It is killed (kill -9), and its segment is emptied: what was not flushed is gone. It comes back first, then the
others, whose disks have a. Unclean elections are off. Is a on any disk in the end?

Exits with 0 when every run ended as expected: a is lost without ELR (KIP-966), and with it where one replica is enough to commit
(min.insync.replicas = 1); else it is not lost.
"""

import argparse
import signal
import sys
import time

from highwater.model.language.errors import UsageError
from highwater.traces.brokers.gate import close
from highwater.traces.brokers.kraft_nodes import CONTROLLER
from highwater.traces.brokers.releases import release_named
from kraft_cluster import BROKERS, QUIET, KraftCluster
from real import SECONDS, eventually
from real_kraft import LOST, SAFE, set_fields

SOON = "broker.heartbeat.interval.ms=500\nbroker.session.timeout.ms=6000\n"
"""A broker that was killed is noticed sooner than by default."""


def take(c, topic, min_isr, say):
    """One run, with a topic of its own; how it ended."""
    since = len(c.metadata())
    c.create(topic, [0, 1, 2], {"min.insync.replicas": str(min_isr)})
    c.elected(topic, 0, 0, [0, 1, 2])
    eventually("broker 0 leads", lambda: c.leads(0, topic, 0))
    a = c.produce(0, topic)
    answer = eventually("a is acknowledged", lambda: c.answer(a))
    close(a)
    eventually("all have a", lambda: all(c.log(b, topic) == "0a" for b in BROKERS))
    for broker, isr in ((1, [0, 2]), (2, [0])):
        child = c.nodes.up[broker].child
        child.send_signal(signal.SIGTERM)
        c.elected(topic, 0, 0, isr)
        child.wait(SECONDS)
        c.nodes.kill(broker)
    say(f"1. a is acknowledged (error, offset): {answer}, and on every disk; brokers 1 and 2 shut down; ISR [0]")
    c.nodes.kill(0)
    eventually("the partition has no leader", lambda: c.states(topic)[-1].leader == -1)
    [segment] = (c.data(0) / f"{topic}-0").glob("*.log")
    segment.write_bytes(b"")
    logs = [c.log(b, topic) for b in BROKERS]
    left = list(c.states(topic)[-1].isr)
    say(f"2. broker 0 is killed, and what it had not flushed is gone; no leader, ISR {left}; logs {logs}")
    c.start(0)
    say(f"3. broker 0 is back; {told(c.states(topic)[-1])}")
    c.start(1, 2)
    eventually("all are in the ISR", lambda: sorted(c.states(topic)[-1].isr) == [0, 1, 2])
    leader = c.states(topic)[-1].leader
    y = c.produce(leader, topic, 2)
    answer = eventually("y is acknowledged", lambda: c.answer(y))
    close(y)
    logs = [c.log(b, topic) for b in BROKERS]
    say(f"4. all are back; broker {leader} leads; y is acknowledged (error, offset): {answer}; logs {logs}")
    for written in c.metadata()[since:]:
        if written.name.startswith("Partition"):
            say(f"   metadata {written.offset} {written.name} {set_fields(written)}"[:230])
    c.delete(topic)
    return SAFE if any("a" in log for log in logs) else LOST


def told(state):
    """Who leads, by the metadata log."""
    return f"leader {state.leader}, epoch {state.leader_epoch}, ISR {list(state.isr)}"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("release", help="3.9.1 or later")
    parser.add_argument("--elr", choices=["on", "off"], help="eligible leader replicas (KIP-966); else as by default")
    parser.add_argument("--min-isr", type=int, choices=[1, 2], default=2)
    parser.add_argument("--runs", type=int, default=1)
    options = parser.parse_args(arguments)
    release = release_named(options.release)
    if not release.kraft or (options.elr and not release.elr):
        parser.error("a release from 3.9.1 on; --elr from 4.0 on")
    has_elr = options.elr == "on" if options.elr else release.elr[-1:] == (1,)
    expected = SAFE if has_elr and options.min_isr == 2 else LOST
    results = []
    cluster = KraftCluster(release, proxies=False, elr=None if options.elr is None else has_elr, more=QUIET + SOON)
    try:
        cluster.start(CONTROLLER, *BROKERS)
        for number in range(1, options.runs + 1):
            results.append(take(cluster, f"t{number}", options.min_isr, lambda text: print(text, flush=True)))
            print(f"RUN {number} of {options.runs}: {results[-1]}", flush=True)
    finally:
        cluster.end()
    print(f"RESULT {time.strftime('%Y-%m-%d')} {release.name} ELR {options.elr or 'as by default'}, min.insync.replicas"
          f" {options.min_isr}, {options.runs} runs: {LOST}: {results.count(LOST)}")  # fmt: skip
    return 0 if results == [expected] * options.runs else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UsageError as error:
        sys.exit(f"real_last_replica: {error}")
