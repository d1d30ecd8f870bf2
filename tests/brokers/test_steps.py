"""What a step of the model is on real brokers, what cannot be forced, and which walks are taken."""

import inspect
from collections import defaultdict
from functools import partial

import pytest

pytest.importorskip("kafka")

from highwater.properties.registry import KAFKA
from highwater.traces.brokers.compare import Difference
from highwater.traces.brokers.explain import REASONS, Case, explain
from highwater.traces.brokers.releases import RELEASES, release_named
from highwater.traces.brokers.steps import NOTHING_TO_DO, STEPS, CannotForce, Steps
from highwater.traces.brokers.walks import NEVER, possible, sizes, walk
from highwater.traces.replay import replay
from highwater.traces.text import read, read_file, write
from highwater.traces.trace import Step
from support.pages import is_written
from support.play import play

from ..traces.golden_table import FOLDER


def test_every_action_of_the_model_has_its_place():
    names = {action.name for action in KAFKA.actions}
    assert not set(STEPS) & set(NOTHING_TO_DO)
    assert names == set(STEPS) | set(NOTHING_TO_DO)


def test_the_page_says_how_each_step_is_performed(request):
    shown = defaultdict(list)
    for name, step in STEPS.items():
        why = step.args[0] if isinstance(step, partial) else ""
        shown[f"refused: {why}" if why else " ".join((step.__doc__ or "").split())].append(f"`{name}`")
    ordered = sorted(shown.items(), key=lambda pair: pair[0].startswith("refused"))
    rows = "\n".join(f"| {', '.join(names)} | {text} |" for text, names in ordered)
    assert is_written("docs/brokers.md", "steps", f"| step | on the brokers |\n| --- | --- |\n{rows}", request)


@pytest.mark.parametrize("name", sorted(STEPS))
def test_procedures_take_the_parameters_of_their_action(name):
    parameters = inspect.signature(STEPS[name]).parameters
    if not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        assert tuple(parameters)[1:] == KAFKA.action(name).parameters


@pytest.mark.parametrize("name", ["lose_power", "delete_unnamed", "truncate_on_divergence", "fail_epoch_request"])
def test_what_cannot_be_forced_is_refused_with_a_sentence(name):
    arguments = dict.fromkeys(KAFKA.action(name).parameters, 0)
    with pytest.raises(CannotForce, match=r"\w+ \w+ \w+"):
        STEPS[name](Steps.__new__(Steps), **arguments)


def configuration(release, brokers=3):
    return KAFKA.configure(release.revision, **{**release.settings, **sizes(KAFKA, brokers)})


@pytest.mark.parametrize("release", RELEASES, ids=lambda r: r.name)
def test_walks_are_behaviours_of_the_model_and_the_same_each_time(release):
    config = configuration(release)
    trace = walk(KAFKA, release, config, 22, 5)
    assert trace == walk(KAFKA, release, config, 22, 5) != walk(KAFKA, release, config, 22, 6)
    assert not replay(trace, KAFKA).mismatch
    assert read(write(trace)).steps == trace.steps


def test_walks_leave_out_what_brokers_do_not_do():
    release = release_named("3.9")
    config = configuration(release)
    for seed in range(20):
        trace = walk(KAFKA, release, config, 22, seed)
        states = replay(trace, KAFKA).states
        for number, step in enumerate(trace.steps):
            assert step.action not in NEVER
            labels = {a.label(arguments) for a, arguments, _ in possible(KAFKA, release, states[number])}
            assert step.label in labels


def test_what_nobody_knows_is_not_explained():
    release = release_named("3.9")
    trace = walk(KAFKA, release, configuration(release), 5, 1)
    states = replay(trace, KAFKA).states
    case = Case(release, states[0], states[1], Step("produce", (("partition", 0),)), [Difference("broker 0", "log", "0a", "0b")])
    assert explain(case) is None
    assert len({reason.name for reason in REASONS}) == len(REASONS)


def test_the_page_has_the_reasons(request):
    rows = [f"| {reason.name} | {reason.sentence} | {reason.here} |" for reason in REASONS]
    head = "| reason | Kafka | the model |\n| --- | --- | --- |\n"
    assert is_written("docs/brokers.md", "reasons", head + "\n".join(rows), request)


def test_the_first_fetch_of_a_session_is_a_known_reason():
    """KAFKA-9338: the model does not know which fetch that is. Between brokers in one epoch it is none."""
    trace = read_file(str(FOLDER / "t7_fetch_session.kip-320-2.1.1.trace"))
    states, wrong = replay(trace, KAFKA).states, [Difference("broker 2", "log", "0a", "nothing")]
    for number, name in ((14, "first fetch of a session"), (5, None)):
        case = Case(release_named("2.1"), states[number - 1], states[number], trace.steps[number - 1], wrong)
        assert getattr(explain(case), "name", None) == name


OFFLINE = "crash broker=0\nexpire_session broker=0\nsee_broker_change\ntake_offline"


def test_a_broker_that_starts_without_a_leader_knows_no_epoch():
    before, after = (play("kip-279", script, brokers=1, crashes=1) for script in (OFFLINE, f"{OFFLINE}\nstart_broker broker=0"))
    step, wrong = Step("start_broker", (("broker", 0),)), [Difference("broker 0", "leader", "(None, 0)", "(None, -1)")]
    assert explain(Case(release_named("2.0"), before, after, step, wrong)).name == "starts without a leader"
    assert explain(Case(release_named("2.0"), before, before, Step("crash", step.arguments), wrong)) is None
