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

from functools import partial

from highwater.traces.brokers.releases import release_named
from kraft_cluster import FOREVER, QUIET, SOON, KraftCluster
from real import LOST, SAFE, end_with, eventually, parser_of, say, take_runs


def take(c, topic, control):
    """One run, with a topic of its own; how it ended."""
    since = len(c.metadata())
    c.create(topic, [0, 1], {"min.insync.replicas": "2"})
    c.elected(topic, 0, 0, [0, 1])
    eventually("broker 0 leads", lambda: c.leads(0, topic, 0))
    answer = c.acknowledged(0, topic)
    eventually("both have x", lambda: [c.log(b, topic) for b in (0, 1)] == ["0a", "0a"])
    say(f"1. x is acknowledged (error, offset): {answer}, and on the disks of brokers 0 and 1")
    c.pause(1)
    eventually("broker 1 leaves the ISR", lambda: c.isr(topic) == [0])
    stays, removed = 0, 2
    if not control:
        c.reassign(topic, [1, 2])
        eventually("broker 2 joins the ISR", lambda: 2 in c.isr(topic))
        if sorted(c.state(topic).replicas) == [1, 2]:
            stays, removed = 2, 0
        else:
            c.reassign(topic, None)
            eventually("the move is cancelled", lambda: sorted(c.state(topic).replicas) == [0, 1])
        eventually("its log is deleted", lambda: not (c.data(removed) / f"{topic}-0").exists())
        how = "ended" if removed == 0 else "was cancelled"
        say(f"2. the partition was to move to brokers 1 and 2, and 2 joined the ISR; the move {how}: {c.state(topic)};"
            f" broker {removed} has deleted its log")  # fmt: skip
    c.pause(stays)
    c.reassign(topic, [0, 2], via=removed)
    eventually("it is fenced", lambda: c.state(topic).leader != stays)
    say(f"3. broker {stays} pauses, the partition moves to brokers 0 and 2, broker {stays} is fenced: {c.state(topic)}")
    c.resume(stays, 1)
    eventually("the partition has moved", lambda: c.isr(topic) == [0, 2] == sorted(c.state(topic).replicas))
    leader, epoch = c.state(topic).leader, c.state(topic).leader_epoch
    eventually("its leader leads", lambda: c.leads(leader, topic, epoch))
    answer = c.acknowledged(leader, topic, 2)
    logs = [c.log(b, topic) for b in (0, 2)]
    say(f"4. all are back; broker {leader} leads; y is acknowledged (error, offset): {answer}; logs of 0 and 2: {logs}")
    for line in c.written(since):
        say(f"   metadata {line[:230]}")
    c.delete(topic)
    return LOST if answer == (0, 0) and not any("a" in log for log in logs) else SAFE


def main(arguments):
    parser = parser_of(__doc__, "4.0 or later")
    parser.add_argument("--elr", choices=["on", "off"], help="eligible leader replicas (KIP-966); else as by default")
    parser.add_argument("--control", action="store_true")
    options = parser.parse_args(arguments)
    release = release_named(options.release)
    if not release.elr:
        parser.error("a release from 4.0 on")
    has_elr = options.elr == "on" if options.elr else release.elr[-1] == 1
    expected = LOST if has_elr and not options.control else SAFE
    elr = None if options.elr is None else has_elr
    started = partial(KraftCluster.started, release, proxies=False, elr=elr, more=QUIET + FOREVER + SOON)
    about = f"{release.name} ELR {options.elr or 'as by default'}, control {options.control}"
    return take_runs(options.runs, started, partial(take, control=options.control), expected, about)


if __name__ == "__main__":
    end_with(main)
