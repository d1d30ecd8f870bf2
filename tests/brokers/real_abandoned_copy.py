"""A replica moves to another log directory, its broker dies, and starts with a copy that lacks an acknowledged record.

    python tests/brokers/real_abandoned_copy.py 4.4.0
    python tests/brokers/real_abandoned_copy.py 4.4.0 --control

Kafka's own controller and brokers; the topic has one replica, on broker 0, which has two log directories. An operator moves the
replica (kafka-reassign-partitions sends the same requests), and limits the rate of the copy. Once the copy has all records,
broker 0 reports its directory to the controller. A record is acknowledged; the copy waits for the rate. The process dies
(kill -9): nothing that was written is gone, and both directories stay. As it starts, it finds the copy in the directory that
the metadata has, takes it (LogManager.recoverAbandonedFutureLogs), and deletes the log with the record.
--control: the record is acknowledged before the copy begins.

The broker obeys the controller's record within some 150 ms, and then reports the old directory again: a run in which it was
faster is not performed. Exits with 0 when every run ended as expected: lost, and not lost in the control.
"""

from functools import partial

from highwater.traces.brokers.releases import release_named
from real import LOST, MISSED, SAFE, end_with, eventually, parser_of, say, take_runs
from real_reported_directory import TwoDirectories

INCREMENTAL_ALTER_CONFIGS, BROKER, SET = 44, 4, 0
RATE = "replica.alter.log.dirs.io.max.bytes.per.second"
TRIES = 5


def started(release):
    """A new cluster whose broker 0 copies one byte in a second from one of its directories to another."""
    cluster = TwoDirectories.started(release)
    resource = {"ResourceType": BROKER, "ResourceName": "0", "Configs": [{"Name": RATE, "ConfigOperation": SET, "Value": "1"}]}
    got = cluster.ask(0, INCREMENTAL_ALTER_CONFIGS, {"Resources": [resource], "ValidateOnly": False})
    assert got["Responses"][0]["ErrorCode"] == 0, got
    return cluster


def take(c, topic, control):
    """One run, with topics of its own; how it ended."""
    for number in range(TRIES):
        ended = try_once(c, f"{topic}x{number}", control)
        if ended != MISSED:
            return ended
        say("   the broker was faster: once more")
    return MISSED


def try_once(c, topic, control):
    """One run, or MISSED where the broker has reported the old directory again before it was killed."""
    c.created(topic, [0], 1)
    c.acknowledged(0, topic)
    if control:
        c.acknowledged(0, topic, 2)
    first = c.reported(topic)[-1]
    source, target = c.begin_move(topic)
    eventually("broker 0 reports the copy", lambda: c.reported(topic)[-1] != first)
    answer = (0, 1) if control else c.acknowledged(0, topic, 2)
    c.kill_leader(topic)
    before = c.text_in(source, topic) if c.place(topic) == source else ""
    say(f"1. the replica moves to {target.name}, which is reported; b is acknowledged (error, offset): {answer}")
    say(f"2. broker 0 is killed; the log has {before!r}: {c.led(topic)}")
    c.start(0)
    eventually("broker 0 leads", lambda: c.leads(0, topic, c.state(topic).leader_epoch))
    taken = c.lines(0, "Successfully recovered abandoned future log", f"{topic}-0")
    last = c.acknowledged(0, topic, 3)
    after = c.text_in(c.place(topic), topic)
    say(f"3. broker 0 is back: {c.led(topic)}; {len(taken)} copy taken; y is acknowledged (error, offset): {last}; log {after!r}")
    c.delete(topic)
    if not taken or before != "0a 0b":
        return MISSED
    return LOST if "b" not in after and last == (0, 1) else SAFE


def main(arguments):
    parser = parser_of(__doc__, "3.9.1 or later")
    parser.add_argument("--control", action="store_true")
    options = parser.parse_args(arguments)
    release = release_named(options.release)
    if not release.kraft:
        parser.error("a release from 3.9.1 on")
    about = f"{release.name} control {options.control}"
    expected = SAFE if options.control else LOST
    return take_runs(options.runs, partial(started, release), partial(take, control=options.control), expected, about)


if __name__ == "__main__":
    end_with(main)
