"""The rules of the language: what a model function may not use is refused with file and line."""

import ast
import inspect
from runpy import run_path

import pytest
from highwater.model.language.errors import LanguageError
from highwater.model.language.reading.parsed import parse
from highwater.model.language.reading.program import program
from highwater.model.language.reading.trees import OPERATORS, copied
from highwater.properties.registry import KAFKA, PUBLISHED
from support import forbidden, toys

REFUSED = [f for name, f in vars(forbidden).items() if name.startswith("uses_")]


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_refused_with_file_and_line(function):
    lines, first = inspect.getsourcelines(function)
    (place,) = [i for i, line in enumerate(lines) if "# refused: " in line]
    said = lines[place].split("# refused: ")[1].strip()
    with pytest.raises(LanguageError) as error:
        program([function])
    assert f"forbidden.py:{first + place}: " in str(error.value)
    assert said in str(error.value)


TEXTS = [(f"def uses(s):\n    {body}\n", 2, said) for body, said in forbidden.BODIES.items()]
TEXTS += [(f"def uses({text}):\n    return 1\n", 1, "more than plain positional parameters") for text in forbidden.SIGNATURES]
TEXTS += [("def max(a, b):\n    return b\ndef uses(s):\n    return max(s.total, 1)\n", 4, "max is not Python's own in uses")]


@pytest.mark.parametrize(("text", "line", "said"), TEXTS, ids=[said for _, _, said in TEXTS])
def test_a_line_that_is_refused_is_named(tmp_path, text, line, said):
    (tmp_path / "refused.py").write_text(text)
    known = {"helper": forbidden.helper, "HALF": forbidden.HALF, "NAMES": ("a", "b"), "WIDE": 1 << 64}
    with pytest.raises(LanguageError) as error:
        program([run_path(str(tmp_path / "refused.py"), known, "refused")["uses"]])
    assert f"refused.py:{line}: " in str(error.value) and said in str(error.value)


def test_refused_in_what_is_called():
    with pytest.raises(LanguageError, match=r"forbidden\.py:\d+: HALF is neither"):
        program([forbidden.calls_forbidden])


@pytest.mark.parametrize("function", [forbidden.calls_itself, forbidden.calls_back])
def test_recursion_is_refused(function):
    with pytest.raises(LanguageError, match=r":\d+: .* no recursion"):
        program([function])


def test_closure_is_refused():
    with pytest.raises(LanguageError, match=r"forbidden\.py:\d+: a closure in closure"):
        program([forbidden.makes_closure()])


def test_decorated_function_is_refused():
    with pytest.raises(LanguageError, match=r"forbidden\.py:\d+: a decorator"):
        program([forbidden.is_decorated])


@pytest.mark.parametrize("model", [KAFKA, PUBLISHED, toys.COUNTERS, toys.JUGS, toys.LOCK], ids=lambda m: m.name)
def test_models_are_in_the_language(model):
    functions = [a.function for a in model.actions] + [p.function for p in model.properties]
    whole = program(functions)
    assert {whole.name_of(f) for f in functions} <= set(whole.functions)
    for name, tree in whole.functions.items():
        assert tree.name == name


def test_callees_come_before_callers():
    whole = program([toys.enter, toys.give_way])
    order = list(whole.functions)
    assert order.index("other_than") < order.index("enter") < order.index("give_way")


def test_text_is_a_module_that_runs():
    whole = program([toys.sum_below_seven])
    namespace = {}
    exec(whole.text(), namespace)
    state = toys.COUNTERS.initial_states(toys.COUNTERS.configure("only"))[0]
    assert namespace["sum_below_seven"](state) is True
    state.count[0] = state.count[1] = 3
    state.count[2] = 1
    assert namespace["sum_below_seven"](state) is False


def test_functions_of_one_name_stay_apart(tmp_path):
    """A function called `enter` that calls another one of that name."""
    (tmp_path / "elsewhere.py").write_text("def enter(s, process):\n    return there(s, process)\n")
    other_enter = run_path(str(tmp_path / "elsewhere.py"), {"there": toys.enter}, "elsewhere")["enter"]
    whole = program([other_enter])
    assert whole.name_of(toys.enter) != whole.name_of(other_enter)
    namespace = {}
    exec(whole.text(), namespace)
    state = toys.LOCK.initial_states(toys.LOCK.configure("peterson"))[0]
    state.process[0].place = toys.WAITING
    assert namespace[whole.name_of(other_enter)](state, 0) is True
    assert state.process[0].place == toys.CRITICAL


def test_names_that_an_engine_needs_are_given_to_nobody():
    whole = program([toys.enter], reserved={"enter", "CRITICAL"})
    assert whole.name_of(toys.enter) == "enter__toys" and set(whole.functions) >= {"enter__toys"}


def test_what_is_edited_while_it_is_explored_is_not_read(tmp_path):
    """The running function is the one that was loaded: a second configuration must not be compiled from another text."""
    file = tmp_path / "edited.py"
    file.write_text("def answer(n):\n    return n * 2\n")
    before = run_path(str(file))["answer"]
    first = ast.unparse(parse(before)[0])
    file.write_text("def answer(n):\n    return n * 33\n")
    assert ast.unparse(parse(before)[0]) == first
    assert "n * 33" in ast.unparse(parse(run_path(str(file))["answer"])[0])


@pytest.mark.parametrize("text", ["def answer(n):\n    return n * 33\n", 'def answer(n):\n    "It."\n    return n * 2\n'])
def test_what_was_edited_before_it_was_read_is_refused(tmp_path, text):
    """Engines would count what the plain model, which was imported, does not do."""
    file = tmp_path / "edited.py"
    file.write_text("def answer(n):\n    return n * 2\n")
    functions = [run_path(str(file))["answer"] for _ in range(2)]
    file.write_text("def answer(n):\n    return n * 2\n")
    assert "n * 2" in ast.unparse(parse(functions[0])[0]), "the same text, written again"
    file.write_text(text)
    with pytest.raises(LanguageError, match=r"edited.py:1: answer was changed after it was imported; begin again"):
        parse(functions[1])


@pytest.mark.parametrize("text", ["answer = [lambda n: n][0]\n", "def other(n):\n    return n\n", "def answer(n:\n"])
def test_a_function_that_its_file_no_longer_has_is_refused(tmp_path, text):
    file = tmp_path / "gone.py"
    file.write_text("def answer(n):\n    return n\n")
    function = run_path(str(file))["answer"]
    file.write_text(text + "# longer\n")
    with pytest.raises(LanguageError, match="answer"):
        parse(function)


def test_a_copied_tree_is_equal_and_of_its_own():
    """Two programs share no node that either may change."""
    for function in program([action.function for action in KAFKA.actions]).functions.values():
        tree = (function.python and function.source) or ast.Pass()
        twin = copied(tree)
        assert ast.dump(twin, include_attributes=True) == ast.dump(tree, include_attributes=True)
        both = set(map(id, ast.walk(twin))) & set(map(id, ast.walk(tree)))
        assert {type(node) for node in ast.walk(tree) if id(node) in both} <= {ast.Load, ast.Store, ast.Is, ast.IsNot, *OPERATORS}
