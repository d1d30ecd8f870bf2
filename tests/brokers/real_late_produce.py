"""Is a producer told that a record is committed which no broker has? Kafka's own controller and brokers.

    python tests/brokers/real_late_produce.py 4.4.0
    python tests/brokers/real_late_produce.py 4.4.0 --control

Default timeouts, acks=all, min.insync.replicas=2, unclean elections off, nobody crashes. Broker 1 leads in epoch 0 and appends x.
A debugger (jdb, of the JDK) stops the one thread that has appended it, before the request waits in the purgatory. Broker 0, the
preferred replica, leads in epoch 1 without x, and broker 1 follows it and cuts x. Broker 1 is elected again, in epoch 2, and
commits y where x was. The thread goes on: the request waits for offset 1, which the high watermark has reached.

--control: the thread is not stopped, and the request waits when broker 1 follows.

Exits with 0 when every run ended as expected: x is acknowledged and lost; in a control its producer gets an error.
"""

from functools import partial

from highwater.traces.brokers.gate import close
from highwater.traces.brokers.releases import release_named
from highwater.traces.brokers.requests import FETCH
from kraft_cluster import KraftCluster
from real import LOST, SAFE, end_with, eventually, parser_of, say, take_runs
from real_kraft import FETCHER_0, FETCHER_2
from real_late_count import Debugger, begin

WHERE = ("kafka.server.DelayedProduce.<init>", "org.apache.kafka.server.purgatory.DelayedProduce.<init>")
NOT_LEADER = 6


def take(control, c, topic):
    """The schedule on a new cluster; how it ended for x."""
    port = begin(c, topic)
    eventually("both fetch", lambda: c.known_end(1, 0, topic) == 0 and c.known_end(1, 2, topic) == 0)
    c.held |= {(1, FETCH, FETCHER_0), (1, FETCH, FETCHER_2)}
    for client in (FETCHER_0, FETCHER_2):
        c.await_held(1, client)
    if not control:
        jdb = Debugger(port)
        for where in WHERE:
            jdb.order(f"stop thread in {where}", "breakpoint")
    first = c.produce(1, topic)
    eventually("broker 1 appends x", lambda: c.log(1, topic) == "0a")
    if not control:
        eventually("the thread stops", lambda: "Breakpoint hit" in jdb.said)
        for where in WHERE:
            jdb.order(f"clear {where}", "Removed")
    say(f"1. x is on 1 alone: {logs(c, topic)}; its request {'waits' if control else 'does not wait yet'}")
    c.elect_preferred(topic)
    c.held.clear()
    c.elected(topic, 0, 1, [0, 1, 2])
    eventually("broker 1 cuts x", lambda: c.log(1, topic) == "nothing")
    c.reassign(topic, [1, 0, 2])
    c.elect_preferred(topic)
    c.elected(topic, 1, 2, [0, 1, 2])
    eventually("broker 1 leads again", lambda: c.leads(1, topic, 2))
    later = c.acknowledged(1, topic, 2)
    say(f"2. broker 1 has cut x, and leads again, in epoch 2; y is acknowledged (error, offset): {later}; {logs(c, topic)}")
    if not control:
        jdb.order("resume", "resumed")
    answer = eventually("the producer of x is answered", lambda: c.answer(first))
    say(f"3. the producer of x is told (error, offset): {answer}; logs of 0, 1 and 2: {logs(c, topic)}")
    close(first)
    if not control:
        jdb.child.kill()
    if answer == (0, 0) and not any("a" in log for log in logs(c, topic)):
        return LOST
    return f"{SAFE}: it is answered {answer}"


def logs(c, topic):
    return [c.log(broker, topic) for broker in (0, 1, 2)]


def main(arguments):
    parser = parser_of(__doc__, "3.9.1 or later")
    parser.add_argument("--control", action="store_true", help="the thread is not stopped")
    options = parser.parse_args(arguments)
    release = release_named(options.release)
    if not release.kraft:
        parser.error("a release from 3.9.1 on")
    wanted = f"{SAFE}: it is answered {(NOT_LEADER, 0)}" if options.control else LOST
    about = f"{release.name}{' (control)' if options.control else ''}: x"
    return take_runs(options.runs, partial(KraftCluster, release), partial(take, options.control), wanted, about, anew=True)


if __name__ == "__main__":
    end_with(main)
