"""Choices: members to the model, numbers to compiled code, names to people; every engine finds the same."""

import pickle

import pytest
from highwater.explorer.local.check import check
from highwater.explorer.request import Request
from highwater.explorer.symbolic.proof import ProofRequest, prove
from highwater.explorer.symbolic.solving import BROKEN, PROVED
from highwater.model.language import Choice, Settings, UsageError, cells, choice, size
from highwater.model.language.errors import LanguageError
from highwater.model.language.kinds import leaves, walk
from highwater.model.language.machine_code.layout import Layout
from highwater.model.language.reading.program import program
from highwater.model.language.reading.source import source_of
from highwater.model.language.reading.specialise import specialise
from highwater.traces.itf import expression
from highwater.traces.notation import describe
from highwater.traces.replay import replay
from support.exploring import compile_generic, finished, reachable
from support.lamps import LAMP_PROPERTIES, LAMPS, House, Lamps, Light, Wiring, strike, turn_up


def test_a_member_is_a_number_that_has_a_name():
    assert [int(one) for one in Light] == [0, 1, 2, 3] and Light.BRIGHT.says == "it is on"
    assert (Wiring.ALL_AT_ONCE.text, Wiring.OLD_ONE.text) == ("all-at-once", "1950s")
    assert repr((Light.BRIGHT,)) == "(2,)" and f"{Light.DIM}" == "1" and hash(Light.DIM) == hash(1)


def test_people_write_names_and_the_model_reads_members():
    config = House(wiring="1950s")
    assert config.wiring is Wiring.OLD_ONE and config.shown()["wiring"] == "1950s" and config.breakable == 2
    assert House(wiring=Wiring.OLD_ONE) == config == pickle.loads(pickle.dumps(config)) and House().wiring is Wiring.APART
    assert House.settings["wiring"].doc == "how the lamps are wired"
    assert {type(value) for _, value in config.numbers()} == {int}
    with pytest.raises(UsageError, match="wiring must be one of apart, all-at-once, 1950s, not 'apart '"):
        House(wiring="apart ")
    with pytest.raises(UsageError, match="not 2"):
        House(wiring=Light.BRIGHT)


def test_whoever_writes_a_number_the_state_holds_the_member():
    state = Lamps(House())
    assert state.lamp[0].light is Light.DARK and state.before[1] is Light.DARK
    state.lamp[0].light, state.before[1] = 2, 1
    assert state.lamp[0].light is Light.BRIGHT and state.before[1] is Light.DIM
    twin = state.copy()
    twin.before[1] = 3
    assert twin.before[1] is Light.BROKEN and state.before[1] is Light.DIM and state == state.copy()
    layout = Layout(LAMPS, "small")
    rows = layout.rows(state.config, 1)
    layout.write(state, rows[0])
    read = layout.read(rows[0], state.config)
    assert all(isinstance(value, Light) for value in leaves(read)) and cells(read) == cells(state)


@pytest.mark.parametrize("revision", LAMPS.revisions)
def test_engines_agree(revision):
    config = LAMPS.configure(revision)
    search = finished(compile_generic(LAMPS, config, LAMP_PROPERTIES), LAMP_PROPERTIES, keep_going=True)
    assert search.states == len(list(reachable(LAMPS, config)))
    exact = check(Request(LAMPS, revision, config, LAMP_PROPERTIES, keep_going=True, until_found=True))
    assert exact.distinct_states == search.states
    for finding in exact.findings:
        if finding.trace is not None:
            ran = replay(finding.trace, LAMPS, LAMP_PROPERTIES)
            assert not ran.mismatch and finding.property.name in {**ran.broken, **ran.witnessed}
    symmetric = check(Request(LAMPS, revision, config, LAMP_PROPERTIES, symmetry=True, keep_going=True, until_found=True))
    assert [finding.verdict for finding in symmetric.findings] == [finding.verdict for finding in exact.findings]


def test_a_setting_that_decides_costs_nothing():
    whole = program([turn_up, strike], settings=House)
    folded = specialise(whole, LAMPS.configure("apart"), Lamps)
    assert "wiring" not in folded.text() and "is" not in folded.text().split()
    text = {piece.name: piece.text for piece in source_of(LAMPS, LAMPS.configure("apart"))}
    assert "me.light is Light.BROKEN" in text["turn_up"] and "Wiring" not in text["turn_up"] + text["strike"]


def test_z3_reads_members():
    config = LAMPS.configure("old")
    assert prove(ProofRequest(LAMPS, "old", config, LAMP_PROPERTIES[:1], [])).verdict == PROVED
    together = LAMPS.configure("together")
    assert prove(ProofRequest(LAMPS, "together", together, LAMP_PROPERTIES[:1], [])).verdict == BROKEN


def test_people_read_names():
    state = LAMPS.initial_states(House())[0]
    turn_up(state, 0)
    assert describe(LAMPS, state)["lamp[0]"] == {"light": "dim"} and describe(LAMPS, state)["last"] == {"light": "dark"}
    assert expression(state)["lamp"] == [{"light": "dim"}, {"light": "dark"}]
    assert next(kind.text(value) for _, kind, value in walk(Lamps, state)) == "dim"


def test_what_is_no_member_is_refused(tmp_path):
    def refusal(body):
        space = {"Light": Light}
        (tmp_path / "wrong.py").write_text(f"def wrong(s):\n    return {body}\n")
        exec(compile((tmp_path / "wrong.py").read_text(), str(tmp_path / "wrong.py"), "exec"), space)
        with pytest.raises(LanguageError) as error:
            program([space["wrong"]])
        return str(error.value)

    assert "wrong.py:2: Light.DIN, which is not there (did you mean DIM?), in wrong" in refusal("s.lamp[0].light is Light.DIN")
    wanted = "`is` with something other than a member of a Choice, where == compares, in wrong"
    assert wanted in refusal("s.lamp[0].light is s.lamp[1].light")


def test_names_that_cannot_stand_in_a_trace_are_refused():
    class Bad(Choice):
        """Bad."""

        ONE = "says", "a b"

    with pytest.raises(UsageError, match="a choice"):
        choice(Bad)


def test_names_without_a_class_still_work():
    class Old(Settings):
        """As it was."""

        acks = choice(["all", "leader"], "who has it")
        lamps = size(1, 1, 2, "lamps")

    assert Old(acks="leader").acks == 1 and Old().shown()["acks"] == "all"
