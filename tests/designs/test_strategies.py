"""K2, Q12: the largest number of crashes without loss and with progress, by commit of the ISR and of a majority.

`pytest --rewrite-golden tests/designs/test_strategies.py` writes the table in docs/designs.md.
"""

from functools import cache

import pytest
from highwater.explorer.local.check import check
from highwater.explorer.plain.breadth_first import breadth_first
from highwater.explorer.request import Request
from highwater.properties.catalogue import progress_of, properties_of
from highwater.properties.registry import MODELS
from support.exploring import everything
from support.mutants import first_violation, without
from support.pages import is_written

STRATEGIES = MODELS["strategies"]
PROPERTIES = {p.name: p for p in properties_of(STRATEGIES)}
PROGRESS = {p.name: p for p in progress_of(STRATEGIES)}
HEADINGS = {
    "isr": "ISR, only stopped replicas leave it",
    "isr-slow-followers": "ISR, lagging replicas leave it too",
    "majority": "majority",
}


def sizes(brokers):
    """Two records, but one with five replicas: 98,370 states are enough for a test."""
    return {"log_size": 1, "max_records": 1} if brokers == 5 else {}


@cache
def explored(revision, brokers, crashes, **settings):
    """Everything reachable: the states, and what is violated, with the steps of a shortest counterexample."""
    return everything(STRATEGIES, revision, **{"brokers": brokers, "crashes": crashes, **sizes(brokers), **settings})


def tolerated(revision, brokers):
    """How many replicas may stop: with one more something is violated. The states explored with that many."""
    crashes = next(number for number in range(brokers + 1) if explored(revision, brokers, number)[1])
    return crashes - 1, explored(revision, brokers, crashes - 1)[0], explored(revision, brokers, crashes)[1]


def table():
    """The table in the document."""
    lines = ["| replicas | " + " | ".join(HEADINGS.values()) + " |", "| --- |" + " --- |" * len(HEADINGS)]
    for brokers in range(1, 6):
        cells = [f"**{crashes}** ({states:,} states)" for crashes, states, _ in (tolerated(r, brokers) for r in HEADINGS)]
        lines.append(f"| {brokers} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def test_q12_the_table_is_as_written(request):
    assert is_written("docs/designs.md", "strategies", table(), request)


@pytest.mark.parametrize("brokers", range(1, 6))
def test_q12_f_plus_one_replicas_against_two_f_plus_one(brokers):
    """ISR: n - 1 may stop, where only they leave the ISR. A majority: (n - 1) / 2. What ends it is progress, never loss."""
    expected = {"isr": brokers - 1, "isr-slow-followers": 0, "majority": (brokers - 1) // 2}
    for revision, most in expected.items():
        crashes, _, violated = tolerated(revision, brokers)
        assert crashes == most
        assert set(violated) == set(PROGRESS)


def test_q12_a_slow_follower_makes_one_crash_enough():
    """Followers lag and leave the ISR, the leader stops: nobody that runs may be elected, however many replicas there are."""
    assert explored("isr-slow-followers", 3, 1)[1]["leader_can_serve"] == 4
    assert "leader_can_serve" not in explored("isr", 3, 2)[1]


def test_k2_the_longest_log_is_not_enough_once_stopped_replicas_come_back():
    """ZH's longest log: a record that only a stopped leader has makes its log as long as that of who has what was committed."""
    settings = {"crashes": 2, "restarts": 1, "log_size": 1, "max_records": 2}
    longest, latest = (explored("majority", 3, **settings, election=one)[1] for one in ("longest-log", "latest-epoch"))
    assert (longest["no_committed_data_loss"], longest["commits_agree"]) == (10, 13)
    assert set(latest) == set(PROGRESS)  # two of three have stopped


def test_k2_records_of_earlier_epochs_are_not_committed_by_counting():
    """Raft's other rule (figure 8), which ZH does not have either: what is counted to a majority may still be overwritten."""
    config = STRATEGIES.configure("majority", crashes=4, restarts=3, max_records=3, election="latest-epoch")
    request = Request(STRATEGIES, "majority", config, [PROPERTIES["no_committed_data_loss"]], generic=True)
    assert [finding.steps for finding in check(request).findings] == [13]


def test_the_engine_reaches_what_plain_python_does():
    settings = {"crashes": 2, "restarts": 1}
    for revision in ("isr-slow-followers", "majority"):
        config = STRATEGIES.configure(revision, brokers=3, log_size=1, max_records=1, **settings)
        plain = sum(action is None for _, _, action, _, _ in breadth_first(STRATEGIES, config))
        assert explored(revision, 3, log_size=1, max_records=1, **settings)[0] == plain


ONE = {"log_size": 1, "max_records": 1}
LACKS = "contains(s.isr, broker) and (not holds(s, broker, s.hw))"
SLOW = "isr-slow-followers"
MUTANTS = [
    ("a record waits for all of the ISR", f"by_isr.commit_by_isr: {LACKS}", "isr", {}, 3),
    ("only a member of the ISR is elected", "by_isr.elect_isr_member: not contains(s.isr, broker)", SLOW, {}, 7),
    (
        "who joins the ISR has all of the leader's log",
        "by_isr.expand_isr: s.replica[follower].leo < s.replica[s.leader].leo", SLOW, {}, 6,
    ),
    (
        "a record waits for a majority",
        "by_majority.commit_by_majority: having < s.config.majority", "majority", {}, 5,
    ),
    (
        "an election needs a majority",
        "by_majority.elect_longest_log: how_many_run(s) < s.config.majority", "majority", {"crashes": 2}, 7,
    ),
    (
        "the longest log is elected",
        "by_majority.elect_longest_log: s.replica[other].up and is_ahead(s, other, broker)", "majority", {}, 6,
    ),
    (
        "a follower cuts its log where it leaves its leader's",
        "replication.follow: me.leo = end", "majority", {"crashes": 2, "restarts": 1, "max_records": 2}, 6,
    ),
]  # fmt: skip


MUTANT = ("purpose", "rule", "revision", "settings", "level")


@pytest.mark.parametrize(MUTANT, MUTANTS, ids=[m[0] for m in MUTANTS])
def test_without_the_rule(purpose, rule, revision, settings, level):
    """Something is violated at the level that is written above, and nothing with the rule."""
    config = STRATEGIES.configure(revision, **{**ONE, **settings})
    names = [name for name, p in PROPERTIES.items() if p.kind == "always" and p.applies(config)]
    if "restarts" not in settings:
        assert not set(explored(revision, 3, **{"crashes": 1, **ONE, **settings})[1]) & set(names)
    else:
        names = ["followers_have_a_prefix"]
    with without(STRATEGIES, rule):
        found = first_violation(STRATEGIES, config, names, PROPERTIES)
    assert min(found.values()) == level
