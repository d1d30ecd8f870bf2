"""min.insync.replicas changes while brokers run: a record is lost, or a partition cannot be led (KIP-966).

    python tests/brokers/real_min_isr.py 4.4.0 raised
    python tests/brokers/real_min_isr.py 4.4.0 offline
    python tests/brokers/real_min_isr.py 4.4.0 off
    python tests/brokers/real_min_isr.py 4.4.0 raised --control

Kafka's own controller and brokers, default timeouts, no proxy and no crash: brokers are paused (SIGSTOP) and resumed. acks=all,
unclean elections off; the partition is on brokers 0 and 1, and 0 leads. Broker 2 is asked for every change.

raised: broker 1 is paused, and a record is written that waits for it. Broker 0 is paused, min.insync.replicas is raised from 1
to 2, broker 1 is fenced and is eligible. Broker 0 resumes, hears of both at once, and acknowledges the record. It is paused
until it is fenced; broker 1 resumes and is elected. --control: broker 0 is not paused while that changes.
offline: both are fenced, and both are eligible; min.insync.replicas is lowered. Both come back. --control: it is not lowered.
off: broker 1 is fenced, and is eligible. Eligible leader replicas are switched off, min.insync.replicas is lowered, and broker 0
acknowledges a record alone. It is paused, broker 1 comes back and is elected. --control: they are not switched off.

Exits with 0 when every run ended as expected: a loss, or a partition that nobody leads; in a control neither.
"""

import time
from functools import partial

from highwater.traces.brokers.gate import close
from highwater.traces.brokers.releases import release_named
from kraft_cluster import ELR, FOREVER, QUIET, KraftCluster
from real import LOST, SAFE, end_with, eventually, parser_of, say, take_runs
from unread import unread_bytes

OFFLINE = "nobody can be elected"
ALTER_CONFIGS, UPDATE_FEATURES = 44, 57
TOPIC, SET, UPGRADE, DOWNGRADE = 2, 0, 1, 2
BEFORE = {"raised": 1, "offline": 2, "off": 2}


class Run:
    """One run, with a topic of its own."""

    def __init__(self, options, cluster, topic):
        self.c, self.topic, self.options = cluster, topic, options
        self.since = len(cluster.metadata())

    def state(self):
        return self.c.state(self.topic)

    def set_min_isr(self, value):
        setting = {"Name": "min.insync.replicas", "ConfigOperation": SET, "Value": str(value)}
        one = {"ResourceType": TOPIC, "ResourceName": self.topic, "Configs": [setting]}
        got = self.c.ask(2, ALTER_CONFIGS, {"Resources": [one], "ValidateOnly": False})
        assert got["Responses"][0]["ErrorCode"] == 0, got
        say(f"   min.insync.replicas is {value}")

    def switch(self, level):
        one = {"Feature": ELR, "MaxVersionLevel": level, "UpgradeType": UPGRADE if level else DOWNGRADE}
        got = self.c.ask(2, UPDATE_FEATURES, {"timeoutMs": 60_000, "FeatureUpdates": [one], "ValidateOnly": False})
        assert got["ErrorCode"] == 0, got
        say(f"   {ELR} is {level}")

    def pause_behind(self, follower):
        """Pause a follower whose waiting fetch has been answered: what is written now it will not have."""
        c = self.c
        while True:
            c.pause(follower)
            try:
                return eventually("its fetch is answered", lambda: unread_bytes(c.nodes.up[follower].child.pid, c.ports[0]), 3)
            except AssertionError:  # it was paused between two fetches
                c.resume(follower)
                time.sleep(1)

    def fenced(self, broker):
        eventually(f"broker {broker} is fenced", lambda: broker not in self.state().isr or self.state().leader == -1)

    def acknowledged(self, waiting, broker=0):
        answer = eventually("the record is acknowledged", lambda: self.c.answer(waiting))
        close(waiting)
        say(f"   broker {broker} acknowledges it (error, offset): {answer}; logs of 0 and 1: {self.logs()}")
        return answer

    def logs(self):
        return [self.c.log(broker, self.topic) for broker in (0, 1)]

    def take(self):
        """The whole run; how it ended."""
        c = self.c
        c.create(self.topic, [0, 1], {"min.insync.replicas": str(BEFORE[self.options.case])})
        c.elected(self.topic, 0, 0, [0, 1])
        eventually("broker 0 leads", lambda: c.leads(0, self.topic, 0))
        eventually("broker 1 fetches", lambda: c.known_end(0, 1, self.topic) == 0)
        result = getattr(self, self.options.case)()
        for line in c.written(self.since, "Config", "Feature"):
            say(f"   metadata {line[:230]}")
        c.delete(self.topic)
        return result

    def raised(self):
        c = self.c
        self.pause_behind(1)
        waiting = c.produce(0, self.topic)
        eventually("broker 0 appends x", lambda: self.logs() == ["0a", "nothing"])
        say("1. broker 1 is paused; broker 0 has x, which is not acknowledged")
        if not self.options.control:
            time.sleep(4)  # so that broker 0 is paused for a shorter time than after which it is fenced, too
            c.pause(0)
            end = c.metadata()[-1].offset
            # With the first of them its metadata fetch that waits at the controller is answered.
            eventually("the controller writes two more records", lambda: c.metadata()[-1].offset >= end + 2)
        self.set_min_isr(2)
        self.fenced(1)
        say(f"2. broker 1 is fenced: {self.state()}")
        if self.options.control:
            time.sleep(3)
            answer = c.answer(waiting)
            say(f"3. the producer is answered: {answer}")
            c.resume(1)
            self.acknowledged(waiting)
            return SAFE if answer is None else f"answered {answer}"
        c.resume(0)
        answer = self.acknowledged(waiting)
        c.pause(0)
        eventually("broker 0 is fenced", lambda: self.state().leader == -1)
        c.resume(1)
        return self.ended(answer)

    def ended(self, answer):
        """Broker 1 is elected, or nobody until broker 0 is back; then y is acknowledged. Is x still anywhere?"""
        c = self.c
        eventually("broker 1 is back", lambda: c.live(2) == [1, 2])
        time.sleep(1)
        say(f"3. broker 0 is fenced, and broker 1 is back: {self.state()}")
        c.resume(0)
        eventually("both are in the ISR", lambda: self.c.isr(self.topic) == [0, 1])
        leader, epoch = self.state().leader, self.state().leader_epoch
        eventually("its leader leads", lambda: c.leads(leader, self.topic, epoch))
        say(f"4. broker 0 is back, broker {leader} leads in epoch {epoch}; it is sent y")
        later = self.acknowledged(c.produce(leader, self.topic, 2), leader)
        if answer != (0, 0):
            return f"{SAFE}: x was answered {answer}"
        return LOST if later == (0, 0) and not any("a" in log for log in self.logs()) else SAFE

    def offline(self):
        c = self.c
        self.acknowledged(c.produce(0, self.topic))
        for broker in (1, 0):
            c.pause(broker)
            self.fenced(broker)
        say(f"1. both are fenced: {self.state()}")
        if not self.options.control:
            self.set_min_isr(1)
        c.resume(0, 1)
        eventually("both are back", lambda: c.live(2) == [0, 1, 2])
        time.sleep(5)
        say(f"2. both are back, for five seconds: {self.state()}")
        return OFFLINE if self.state().leader == -1 else SAFE

    def off(self):
        c = self.c
        self.pause_behind(1)
        self.fenced(1)
        say(f"1. broker 1 is fenced: {self.state()}")
        if not self.options.control:
            self.switch(0)
        self.set_min_isr(1)
        eventually("broker 0 has applied that", lambda: int(c.nodes.up[0].order("applied")) >= c.metadata()[-1].offset)
        answer = self.acknowledged(c.produce(0, self.topic))
        c.pause(0)
        c.resume(1)
        eventually("broker 0 is fenced", lambda: self.state().leader != 0)
        result = self.ended(answer)
        if not self.options.control:
            self.switch(1)
        return result


def main(arguments):
    parser = parser_of(__doc__, "4.1 or later")
    parser.add_argument("case", choices=list(BEFORE))
    parser.add_argument("--control", action="store_true")
    options = parser.parse_args(arguments)
    release = release_named(options.release)
    if not release.elr or not release.elr[-1]:
        parser.error("a release from 4.1 on")
    expected = SAFE if options.control else OFFLINE if options.case == "offline" else LOST
    started = partial(KraftCluster.started, release, proxies=False, more=QUIET + FOREVER)
    about = f"{release.name} {options.case}, control {options.control}"
    return take_runs(options.runs, started, lambda *run: Run(options, *run).take(), expected, about)


if __name__ == "__main__":
    end_with(main)
