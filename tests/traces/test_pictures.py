"""Pictures are pure functions of a trace's document: a page, an SVG, a sequence diagram."""

import base64
import hashlib
import json
import random
import re
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser

import pytest
from highwater.model.vocabulary import Writing
from highwater.properties.catalogue import progress_of
from highwater.properties.explained_document import document_of, document_under
from highwater.properties.registry import KAFKA, MODELS
from highwater.traces.families.messages import store_pending
from highwater.traces.pictures.mermaid import mermaid
from highwater.traces.pictures.page import page
from highwater.traces.pictures.poster import poster
from highwater.traces.replay import replay
from highwater.traces.shrink import plain_states
from highwater.traces.text import read
from highwater.traces.trace import Trace, step_of

from .golden_table import GOLDEN
from .golden_table import golden as trace_of

S1, S6 = "s1_silent_divergence.kip-101", "s6_stale_leader_answers.kip-279"


def golden(name):
    trace = trace_of(name)
    return trace, MODELS[trace.model]


@cache
def told(name):
    return document_of(*golden(name), choices=False)


def beside(name, revision):
    trace, model = golden(name)
    return document_under(trace, model, revision, plain_states(trace, model))


def sent_in(document, number):
    return [(m["from"], m["to"], m["kind"], m["received"]) for m in document["states"][number]["#meta"]["messages"]]


def test_messages_are_on_their_way_from_one_step_to_another():
    s1 = told(S1)
    assert sent_in(s1, 5) == [
        ("controller", "zookeeper", "store write", 5),
        ("controller", "broker 0", "LeaderAndIsr", 6),
        ("controller", "broker 1", "LeaderAndIsr", None),
    ]
    assert ("zookeeper", "controller", "watch", 9) in sent_in(s1, 8)
    assert sent_in(s1, 15) == [("broker 0", "broker 1", "epoch request", 16)]
    assert sent_in(s1, 16) == [("broker 1", "broker 0", "epoch answer", 17)]
    assert sent_in(s1, 18) == [("broker 1", "broker 0", "fetch", 18)]
    assert ("controller", "broker 1", "LeaderAndIsr", 12) in sent_in(told(S6), 4)


def of_each_revision():
    """The shortest golden trace of each revision; all of them in the long tests."""
    first: dict[str, str] = {}
    for name in sorted(GOLDEN, key=lambda name: len(trace_of(name).steps)):
        first.setdefault(name.partition(".")[2], name)
    return list(first.values())


@pytest.mark.parametrize("names", [of_each_revision(), pytest.param(list(GOLDEN), marks=pytest.mark.long)], ids=["some", "all"])
def test_every_step_of_golden_traces_is_drawn(names):
    for name in names:
        document = told(name)
        parts = document["#meta"]["parts"]
        touched = set()
        for number, state in enumerate(document["states"]):
            for message in state["#meta"]["messages"]:
                assert message["from"] in parts and message["to"] in parts, (name, message)
                touched |= {number, message["received"]}
        assert set(range(1, len(document["states"]))) <= touched, name


def test_replicas_that_disagree_are_ringed_where_they_do():
    scene = told(S1)["states"][17]["#meta"]["scene"]
    assert [scene[f"broker {b}"]["logs"][0]["differs"] for b in (0, 1)] == [[2, 3], [2, 3]]
    assert scene["broker 1"]["badges"] == ["leads in epoch 2", "in the ISR"]
    before = told(S1)["states"][2]["#meta"]["scene"]
    assert before["broker 1"]["logs"][0] == {"partition": 0, "cells": [[0, "a"], [0, "a"]], "hw": 0, "leo": 2, "differs": []}


class Parts(HTMLParser):
    """What is inline in a page, and every address that it names."""

    def __init__(self):
        super().__init__()
        self.inline, self.addresses, self.policy, self.open = [], [], "", None

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        if named.get("http-equiv") == "Content-Security-Policy":
            self.policy = named["content"]
        self.addresses += [named[key] for key in ("src", "href", "data", "action") if key in named]
        assert not any(key.startswith("on") or key == "style" for key in named), named
        self.open = tag if tag == "style" or (tag == "script" and "type" not in named) else None

    def handle_data(self, data):
        if self.open:
            self.inline.append((self.open, data))
            self.open = None


@pytest.mark.parametrize("name", GOLDEN)
def test_a_page_is_small_and_needs_nothing_but_itself(name):
    text = page(told(name))
    assert len(text.encode()) < 100_000 * max(1.0, len(told(name)["states"]) / 30)
    parts = Parts()
    parts.feed(text)
    assert all(re.fullmatch(r"#\d+|data:,", address) for address in parts.addresses)
    assert "default-src 'none'" in parts.policy
    assert [tag for tag, _ in parts.inline] == ["style", "script"]
    for tag, inline in parts.inline:
        named = base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{named}'" in parts.policy
    for violation in told(name)["#meta"]["violations"]:
        assert f'id="row{violation["step"]}"' in text


def test_what_a_trace_says_cannot_leave_its_place():
    trace, model = golden(S1)
    hostile = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
    trace = replace(trace, comment=(hostile,), steps=tuple(replace(step, comment=(hostile,)) for step in trace.steps))
    text = page(document_of(trace, model, choices=False))
    assert "<img" not in text and text.count("<script") == 2
    ElementTree.fromstring(poster(document_of(trace, model, choices=False)))


def test_beside_another_revision_the_refusing_guard_and_what_was_enabled_are_shown():
    other = beside(S6, "kip-320")
    assert len(other["states"]) == 10 and "answer_epoch_request" in other["#meta"]["mismatch"]
    assert "the guard `not can_answer(" in other["#meta"]["mismatch"]
    text = page(told(S6), other)
    data = json.loads(re.search(r'id="data">(.*?)</script>', text)[1])
    assert data[1]["enabled"] and data[1]["mismatch"].startswith("answer_epoch_request partition=0 leader=1 follower=2")
    assert 10 in data[0]["differences"] and len(text.encode()) < 100_000
    assert beside(S1, "kip-279")["#meta"]["violations"] == []


@pytest.mark.parametrize("name", GOLDEN)
def test_an_svg_is_a_picture_by_itself(name):
    root = ElementTree.fromstring(poster(told(name)))
    assert root.tag.endswith("svg") and root.get("role") == "img"
    texts = ["".join(node.itertext()) for node in root.iter() if node.tag.endswith("text")]
    assert {str(number) for number in range(1, len(told(name)["states"]))} <= set(texts)
    assert not [node for node in root.iter() if node.tag.endswith(("script", "image", "use", "}a"))]
    last = told(name)["states"][-1]["#meta"]["scene"]
    has_logs = any(part.get("logs") for part in last.values())
    assert any(text.startswith("LEO ") for text in texts) == has_logs


def test_a_sequence_diagram_names_what_is_never_received_and_what_is_violated():
    text = mermaid(told(S1))
    assert text.startswith("sequenceDiagram\n    participant zookeeper as zookeeper\n")
    assert "    controller->>broker0: 5-6 LeaderAndIsr: lead\n" in text
    assert "    controller--xbroker1: 5 LeaderAndIsr: follow 0, never received\n" in text
    assert "Note over zookeeper,broker1: step 17: log_prefix_convergence is false" in text
    assert not re.search(r";(?!$)", re.sub(r"#\w+;", "", text))


def test_another_model_is_drawn_by_what_its_steps_change():
    trace = read("highwater trace 1\nmodel: published 0\nrevision: kip-320\ninitial: 0\n\n1 controller_elect_leader broker=1\n")
    document = document_of(trace, MODELS["published"], choices=False)
    assert document["#meta"]["parts"] == ["quorum", "replica 0", "replica 1", "replica 2"]
    assert sent_in(document, 1) == [("quorum", "quorum", "step", 1)]
    assert "replica 2" in page(document) and "replica 2" in poster(document)


def test_a_refused_fetch_and_a_session_of_another_model_have_their_senders():
    counted = document_of(trace_of("t7_counted_fetch.kip-320-2.8.0"), MODELS["kafka"], choices=False)
    assert ("broker 1", "broker 0", "fetch", 9) in sent_in(counted, 9) and "another history" in mermaid(counted)
    stale = document_of(trace_of("q17_stale_request.v2"), MODELS["designs"], choices=False)
    assert sent_in(stale, 1) == [("store", "broker 0", "session", 1)]


def test_what_compaction_has_deleted_is_drawn_in_brackets():
    document = document_of(trace_of("m9_uncommitted_value.kip-320"), MODELS["kafka"], choices=False)
    assert [0, "(a)"] in document["states"][-1]["#meta"]["scene"]["broker 0"]["logs"][0]["cells"]


def test_a_trace_without_steps_has_its_pictures_too():
    trace = read("highwater trace 1\nmodel: kafka 0\nrevision: kip-320\ninitial: 0\n")
    document = document_of(trace, MODELS["kafka"])
    assert document["states"][0]["#meta"]["enabled"] and document["states"][0]["#meta"]["refused"]
    assert "the initial state" in page(document) and "sequenceDiagram" in mermaid(document)
    ElementTree.fromstring(poster(document))


def walked(brokers, steps):
    """A random walk of the plain model, the same each time."""
    model, chance = MODELS["kafka"], random.Random(5)
    settings = {"brokers": brokers, "log_size": 40, "max_records": 60, "max_epoch": 24, "session_expiries": 9, "crashes": 9}
    state = model.initial_states(model.configure("kip-320", **settings))[0]
    taken = []
    while len(taken) < steps:
        action, arguments, state = chance.choice(list(model.enabled(state)))
        taken.append(step_of(action, arguments))
    return Trace("kafka", "0", "kip-320", settings, 0, tuple(taken)), model


def test_a_hundred_steps_at_five_brokers_take_a_few_seconds():
    trace, model = walked(5, 100)
    begun = time.process_time()
    text = page(document_of(trace, model, choices=False))
    assert time.process_time() - begun < 6  # it takes less than one
    assert text.count('class="row"') == 100


def test_stop_replica_is_received_by_who_obeys_it():
    told_of = told("late_command_after_stop_replica.kip-320")
    assert ("controller 0", "broker 0", "StopReplica", 10) in sent_in(told_of, 9)
    assert sent_in(told_of, 10) == []


def test_writes_that_are_asked_for_are_on_their_way_to_the_store():
    class Anything:
        def __init__(self, **named):
            self.__dict__.update(named)

    def state(asked, phase):
        decision, write = Anything(asked=asked), Anything(phase=phase, isr=3, earlier=0)
        return Anything(controller=[0], decision=[[decision]], isr_write=[[write]])

    assert store_pending(state(0, Writing.QUIET)) == {} == store_pending(Anything(controller=[0]))
    assert set(store_pending(state(1, Writing.QUIET)).values()) == {("controller", "zookeeper", "leaderAndISR")}
    assert set(store_pending(state(0, Writing.REQUESTED)).values()) == {("broker 0", "zookeeper", "ISR {0 1}")}
    assert set(store_pending(state(0, Writing.REFUSED)).values()) == {("zookeeper", "broker 0", "refused")}


def test_a_trace_that_never_ends_is_drawn_with_what_it_avoids():
    model = MODELS["kafka"]
    goal = next(claim for claim in progress_of(KAFKA) if claim.of_progress)
    trace, _ = golden(S1)
    trace = replace(trace, property=goal.name, cycle=len(trace.steps) + 1)
    result = replay(trace, model)
    result.broken[goal.name] = len(trace.steps)
    document = document_of(trace, model, result, choices=False)
    (violation,) = document["#meta"]["violations"]
    assert violation["property"] == goal.name and violation["why"].startswith(f"{goal.name} is violated: ")
    assert violation["why"].split(" is violated: ")[1] in page(document)
    assert document_under(trace, model, "kip-279", result.states)["#meta"]["violations"] == []
