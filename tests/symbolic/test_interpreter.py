"""The interpreter knows the language of models, all of it and nothing else."""

import ast

import pytest
import z3
from highwater.explorer.symbolic.frames import SymbolicError
from highwater.explorer.symbolic.interpreter import OPERATIONS, Interpreter
from highwater.explorer.symbolic.terms import variable
from highwater.model.language.kinds import Record
from highwater.model.language.reading import typed_tree
from highwater.model.language.reading.program import Program
from highwater.model.language.reading.trees import OPERATORS as OPERATORS_OF_PYTHON
from highwater.model.language.reading.typed_reading import SIGNS, functions_of


def test_reads_every_construct_of_the_language_and_no_other():
    kinds = {*typed_tree.Statement.__subclasses__(), *typed_tree.Expression.__subclasses__()} - {typed_tree.Unknown}
    assert {name for name in dir(Interpreter) if name.startswith("visit_")} == {f"visit_{kind.__name__}" for kind in kinds}
    compared = {"==", "!=", "<", "<=", ">", ">="}
    assert {*OPERATIONS, *compared, "~"} == {*SIGNS.values()}
    assert {*SIGNS, ast.And, ast.Or, ast.Not} == {*OPERATORS_OF_PYTHON}


def read(text, **values):
    """Read a function from text; its parameters are `s`, a record of these values, and nothing else."""
    functions, _ = functions_of(f"{text}\nLIMIT = 3")
    (name,) = functions
    reader = Interpreter(Program(functions=functions, files={name: "toy.py"}))
    state = Record(None)
    vars(state).update(values)
    return reader, state, reader.truth(name, state)


OPERATORS = {
    "s.x + 1": 7, "s.x - 8": -2, "s.x * 2": 12, "s.x // 4": 1, "s.x % 4": 2, "s.x << 1": 12, "s.x >> 1": 3, "s.x & 3": 2,
    "s.x | 1": 7, "s.x ^ 7": 1, "~s.x": -7, "-s.x": -6, "min(s.x, 4, 9)": 4, "max(s.x, 4, 9)": 9, "s.x and 5": 5, "0 or s.x": 6,
    "4 if s.x > 5 else 3": 4, "LIMIT": 3,
}  # fmt: skip


@pytest.mark.parametrize("expression", OPERATORS)
def test_operators(expression):
    _, state, enabled = read(f"def f(s):\n    s.y = {expression}\n    return True", x=6, y=0)
    assert enabled is True and state.y == OPERATORS[expression]


def test_an_array_without_elements_has_its_own_sentence():
    """A setting decides how many there are: the model must ask it first."""
    with pytest.raises(SymbolicError, match=r"an element of s.row, which has none with these settings"):
        read("def f(s):\n    return s.row[0] > 0", row=[])


CHAIN = """
def takes(s):
    s.y = 1
    return 3

def f(s):
    return s.x < 5 < takes(s) or s.x >= 0
"""


@pytest.mark.parametrize(("x", "y"), [(6, 0), (4, 1)])
def test_what_stands_behind_the_end_of_a_chain_is_not_called(x, y):
    functions, _ = functions_of(CHAIN)
    reader, state = Interpreter(Program(functions=functions, files=dict.fromkeys(functions, "toy.py"))), Record(None)
    number = variable("x", 0, 7)
    vars(state).update(x=number, y=0)
    reader.truth("f", state)
    assert z3.simplify(z3.substitute(state.y.term, (number.term, z3.BitVecVal(x, 3)))).as_long() == y


PICKS = """
def pick(s):
    if s.x:
        return s.one
    return s.other

def f(s):
    pick(s).y = 1
    return True
"""


@pytest.mark.parametrize("x", [0, 1])
def test_a_function_returns_one_record_or_another(x):
    functions, _ = functions_of(PICKS)
    reader, state = Interpreter(Program(functions=functions, files=dict.fromkeys(functions, "toy.py"))), Record(None)
    number, state.one, state.other = variable("x", 0, 1), Record(None), Record(None)
    state.x, state.one.y, state.other.y = number, 0, 0
    reader.truth("f", state)
    for record, y in ((state.one, x), (state.other, 1 - x)):
        assert z3.simplify(z3.substitute(record.y.term, (number.term, z3.BitVecVal(x, 1)))).as_long() == y


UNKNOWN = {
    "while s.x:\n        s.x = 0": "While",
    "for i in s.x:\n        pass": "For",
    "for i in range(s.y):\n        pass": "a loop whose range is not constant",
    "s.x = [1]": "List",
    "s.x = 1 / 2": "BinOp",
    "s.x = 'a'": "Constant ('a')",
    "s.x = 1 in s.y": "Compare",
    "s.x = (lambda: 1)": "Lambda",
    "s.x = unknown(1)": "a call of unknown",
    "s.x = missing": "the name missing",
    "s.z = s.nothing": "the field nothing",
    "del s.x": "Delete",
    "assert s.x": "Assert",
    "s.x = s.y % 0": "a division",
}


@pytest.mark.parametrize("statement", UNKNOWN)
def test_an_unknown_construct_is_an_error_with_file_and_line(statement):
    with pytest.raises(SymbolicError) as error:
        read(f"def act(s):\n    s.x = 1\n    {statement}\n    return True", x=variable("x", 0, 3), y=variable("y", 0, 3))
    assert str(error.value).startswith("toy.py:3: the prover does not know ")
    assert UNKNOWN[statement] in str(error.value) and str(error.value).endswith(" in act")


LATE = """
def act(s):
    if s.x == 0:
        return False
    s.y = 1
    if s.x == 1:
        return True
    s.y = 2
    return True
"""


@pytest.mark.parametrize(("x", "enabled", "y"), [(0, False, 0), (1, True, 1), (2, True, 2)])
def test_nothing_is_written_after_an_early_return(x, enabled, y):
    _, state, answer = read(LATE, x=x, y=0)
    assert answer is enabled
    assert not enabled or state.y == y


def test_an_index_is_an_obligation_on_its_own_path_only():
    text = "def act(s):\n    if s.x > 2:\n        return False\n    s.a[s.x] = 1\n    s.a[s.x - 1] = 2\n    return True"
    reader, _, _ = read(text, x=variable("x", 0, 5), a=[0, 0, 0])
    assert [(obligation.line, obligation.what) for obligation in reader.obligations] == [(4, "index of s.a"), (5, "index of s.a")]


def test_an_index_that_is_always_inside_is_no_obligation():
    reader, state, _ = read("def act(s):\n    s.a[s.x] = 1\n    return True", x=variable("x", 0, 2), a=[0, 0, 0])
    assert reader.obligations == []
    assert all(not isinstance(value, int) for value in state.a)
