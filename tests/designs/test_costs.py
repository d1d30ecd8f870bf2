"""Q16, Q17, Z9: what a failover costs, counted on every path through it, and the formulas.

`pytest --rewrite-golden tests/designs/test_costs.py` writes the table in docs/designs.md.
"""

import json
from functools import cache

import pytest
from highwater.explorer.command_line import main
from highwater.explorer.plain.costs import cheapest_and_dearest, in_sequence
from highwater.model.controller import multi
from highwater.model.language.costs import Cost
from highwater.model.vocabulary import Purpose
from highwater.properties.registry import MODELS
from support.elsewhere import refused
from support.kafka import KAFKA, explored, first, tiny
from support.mutants import in_place_of
from support.pages import is_written

DESIGNS = MODELS["designs"]
LATENCY = 4
"""Milliseconds of a write to the store (V3 discussion 1)."""

COLUMNS = {
    "V1": (DESIGNS, "v1", {"crashes": 1}),
    "K1": (DESIGNS, "v1-sequence", {"crashes": 1}),
    "K1, predecessor": (DESIGNS, "v1-sequence", {"crashes": 1, "sequence_watch": "predecessor"}),
    "V2": (DESIGNS, "v2", {"crashes": 1}),
    "V3": (KAFKA, "v3", {"crashes": 1}),
    "V3 with multi": (KAFKA, "v3", {"crashes": 1, "decisions": "multi"}),
    "V3, the controller stops": (KAFKA, "v3", {"crashes": 1, "controller_changes": 1}),
}


def configured(column, brokers, partitions, **settings):
    """The model and a configuration of a column."""
    model, revision, own = COLUMNS[column]
    return model, model.configure(revision, **{"brokers": brokers, "partitions": partitions, **own, **settings})


counted = cache(cheapest_and_dearest)
SIZES = [(2, 1), (3, 1), (2, 2), (3, 2), (4, 1)]


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize(("brokers", "partitions"), SIZES, ids=str)
def test_q16_q17_the_formula_is_what_is_counted(column, brokers, partitions):
    """Reads, writes, watches and requests on the cheapest and on the dearest path, of all ways that there are."""
    model, config = configured(column, brokers, partitions)
    if column.endswith("stops") and brokers * partitions > 3:
        config = config.with_(store="atomic")  # the same operations, and fewer orders of them
    cheapest, dearest = counted(model, config)
    assert (cheapest.cost, dearest.cost) == model.failover.formula(config, partitions)


def at(column, partitions, brokers=3):
    """By the formula, for a number of partitions that no exploration has."""
    model, config = configured(column, brokers, 1)
    return model.failover.formula(config, partitions)


def test_q16_one_write_for_each_partition_or_one_multi_or_n_sessions():
    """10,000 partitions at 4 ms: 40 s. One operation with multi. A tenth with ten sessions."""
    assert at("V3", 10_000)[0].writes * LATENCY == 40_000
    assert at("V3 with multi", 10_000)[0].writes * LATENCY == LATENCY
    for partitions in (1, 2, 3, 4):
        model, config = configured("V3", 2, partitions, store="atomic", log_size=1, max_records=1)
        path, _ = cheapest_and_dearest(model, config)
        for sessions in (1, 2, 3):
            assert in_sequence(path, "partition", sessions) == -(-partitions // sessions)


def test_q17_six_remote_calls_through_the_queue_and_one_directly():
    """A request through the queue: it is written, the watch fires, it is read and deleted. V3's is one call."""
    costs = {name: DESIGNS.action(name).cost for name in ("take_request", "create_leader", "obey_command")}
    model, config = configured("V2", 3, 1)
    (state,) = model.initial_states(config)
    after = state.copy()
    after.queue[1][0].waits = 1
    after.node[0].leader = 2
    put = costs["create_leader"](state, after)
    assert put == Cost(writes=2)  # the leader node, and the request
    assert Cost(writes=1).plus(costs["take_request"]).calls == 6
    assert KAFKA.action("send_command").cost.calls == 1


def table():
    """The table in the document."""
    lines = ["| | " + " | ".join(COLUMNS) + " |", "| --- |" + " --- |" * len(COLUMNS)]
    rows = {name: [] for name in (*Cost._fields, "remote calls", "at 10,000 partitions", "writes at 10,000 partitions")}
    for column in COLUMNS:
        model, config = configured(column, 3, 1)
        both = [path.cost for path in counted(model, config)]
        assert tuple(both) == at(column, 1)
        for field in Cost._fields:
            rows[field].append(ends(getattr(cost, field) for cost in both))
        rows["remote calls"].append(ends(cost.calls for cost in both))
        rows["at 10,000 partitions"].append(ends(cost.calls for cost in at(column, 10_000)))
        rows["writes at 10,000 partitions"].append(ends(cost.writes for cost in at(column, 10_000)))
    return "\n".join([*lines, *(f"| {name} | " + " | ".join(cells) + " |" for name, cells in rows.items())])


def ends(two):
    """The least and the most, once where they are the same."""
    least, most = two
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def test_q16_q17_the_table_is_as_written(request):
    assert is_written("docs/designs.md", "costs", table(), request)


def test_the_command_says_what_was_counted(tmp_path, capsys):
    path = tmp_path / "cost.json"
    command = ["cost", "--revision", "v3", "--brokers", "3", "--partitions", "2", "--crashes", "1", "--at", "10000"]
    assert main([*command, "--sessions", "10", "--json", str(path)]) == 0
    cheapest, _, many, _ = json.loads(path.read_text())["failovers"]
    assert (cheapest["writes"], cheapest["requests"], cheapest["writes in sequence"]) == (2, 4, 1)
    assert (many["writes"], many["seconds"]) == (10_000, 4.0)
    out = capsys.readouterr().out
    assert "50,002" in out and out.splitlines()[1].startswith("at brokers 3, ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--model", "published", "--revision", "kip-320"], "declares no costs"),
        (["--revision", "v3"], "cannot happen here; its budget is missing"),
        (["--revision", "v3", "--crashes", "1", "--sessions", "0"], "must be a whole number above 0"),
        (["--revision", "v3", "--crashes", "1", "--property", "weak_isr"], "checks no property"),
    ],
)
def test_what_cannot_be_counted_is_a_sentence(arguments, said, capsys):
    assert said in refused(capsys, "cost", *arguments)


TWO = {"partitions": 2, "store": "answered", "session_expiries": 1}


def test_z9_a_multi_keeps_what_single_writes_keep():
    """Everything reachable with two partitions that are decided together: nothing is violated that is not violated one by one."""
    assert explored(**TWO, decisions="multi") == explored(**TWO)


def write_what_holds(s, controller):
    """The store carries out those writes whose own version still holds, and refuses the others."""
    together = [partition for partition in range(s.config.partitions) if multi.goes_together(s, controller, partition)]
    for partition in together:
        request = s.decision[partition][controller]
        if multi.succeeds(s, controller, partition):
            decision = request.leader, request.leader_epoch, request.isr
            multi.carry_out(s, controller, partition, *decision, Purpose.TOGETHER)
        multi.forget_decision(s, controller, partition)
    return bool(together)


def test_z9_the_store_carries_out_all_or_none():
    config = tiny(**TWO, decisions="multi")
    with in_place_of(KAFKA, {multi.write_all: write_what_holds}):
        assert first(config, "multi_is_all_or_nothing") == {"multi_is_all_or_nothing": 8}
