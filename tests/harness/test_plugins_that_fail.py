"""A plugin's property that writes, reads beyond an array or divides by zero never becomes a verdict, in any engine."""

import io
import json
import re
import textwrap
from pathlib import Path

import pytest
from highwater.explorer.budget import Bounds
from highwater.explorer.compiling.compiled import Compiled
from highwater.explorer.local.breadth_first import BreadthFirst
from highwater.explorer.local.uncompiled import uncompiled
from highwater.explorer.spark.expansion import Expander, Expansion
from highwater.explorer.stats.witnesses import Witnesses
from highwater.model.language.errors import LanguageError, ModelError
from highwater.model.language.machine_code.layout import Layout
from highwater.model.language.machine_code.loader import load
from highwater.model.language.machine_code.lowered_kinds import LoweringError
from highwater.model.language.machine_code.lowering import Lowering
from highwater.model.language.reading.plugin_checks import with_plugin_checks
from highwater.model.language.reading.program import program
from highwater.properties.plugins import models_with
from highwater.properties.property import sometimes
from support.elsewhere import highwater
from support.toys import COUNTERS, total

PLUGIN = """
from highwater.properties.extended import extended
from highwater.properties.property import always, recoverable, step
from support.toys import COUNTERS, total
from highwater.model.members import contains as has

ZERO, steps = 0, 1

def helper(s, counter):
    return s.count[counter]

def agreed(s, number):
    return True

{function}

def register(models):
    return [extended(COUNTERS, properties=[{kind}(claim, "only")])]
"""
SUBJECT = ["--model", "counters", "--revision", "only", "--counters", "2"]


def function_of(body, parameters="s", name="claim"):
    """The text of a property with this body."""
    return f"def {name}({parameters}):\n    '''A claim.'''\n" + textwrap.indent(textwrap.dedent(body).strip(), "    ") + "\n"


@pytest.fixture
def run(here):
    """A command with a plugin whose claim has this body, where counters go up to `top`."""

    def ran(body, *command, kind="always", top=4):
        function = function_of(body, "s, t" if kind == "step" else "s")
        return here(command[0], *SUBJECT, "--top", top, *command[1:], plugin=PLUGIN.format(function=function, kind=kind))

    return ran


ENGINES = {
    "exact": ["check", "--quiet"],
    "generic": ["check", "--quiet", "--generic"],
    "walk": ["walk", "--walks", "50", "--generic"],
    "play": ["play", "--seconds", "100"],
    "graph": ["graph"],
    "prove": ["prove", "--property", "claim"],
}

FAILING = {
    "beyond the configuration, within the layout": ("return s.count[total(s)] >= 0", "index 2 in an array of 2"),
    "a negative index": ("return s.count[0 - total(s)] >= 0", "index -1 in an array of 2"),
    "in what it calls": ("return helper(s, total(s)) >= 0", "index 2 in an array of 2"),
    "a division by zero": ("return 4 // (3 - total(s)) < 9", "by zero"),
    "a remainder by zero": ("return 4 % (3 - total(s)) < 9", "by zero"),
    "a shift by a negative number": ("return 1 << (2 - total(s)) < 9", "negative shift count"),
}
CASES = [(failing, engine) for failing in FAILING for engine in ("exact", "generic")]
CASES += [(next(iter(FAILING)), engine) for engine in ("walk", "play", "graph")]
CASES += [("a division by zero", engine) for engine in ("walk", "play", "graph", "prove")]


CHOSEN = "".join(f"if s.config.top == {top}:\n    {body}\n" for top, (body, _) in enumerate(FAILING.values(), 4)) + "return True"
"""One claim, which fails in the way that a setting chooses: code for all configurations is compiled once for all of them."""


@pytest.mark.parametrize(("failing", "engine"), CASES)
def test_what_fails_while_it_runs_ends_in_75_with_its_place(run, failing, engine):
    said = FAILING[failing][1] if engine != "prove" else "a division by a number that may be 0"
    code, out, error = run(CHOSEN, *ENGINES[engine], top=4 + list(FAILING).index(failing))
    assert code == 75 and "holds" not in out and "violated" not in out, (code, out, error)
    told = [line for line in error.splitlines() if "compiling: " not in line]  # on a slow machine, with the time before it
    assert len(told) == 1 and said in told[0] and "plugin_" in told[0] and ".py:" in told[0], error


BEYOND, GOAL = "index 2 in an array of 2", "return s.count[total(s)] >= 0"
LARGE = {
    "return s.count[0] << 62 >= 0": "a shift beyond 64 bits",
    "return total(s) * 1000000007 * 2000000014 >= 0": "a product beyond 64 bits",
}
"""It was cut: compiled code said violated, and plain Python, where it ended before the compiler, holds."""

LEFT_OUT = {
    "return agreed(s, s.count[total(s)])": BEYOND,
    "return s.count[total(s)] < 9 or s.config.top == 4": BEYOND,
    "if 4 // (3 - total(s)) > 9:\n    pass\nreturn True": "by zero",
}
"""An argument that is not read; before an answer that is known; a test on which nothing depends: these are not left out."""

NO_VERDICT = [
    *((body, said, "recoverable", 4, ["--generic", "--progress"]) for body, said in LARGE.items()),
    *((body, said, "always", 4, []) for body, said in LARGE.items()),
    *((body, said, "always", 4, ["--memory", "3000"]) for body, said in LEFT_OUT.items()),
    ("return t.count[total(t)] >= 0", BEYOND, "step", 4, ["--generic"]),
    (GOAL, BEYOND, "recoverable", 1, ["--progress"]),  # goals are compiled in a module of their own
    (GOAL, BEYOND, "recoverable", 1, ["--progress", "--generic"]),
]


@pytest.mark.parametrize(("body", "said", "kind", "top", "flags"), NO_VERDICT)
def test_what_fails_in_other_kinds_and_numbers_beyond_64_bits_are_no_verdict(run, body, said, kind, top, flags):
    code, out, error = run(body, "check", "--quiet", *flags, kind=kind, top=top)
    assert code == 75 and "holds" not in out and said in error, (code, out, error)
    assert re.search(r"plugin_\w+\.py:\d+ in \w+\)", error), error


def beyond(s):
    return s.count[total(s)] == 1


def test_a_witness_that_fails_as_it_is_counted():
    """A search asks a `sometimes` property until it is witnessed; who counts witnesses asks it of all states."""
    one, config = sometimes(beyond, None), COUNTERS.configure("only", counters=2, top=1)
    compiled = Compiled(COUNTERS, config)
    state = COUNTERS.initial_states(config)[0]
    state.count[0] = state.count[1] = 1
    rows = compiled.rows_of(compiled.keys_of([state]))
    with pytest.raises(ModelError, match="index 2 in an array of 2"):
        Witnesses(compiled, [one]).count(one, rows, rows)


SAME = {
    "the last value of a loop whose body the settings rule out": (
        "last = 0\nfor last in range(s.config.counters):\n    if s.config.top > 99:\n        return False\n"
        "return last == s.config.counters - 1", True,
    ),
    "a variable called as a constant is in the program": ("steps_ = total(s)\nreturn steps_ <= steps", False),
    "variables called as the checks are": ("within = 3\nbounds = 9\nproduct = within * bounds\nreturn total(s) < product", True),
    "a variable called as an imported function was": ("contains = has(3, 0)\nreturn contains", True),
}  # fmt: skip


def test_what_is_compiled_says_what_python_says(here, elsewhere):
    """A small search may end before its code is compiled, so the same command gave now one verdict and now the other."""
    claims = [function_of(body, name=f"claim{number}") for number, (body, _) in enumerate(SAME.values())]
    listed = ", ".join(f'always(claim{number}, "only")' for number in range(len(SAME)))
    plugin = PLUGIN.format(function="\n".join(claims), kind="").replace('(claim, "only")', listed)
    compiled = ["--memory", "3000"]
    for flags in ([], compiled, [*compiled, "--generic"]):
        command = ["check", *SUBJECT, "--top", 4, "--quiet", "--keep-going", "--json", "out.json", *flags]
        code, out, error = here(*command, plugin=plugin)
        said = {claim["name"]: claim["verdict"] for claim in json.loads(Path("out.json").read_text())["properties"]}
        assert code == 12, (flags, out, error)
        assert [said[f"claim{number}"] == "holds" for number in range(len(SAME))] == [holds for _, holds in SAME.values()], said


FORGOTTEN = """
from highwater.model.fetching import leads
from highwater.properties.extended import extended
from highwater.properties.property import always, recoverable

def claim(s, partition):
    '''A claim.'''
    return {body}

def register(models):
    return [extended(models["kafka"], properties=[{kind}(claim, "v3")])]
"""


def test_what_the_normal_form_forgets_is_not_read(here):
    """States that differ in it are explored as one: a version of 3 was never seen."""
    small = {"brokers": 2, "max-records": 1, "max-epoch": 1, "preferred-elections": 0}
    flags = [part for name, value in small.items() for part in (f"--{name}", value)]
    subject = ["check", "--revision", "kip-320", "--property", "claim", *flags]
    body = "s.zookeeper.leader_and_isr[partition].version < 3"
    for kind, more in (("always", ["--generic"]), ("recoverable", ["--progress"])):
        code, out, error = here(*subject, *more, plugin=FORGOTTEN.format(kind=kind, body=body))
        assert (code, out) == (2, "") and ":6: claim reads zookeeper.leader_and_isr[" in error and "normal form" in error, error
    assert here(*subject, plugin=FORGOTTEN.format(kind="always", body="leads(s, partition, 0) < 2"))[0] == 0


def test_plain_python_computes_with_numbers_of_its_own(tmp_path):
    """Rows have cells of a byte, in which a sum of 127 and 1 was -128."""
    hw = "s.replica[partition][0].hw"
    numbers = (f"{hw} + 1000 >= 1000", f"-({hw} > 0) <= 0", "s.broker[0].up << 7 >= 0")
    (tmp_path / "mine.py").write_text(FORGOTTEN.format(kind="always", body=" and ".join(numbers)))
    small = ["--brokers", "1", "--max-records", "1", "--max-epoch", "0", "--property", "claim", "--memory", "3000"]
    code, out, error = highwater(tmp_path, "check", "--plugin", "mine", "--revision", "kip-320", *small, HIGHWATER_COMPILE="no")
    assert code == 0 and "holds" in out, error


REFUSED = {
    "a write": ("s.count[0] = 1\nreturn True", "writes to s.count[0]: a property only reads"),
    "an unknown field": ("return s.counts[0] == 1", "has no field 'counts' (did you mean count?)"),
    "an unknown setting": ("return s.config.tops == 1", "has no field 'tops' (did you mean top?)"),
    "a field of a number": ("return s.count[0].value == 1", "the field value of a number"),
    "an index into a number": ("return s.count[0][1] == 1", "an index into a number, which is not an array,"),
    "while": ("while True:\n    return True", "While, which models do not use,"),
    "no value": ("if total(s) > 1:\n    return True", "claim returns a value on some paths only"),
    "a variable without a value": ("if total(s) > 1:\n    most = 1\nreturn total(s) > most", "most may have no value yet"),
    "an array as a number": ("return s.count", "claim returns an array over members"),
    "a function as a number": ("return total > 1", "the function total, which is not called,"),
    "a name for two things": (
        "if total(s) > 1:\n    me = s.count\nelse:\n    me = s.config\nreturn me[0] == 1",
        "me, which is an array over members or",
    ),
    "a name that a round changes": (
        "me = s.count\nfor i in range(2):\n    if me[0] > i:\n        me = s.config\nreturn True",
        "me, which is an array over members or",
    ),
    "a range that is no loop's": ("return range(0)", "a range that is not a loop's in claim"),
    "a step of 0": ("for i in range(0, 4, ZERO):\n    pass\nreturn True", "a range whose step is 0 under these settings"),
    "a number beyond 64 bits": ("return total(s) < 1 << 70", "a number beyond 64 bits under these settings"),
    "two things returned": ("if total(s) > 1:\n    return s.count\nreturn 1", "two kinds of result, an array over members and"),
    "an unknown name": ("return colour > s.count[0]", "colour is neither a model function nor an integer constant"),
}


@pytest.mark.parametrize(("body", "said"), REFUSED.values(), ids=REFUSED)
def test_what_the_language_does_not_have_is_refused_with_its_line(run, body, said):
    code, out, error = run(body, "check", "--quiet")
    assert (code, out) == (2, "") and said in error and error.count("\n") == 1, error
    assert re.search(r"plugin_\w+\.py:(15|16|17|19|21): ", error)


def test_what_cannot_be_compiled_is_one_sentence(run, monkeypatch):
    """No plugin is known that fails so; the error is made here."""

    def refuse(*arguments):
        raise LoweringError("a number where a record is needed in claim")

    monkeypatch.setattr(Lowering, "make", refuse)
    code, out, error = run("return total(s) < 90", "check", "--quiet")
    said = "highwater: the model itself failed: a plugin's code cannot be compiled: a number where a record is needed in claim\n"
    assert (code, out, error) == (75, "", said)


@pytest.mark.parametrize("engine", ["exact", "generic"])
def test_a_constant_index_is_compared_with_the_sizes_beforehand(run, engine):
    """Also where no state reaches it."""
    body = "if total(s) > 99:\n    return s.count[2] == 0\nreturn True"
    code, out, error = run(body, *ENGINES[engine])
    assert (code, out) == (2, "") and "the index 2 in claim lies outside an array of 2" in error, error
    assert run(body, *ENGINES[engine], "--counters", "3")[0] == 0
    guarded = "if s.config.counters > 2:\n    return s.count[2] >= 0\nreturn True"
    assert run(guarded, *ENGINES[engine])[0] == 0


def test_a_property_that_writes_is_refused_by_every_command(run):
    for command in ("check", "walk", "play", "graph", "prove"):
        extra = ["--property", "claim"] if command == "prove" else []
        code, out, error = run("s.count[0] = 0\nreturn True", command, *extra)
        assert (code, out) == (2, "") and "a property only reads" in error, (command, error)


ACTING = """
from highwater.properties.extended import extended
from support.toys import COUNTERS, sum_below_seven
from highwater.properties.property import always

def act(s, counter):
{body}

def register(models):
    return [extended(COUNTERS, actions=[act], properties=[always(sum_below_seven, "only")])]
"""
OUTSIDE = ("s.count[counter] = 0 - s.count[counter]\n    return True", "to -1, outside 0 to 4 (", 7)
CUT = ("if s.count[counter] < 2:\n        return False\n    s.count[counter] += 255\n    return True", "257, outside 0 to 4 (", 9)
BEHIND = (
    "s.count[counter] = 3\n    return s.count[1 - counter] > 0",
    "refuses after it has written to the state; guards come first (",
    6,
)


@pytest.mark.parametrize(("case", "engine"), [(OUTSIDE, "exact"), (CUT, "exact"), (BEHIND, "exact"), (OUTSIDE, "walk")])
def test_an_action_that_leaves_a_range_or_refuses_too_late_ends_in_75(here, case, engine):
    """A state that does not fit its key would be taken for another, and what a refused action writes for another's effect."""
    command, *flags = ENGINES[engine]
    code, out, error = here(command, *SUBJECT, "--top", 4, *flags, plugin=ACTING.format(body="    " + case[0]))
    assert code == 75 and "holds" not in out, (code, out, error)
    assert case[1] in error and f".py:{case[2]} in act)" in error, error


NORMAL = """
from dataclasses import replace
from support.toys import COUNTERS, sum_below_seven
from highwater.properties.property import always

def shorten(s):
    s.count[0] = 2 * s.count[0]

def register(models):
    model = replace(COUNTERS, properties=(always(sum_below_seven, "only"),))
    return [replace(model, {changed})]
"""


@pytest.mark.parametrize("engine", ["exact", "walk"])
def test_a_normal_form_that_leaves_a_range_ends_in_75(here, engine):
    """Its state would be cut to fit its key, and taken for another."""
    command, *flags = ENGINES[engine]
    plugin = NORMAL.format(changed="normal_form=shorten")
    code, out, error = here(command, *SUBJECT, "--top", 5, *flags, plugin=plugin)
    assert code == 75 and "holds" not in out, (code, out, error)
    assert re.search(r"in the normal form leaves count.0. at \d+, outside 0 to 5", error), error


def test_the_search_before_it_is_compiled_refuses_such_a_normal_form_too(tmp_path, monkeypatch):
    """Its keys are cut like those of compiled code."""
    (tmp_path / "shortening.py").write_text(NORMAL.format(changed="normal_form=shorten"))
    monkeypatch.syspath_prepend(tmp_path)
    model = models_with(("shortening",))["counters"]
    search = BreadthFirst(uncompiled(Compiled(model, model.configure("only", counters=2, top=5)), int), [])
    search.seed()
    with pytest.raises(ModelError, match="in the normal form leaves"):
        search.run(Bounds())


@pytest.mark.parametrize("command", ["check", "walk", "fuzz", "prove", "graph"])
def test_a_model_without_an_initial_state_does_not_hold(here, command):
    """It has nothing to explore, and everything is inductive in it."""
    plugin = NORMAL.format(changed="initial_states=lambda config: []")
    code, out, error = here(command, *SUBJECT, plugin=plugin)
    assert code == 75 and "no initial state" in error, (code, out, error)


TRACE = """highwater trace 1
model: counters 000000000000
revision: only
settings: counters=2 top=4
initial: 0

1 count_up counter=0
2 act counter=0
"""


@pytest.mark.parametrize("case", [OUTSIDE, BEHIND], ids=["outside", "behind"])
def test_the_plain_engines_refuse_such_an_action_too(here, tmp_path, monkeypatch, case):
    """A graph, a walk by hand and a replayed trace show nothing that a search refuses."""
    (tmp_path / "one.trace").write_text(TRACE)
    monkeypatch.setattr("sys.stdin", io.StringIO("count_up counter=0\n"))
    for command in (["graph", *SUBJECT, "--top", 4], ["step", *SUBJECT, "--top", 4], ["replay", tmp_path / "one.trace"]):
        code, _, error = here(*command, plugin=ACTING.format(body="    " + case[0]))
        assert code == 75 and case[1] in error and f".py:{case[2]} in act)" in error, (command, code, error)


def inverted(s):
    return 10 * ~(s.count[0] == 0) + ~s.count[0]


def test_the_inverse_of_a_truth_is_a_number():
    """Numba takes it for `not`."""
    config, layout = COUNTERS.configure("only"), Layout(COUNTERS, "small")
    whole = with_plugin_checks(program([inverted]), ["inverted"], COUNTERS.state, COUNTERS.config)
    module, rows = load("test-inverted", whole.text(), ["inverted"]), layout.rows(config, 1)
    for count in (0, 2):
        state = COUNTERS.state(config)
        state.count[0] = count
        layout.write(state, rows[0])
        assert module.inverted(layout.records(rows)[0]) == 10 * (-1 - (count == 0)) - 1 - count


def move(s):
    s.count[1] = 1 - s.count[1]
    return s.count[1]


def counts_where_it_moves(s):
    s.count[move(s)] += 1
    return True


def test_an_index_that_writes_is_not_evaluated_twice():
    with pytest.raises(LanguageError, match="an index that writes to the state, or that a call may change"):
        with_plugin_checks(program([counts_where_it_moves]), ["counts_where_it_moves"], COUNTERS.state, COUNTERS.config)


def test_on_spark_too(tmp_path, monkeypatch):
    """What Spark's tasks call; without Spark."""
    (tmp_path / "failing_on_spark.py").write_text(ACTING.format(body="    " + OUTSIDE[0]))
    monkeypatch.syspath_prepend(tmp_path)
    model = models_with(("failing_on_spark",))["counters"]
    compiled = Compiled(model, model.configure("only", counters=2, top=4))
    expander = Expander(compiled, (), 1, 1 << 20)
    state = model.initial_states(compiled.config)[0]
    state.count[0] = 1
    keys = compiled.keys_of([state])
    expander.router.begin(1, "", 1)
    with pytest.raises(ModelError, match=r"sets count.0. to -1"):
        Expansion(expander, (), False, list).take(compiled.fingerprints(keys).reshape(1, -1), keys)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 / 0\n", "failed as it was imported: ZeroDivisionError"),
        ("def register(models: pass\n", ".py:1)\n"),
        ("def register(models): nothing()\n", "failed as it registered: NameError"),
        ("def register(): pass\n", "failed as it registered: TypeError"),
        ("def register(models): pass\n", "must return a list of models"),
        ("register = 3\n", "has no function register(models)"),
        ("raise KeyboardInterrupt\n", "interrupted"),
    ],
)
def test_a_plugin_that_cannot_be_loaded_is_refused_in_one_sentence(here, text, said):
    code, out, error = here("check", "--revision", "kip-320", plugin=text)
    assert code in (2, 130) and out == "" and said in error and error.count("\n") == 1, error
