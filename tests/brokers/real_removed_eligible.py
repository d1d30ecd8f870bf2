"""KIP-966: a reassignment leaves the replica that it removes eligible, and the controller elects it with an empty log.

    python tests/brokers/real_removed_eligible.py 4.4.0
    python tests/brokers/real_removed_eligible.py 4.4.0 --elr off
    python tests/brokers/real_removed_eligible.py 4.4.0 --control

Kafka's own controller and brokers, no proxy and no crash: brokers are paused (SIGSTOP) until the controller fences them.
acks=all, min.insync.replicas=2, unclean elections off. A record is acknowledged by brokers 0 and 1. Broker 1 pauses. The
partition is to move to brokers 1 and 2, and 2 joins the ISR. From 4.3 on (KAFKA-19975) the move ends, without broker 1, and
broker 0 is removed; up to 4.2 it waits for broker 1 and is cancelled, which removes broker 2. The ISR is below min ISR, so who
was removed from it is eligible. The other pauses, the partition is to move to brokers 0 and 2, and who pauses is fenced before
the removed one, a replica again, has fetched anything. All come back. Is the record on any disk?
(kafka-reassign-partitions sends the same request, unless a broker of the target is fenced already.)
--control: without the first move.

Exits with 0 when every run ended as expected: with ELR (4.1 and later) the record is lost, without and in the control not.
"""

import argparse
import signal
import sys
import time

from highwater.model.language.errors import UsageError
from highwater.traces.brokers.gate import close
from highwater.traces.brokers.kraft_nodes import CONTROLLER
from highwater.traces.brokers.releases import release_named
from kraft_cluster import BROKERS, QUIET, REASSIGN, KraftCluster
from real import eventually
from real_kraft import LOST, SAFE, set_fields
from real_last_replica import SOON

FOREVER = "log.retention.ms=-1\n"


def pause(c, broker, paused=True):
    c.nodes.up[broker].child.send_signal(signal.SIGSTOP if paused else signal.SIGCONT)


def move(c, via, topic, replicas):
    """Move the partition, or cancel its move where `replicas` is None; `via` is the broker that is asked."""
    one = {"Name": topic, "Partitions": [{"PartitionIndex": 0, "Replicas": replicas}]}
    got = c.ask(via, REASSIGN, {"TimeoutMs": 60_000, "Topics": [one]}, 0)
    assert got["ErrorCode"] == 0 and got["Responses"][0]["Partitions"][0]["ErrorCode"] == 0, got


def isr(c, topic):
    return sorted(c.states(topic)[-1].isr)


def replicas(c, topic):
    return sorted(c.states(topic)[-1].replicas)


def take(c, topic, options, say):
    """One run, with a topic of its own; how it ended."""
    since = len(c.metadata())
    c.create(topic, [0, 1], {"min.insync.replicas": "2"})
    c.elected(topic, 0, 0, [0, 1])
    eventually("broker 0 leads", lambda: c.leads(0, topic, 0))
    x = c.produce(0, topic)
    answer = eventually("x is acknowledged", lambda: c.answer(x))
    close(x)
    eventually("both have x", lambda: [c.log(b, topic) for b in (0, 1)] == ["0a", "0a"])
    say(f"1. x is acknowledged (error, offset): {answer}, and on the disks of brokers 0 and 1")
    pause(c, 1)
    eventually("broker 1 leaves the ISR", lambda: isr(c, topic) == [0])
    stays, removed = 0, 2
    if not options.control:
        move(c, 2, topic, [1, 2])
        eventually("broker 2 joins the ISR", lambda: 2 in isr(c, topic))
        if replicas(c, topic) == [1, 2]:
            stays, removed = 2, 0
        else:
            move(c, 2, topic, None)
            eventually("the move is cancelled", lambda: replicas(c, topic) == [0, 1])
        eventually("its log is deleted", lambda: not (c.data(removed) / f"{topic}-0").exists())
        how = "ended" if removed == 0 else "was cancelled"
        say(f"2. the partition was to move to brokers 1 and 2, and 2 joined the ISR; the move {how}: {c.states(topic)[-1]};"
            f" broker {removed} has deleted its log")  # fmt: skip
    pause(c, stays)
    move(c, removed, topic, [0, 2])
    eventually("it is fenced", lambda: c.states(topic)[-1].leader != stays)
    say(f"3. broker {stays} pauses, the partition moves to brokers 0 and 2, broker {stays} is fenced: {c.states(topic)[-1]}")
    for broker in (stays, 1):
        pause(c, broker, False)
    eventually("the partition has moved", lambda: isr(c, topic) == [0, 2] == replicas(c, topic))
    leader, epoch = c.states(topic)[-1].leader, c.states(topic)[-1].leader_epoch
    eventually("its leader leads", lambda: c.leads(leader, topic, epoch))
    y = c.produce(leader, topic, 2)
    answer = eventually("y is acknowledged", lambda: c.answer(y))
    close(y)
    logs = [c.log(b, topic) for b in (0, 2)]
    say(f"4. all are back; broker {leader} leads; y is acknowledged (error, offset): {answer}; logs of 0 and 2: {logs}")
    for written in c.metadata()[since:]:
        if written.name.startswith(("Partition", "BrokerRegistrationChange")):
            say(f"   metadata {written.offset} {written.name} {set_fields(written)}"[:230])
    c.delete(topic)
    return LOST if answer == (0, 0) and not any("a" in log for log in logs) else SAFE


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("release", help="4.0 or later")
    parser.add_argument("--elr", choices=["on", "off"], help="eligible leader replicas (KIP-966); else as by default")
    parser.add_argument("--control", action="store_true")
    parser.add_argument("--runs", type=int, default=1)
    options = parser.parse_args(arguments)
    release = release_named(options.release)
    if not release.elr:
        parser.error("a release from 4.0 on")
    has_elr = options.elr == "on" if options.elr else release.elr[-1] == 1
    expected = LOST if has_elr and not options.control else SAFE
    results = []
    elr = None if options.elr is None else has_elr
    cluster = KraftCluster(release, proxies=False, elr=elr, more=QUIET + FOREVER + SOON)
    try:
        cluster.start(CONTROLLER, *BROKERS)
        for number in range(1, options.runs + 1):
            results.append(take(cluster, f"t{number}", options, lambda text: print(text, flush=True)))
            print(f"RUN {number} of {options.runs}: {results[-1]}", flush=True)
    finally:
        cluster.end()
    print(f"RESULT {time.strftime('%Y-%m-%d')} {release.name} ELR {options.elr or 'as by default'}, control {options.control},"
          f" {options.runs} runs: {LOST}: {results.count(LOST)}")  # fmt: skip
    return 0 if results == [expected] * options.runs else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UsageError as error:
        sys.exit(f"real_removed_eligible: {error}")
