"""Every step tells what it changed, in facts and sentences."""

import random
from dataclasses import replace

import pytest
from highwater.model.language import (
    MEMBERS,
    NO_MEMBER,
    Model,
    Notation,
    Record,
    Settings,
    State,
    bag,
    flag,
    integer,
    many,
    map_of,
    member,
    seq,
    size,
)  # fmt: skip
from highwater.properties.property import always
from highwater.properties.registry import KAFKA, PUBLISHED
from highwater.traces.families.words import log
from highwater.traces.messages import messages
from highwater.traces.notation import LINE, PART, change_lines, describe, part_lines
from highwater.traces.trace import Step
from highwater.traces.why import why
from highwater.traces.words import letter, members
from hypothesis import given
from hypothesis import strategies as st

WIDE = {
    "brokers": 3, "partitions": 2, "log_size": 3, "max_records": 4, "max_batch": 2, "max_epoch": 3,
    "crashes": 3, "power_losses": 1, "session_expiries": 3, "message_losses": 2, "controller_changes": 2,
    "preferred_elections": 2, "unclean_elections": 2, "lost_epoch_files": 1, "topic_deletions": 1, "consumers": 1,
    "store": "answered", "fetch": "in-flight",
}  # fmt: skip
EMPTY = {"brokers": 2, "start": "empty", "crashes": 2, "controller_changes": 2, "topic_deletions": 1, "acks": "leader"}


def wander(model, config, seed, length):
    """Plain states of a walk that prefers rare actions."""
    chance, steps = random.Random(seed), model.steps(config)
    state = chance.choice(model.initial_states(config))
    yield state
    for _ in range(length):
        by_action = {}
        for action, _, successor in model.enabled(state, steps):
            by_action.setdefault(action.name, []).append(successor)
        if not by_action:
            return
        state = chance.choice(by_action[chance.choice(sorted(by_action))])
        yield state


def told_of(steps, revision="kip-101", **more):
    """The lines of each step of a short story, the initial state left out."""
    config = KAFKA.configure(revision, **more)
    states = [KAFKA.initial_states(config)[0]]
    for step in steps:
        name, *arguments = step.split()
        state = states[-1].copy()
        assert KAFKA.action(name).version(config)(state, *map(int, arguments)), step
        states.append(state)
    return list(change_lines(KAFKA, states))[1:]


@pytest.mark.parametrize("settings", [WIDE, EMPTY], ids=["wide", "empty"])
@pytest.mark.parametrize("revision", ["high-watermark", "kip-279"])
@pytest.mark.parametrize("seed", range(2))
def test_no_step_is_silent_and_no_line_too_long(settings, revision, seed):
    states = list(wander(KAFKA, KAFKA.configure(revision, **settings), seed, 50))
    for number, lines in enumerate(change_lines(KAFKA, states)):
        assert lines, f"step {number} tells nothing"
        assert max(map(len, lines)) <= LINE


def test_no_step_of_the_published_model_is_silent():
    states = list(wander(PUBLISHED, PUBLISHED.configure("kip-320"), 1, 40))
    assert all(change_lines(PUBLISHED, states))


def test_a_model_without_words_of_its_own_is_told_by_its_variables():
    state, plain = PUBLISHED.initial_states(PUBLISHED.configure("kip-320"))[0], replace(PUBLISHED, notation=Notation())
    assert describe(plain, state)["quorum"]["leader_epoch"] == str(state.quorum.leader_epoch)


def test_containers_are_told_by_what_they_hold():
    class Mail(Record):
        """A message."""

        to = member("who gets it")
        round = integer(1, 3, "its round, at first the lowest")

    class Post(State):
        """Queues, bags and maps."""

        queue = seq(member("who waits"), 2, "who waits")
        sent = bag(Mail, 2, "messages")
        votes = map_of(member("whose"), integer(0, 3, "votes"), 2, "votes")

    model = Model(state=Post, actions=[])
    s = Post(model.configure("only"))
    s.queue.append(1), s.sent.send(to=1), s.sent.send(to=0, round=2), s.votes.put(1, 3), s.votes.put(0, 2)
    facts = {"queue": "[1]", "sent": "{to 0, round 2; to 1, round 1}", "votes": "{0: 2; 1: 3}"}
    assert describe(model, s) == {part: {"value": text} for part, text in facts.items()}


def test_a_role_is_one_sentence_without_a_label():
    told = told_of(
        ["produce 0 0 0", "fetch 0 1 0", "expire_session 0", "see_broker_change 0", "elect_leader 0 0 1", "become_leader 0 1 1 0",
         "notice_session_expiry 0", "see_broker_change 0", "become_follower 0 0 1 0", "answer_epoch_request 0 1 0"],
        brokers=2,
    )  # fmt: skip
    assert told[5] == [
        "broker 1     log 0a|; leads in epoch 1, isr {1} v2; term began at 1",
        "promised     committed a@0 in epoch 1",
    ]
    assert told[6][-1] == "broker 0     registered in a new session"
    assert told[8] == ["broker 0     follows 1 in epoch 1, asks for epochs"]
    assert told[9] == ["broker 0     follows 1 in epoch 1, is answered: epoch 0 ends at 1"]


def test_a_crash_is_told_by_the_roles_that_end():
    told = told_of(["crash 0", "crash 1"], brokers=2, crashes=2)
    assert told == [["broker 0     no longer leads; process down"], ["broker 1     no longer follows; process down"]]


def test_a_start_is_told_before_the_role_that_it_takes():
    told = told_of(["crash 0", "expire_session 0", "start_broker 0"], brokers=2, crashes=1, session_expiries=0)
    assert told[2][-1].startswith("broker 0     process up; leads in epoch 0, isr {0 1} v1")


def test_facts_of_several_partitions_carry_their_number():
    told = told_of(["produce 1 1 0", "crash 1"], brokers=2, partitions=2, crashes=1)
    assert told[0] == ["broker 1     p1 log |0a; p1 epochs 0@0"]
    assert told[1] == ["broker 1     p0 no longer follows; p1 no longer leads; process down"]


def test_what_is_on_its_way_is_told_when_it_arrives():
    told = told_of(["produce 0 0 0", "send_fetch 0 1", "answer_fetch 0 0 1", "receive_fetch 0 1"], brokers=2, fetch="in-flight")
    assert told[1] == ["in flight    fetch of 1 from 0 from 0, epoch 0, last -1"]
    assert told[2] == ["in flight    fetch of 1 from 0 answered; response to 1 0a at 0, hw 0"]
    assert told[3][-1] == "in flight    response to 1 read or dropped"


def test_logs_letters_and_sets():
    config = KAFKA.configure("kip-320", max_batch=2, log_size=3)
    state = KAFKA.initial_states(config)[0]
    me = state.replica[0][0]
    assert log(me) == "|"
    state = state.copy()
    assert KAFKA.action("produce").version(config)(state, 0, 0, 1)
    assert KAFKA.action("produce").version(config)(state, 0, 0, 0)
    me = state.replica[0][0]
    assert log(me) == "|0a 0a 0b"
    me.hw = 2
    assert log(me) == "0a 0a|0b"
    me.hw = 3
    assert log(me) == "0a 0a 0b|"
    assert [letter(n) for n in (1, 26, 27, 53)] == ["a", "z", "a1", "a2"]
    assert (members(0), members(0b101)) == ("{}", "{0 2}")


facts = st.text(st.characters(codec="ascii", categories=["L", "N", "Zs"]), min_size=1, max_size=150).map(str.strip)


@given(st.lists(facts, min_size=1))
def test_lines_break_between_facts_and_fit(told):
    lines = part_lines("broker 1", told)
    assert max(map(len, lines)) <= LINE
    assert all(line.startswith(("broker 1", " " * PART)) for line in lines)
    assert "".join("".join(lines).split()) == "".join(("broker 1" + ";".join(told)).split())


class Clerk(Record):
    """Somebody at a desk."""

    role = flag("has the key")


class Desks(Settings):
    """How many clerks there are."""

    members = size(2, 2, 4, "clerks")


class Office(State):
    """Clerks, one of whom has the key."""

    clerk = many(Clerk, MEMBERS)
    chief = member("who has it")


def hand_over(s, giver, taker):
    """The key changes hands. Modifies: everything."""
    if giver == taker or not (s.clerk[giver].role or s.chief == NO_MEMBER):
        return False
    s.clerk[giver].role, s.clerk[taker].role, s.chief = 0, 1, taker
    return True


def somebody_has_it(s):
    """The key is with somebody."""
    return s.chief != NO_MEMBER


OFFICE = Model(
    state=Office,
    config=Desks,
    actions=[hand_over],
    properties=[always(somebody_has_it)],
    domains={"giver": MEMBERS, "taker": MEMBERS},
)


@pytest.mark.parametrize(
    ("notation", "said"),
    [
        (Notation(), "`s.chief != NO_MEMBER` is false with s.chief = nobody; chief is nobody"),
        (Notation(words={"chief": "the key is with {value}"}), "the key is with nobody"),
    ],
)
def test_a_model_of_ones_own_has_names_labels_arrows_and_words(notation, said):
    model = replace(OFFICE, notation=notation)
    (before,) = model.initial_states(model.defaults(next(iter(model.revisions))))
    after = before.copy()
    assert hand_over(after, 0, 1)
    assert list(change_lines(model, [before, after]))[1] == ["clerk[1]     role 1", "chief        value 1"]
    step = Step("hand_over", (("giver", 0), ("taker", 1)))
    (arrow,) = messages(model, [step], [before, after], [describe(model, one) for one in (before, after)])[1]
    assert (arrow.sender, arrow.receiver, arrow.text) == ("clerk[0]", "clerk[1]", "hand_over")
    assert why(model.properties[0], model, [before], 0).sentence.startswith(f"somebody_has_it is false: {said} (")


class Lamp(State):
    """A lamp."""

    on = flag("it is on")


def switch(s):
    """The lamp is switched on."""
    if s.on:
        return False
    s.on = True
    return True


def test_a_flag_is_written_as_a_number_also_after_true_was_assigned():
    model = Model(state=Lamp, actions=[switch])
    (before,) = model.initial_states(model.defaults("only"))
    after = before.copy()
    assert switch(after)
    assert list(change_lines(model, [before, after])) == [["on           value 0"], ["on           value 1"]]
