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

import signal
from functools import partial

from highwater.traces.brokers.releases import release_named
from kraft_cluster import BROKERS, QUIET, SOON, KraftCluster
from real import LOST, SAFE, SECONDS, end_with, eventually, parser_of, say, take_runs


def take(c, topic, min_isr):
    """One run, with a topic of its own; how it ended."""
    since = len(c.metadata())
    c.create(topic, [0, 1, 2], {"min.insync.replicas": str(min_isr)})
    c.elected(topic, 0, 0, [0, 1, 2])
    eventually("broker 0 leads", lambda: c.leads(0, topic, 0))
    answer = c.acknowledged(0, topic)
    eventually("all have a", lambda: all(c.log(b, topic) == "0a" for b in BROKERS))
    for broker, isr in ((1, [0, 2]), (2, [0])):
        c.signal(broker, signal.SIGTERM)
        c.elected(topic, 0, 0, isr)
        c.nodes.up[broker].child.wait(SECONDS)
        c.nodes.kill(broker)
    say(f"1. a is acknowledged (error, offset): {answer}, and on every disk; brokers 1 and 2 shut down; ISR [0]")
    c.nodes.kill(0)
    eventually("the partition has no leader", lambda: c.state(topic).leader == -1)
    [segment] = (c.data(0) / f"{topic}-0").glob("*.log")
    segment.write_bytes(b"")
    logs = [c.log(b, topic) for b in BROKERS]
    left = list(c.state(topic).isr)
    say(f"2. broker 0 is killed, and what it had not flushed is gone; no leader, ISR {left}; logs {logs}")
    c.start(0)
    say(f"3. broker 0 is back; {told(c.state(topic))}")
    c.start(1, 2)
    eventually("all are in the ISR", lambda: c.isr(topic) == [0, 1, 2])
    leader = c.state(topic).leader
    answer = c.acknowledged(leader, topic, 2)
    logs = [c.log(b, topic) for b in BROKERS]
    say(f"4. all are back; broker {leader} leads; y is acknowledged (error, offset): {answer}; logs {logs}")
    for line in c.written(since):
        say(f"   metadata {line[:230]}")
    c.delete(topic)
    return SAFE if any("a" in log for log in logs) else LOST


def told(state):
    """Who leads, by the metadata log."""
    return f"leader {state.leader}, epoch {state.leader_epoch}, ISR {list(state.isr)}"


def main(arguments):
    parser = parser_of(__doc__, "3.9.1 or later")
    parser.add_argument("--elr", choices=["on", "off"], help="eligible leader replicas (KIP-966); else as by default")
    parser.add_argument("--min-isr", type=int, choices=[1, 2], default=2)
    options = parser.parse_args(arguments)
    release = release_named(options.release)
    if not release.kraft or (options.elr and not release.elr):
        parser.error("a release from 3.9.1 on; --elr from 4.0 on")
    has_elr = options.elr == "on" if options.elr else release.elr[-1:] == (1,)
    expected = SAFE if has_elr and options.min_isr == 2 else LOST
    elr = None if options.elr is None else has_elr
    started = partial(KraftCluster.started, release, proxies=False, elr=elr, more=QUIET + SOON)
    about = f"{release.name} ELR {options.elr or 'as by default'}, min.insync.replicas {options.min_isr}"
    return take_runs(options.runs, started, partial(take, min_isr=options.min_isr), expected, about)


if __name__ == "__main__":
    end_with(main)
