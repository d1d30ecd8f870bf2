"""The small models in the engines that take any model: formulas beside plain Python, graphs, replayed traces, pictures."""

import pytest
from highwater.explorer.command_line import main
from highwater.explorer.plain.explore import explore_plain
from highwater.explorer.symbolic.relation import Relation
from highwater.explorer.verdict import EXIT_HOLDS, EXIT_STUCK, EXIT_VIOLATED
from highwater.model.language.kinds import fill
from highwater.properties.registry import MODELS
from support.agreement import compare_on

ONE = {"log_size": 1, "max_records": 1}
CASES = [
    ("strategies", "isr-slow-followers", {"brokers": 2, **ONE}),
    ("strategies", "majority", {"brokers": 3, **ONE}),
    ("designs", "v1", {"brokers": 2}),
    ("designs", "v1-sequence", {"brokers": 2}),
    ("designs", "v2", {"brokers": 2, "crashes": 0}),
    ("designs", "v3", {"brokers": 2}),
]


@pytest.mark.parametrize(("name", "revision", "settings"), CASES, ids=str)
def test_the_symbolic_step_agrees_with_the_plain_one(name, revision, settings):
    model = MODELS[name]
    config = model.configure(revision, **settings)
    reached = sorted(explore_plain(model, config).depth_of)
    states = [fill(model.state(config), numbers) for numbers in reached[:: 1 + len(reached) // 40]]
    _, enabled, outside = compare_on(Relation(model, config), states)
    assert enabled > len(states) and outside == 0


@pytest.mark.parametrize(
    ("name", "code"), [("q18_split_brain", EXIT_VIOLATED), ("q18_lost_watch", EXIT_STUCK), ("q17_stale_request", EXIT_STUCK)]
)
def test_golden_traces_are_replayed_and_drawn(name, code, tmp_path, capsys):
    """Of a stall the replay explores what can follow, and believes nothing."""
    assert main(["replay", name]) == code
    assert main(["show", name, "--html", str(tmp_path / "page.html")]) == EXIT_HOLDS
    assert "broker 1" in (tmp_path / "page.html").read_text()
    capsys.readouterr()


def test_a_graph_of_a_small_model(capsys):
    assert main(["graph", "--model", "strategies", "--revision", "majority", "--brokers", "2", "--format", "dot"]) == EXIT_HOLDS
    assert "elect" not in capsys.readouterr().out, "one of two is no majority"
