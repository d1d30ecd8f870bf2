"""The variables of generated functions: none of a model's functions has the name of one, or a call would mean the variable."""

import ast
import re

import pytest
from highwater.explorer.compiling import generate, lane_kernels
from highwater.explorer.compiling.checks import Checked
from highwater.explorer.compiling.compiled import Compiled
from highwater.explorer.compiling.generate import KERNELS, LOCAL_NAMES, checked_program, functions_of, kernel_names, text_for
from highwater.explorer.library import of_a_user
from highwater.model.language import Model, State, integer
from highwater.model.language.machine_code.layout import Layout
from highwater.model.language.reading.trees import stored_in
from highwater.properties.catalogue import properties_of
from highwater.properties.property import always
from highwater.properties.registry import PUBLISHED
from support.exploring import finished
from support.toys import COUNTER_PROPERTIES, COUNTERS

EVERY = (*KERNELS, lane_kernels)


@pytest.mark.parametrize("symmetry", [False, True])
@pytest.mark.parametrize("in_lanes", [False, True])
@pytest.mark.parametrize(("model", "claims"), [(PUBLISHED, properties_of(PUBLISHED)), (COUNTERS, COUNTER_PROPERTIES)])
def test_every_variable_of_generated_text_is_known(model, claims, in_lanes, symmetry):
    config = model.defaults(list(model.revisions)[-1])
    checked = Checked.of(claim for claim in claims if claim.applies(config) and not claim.of_progress)
    text = text_for(model, Layout(model, "exact", config), checked, config, symmetry, in_lanes=in_lanes)
    given = {*checked_program(model, functions_of(model, checked)).functions, *(name for name, _ in kernel_names(EVERY))}
    parameters = {name for claim in checked for name in claim.parameters}
    found = set()
    for tree in ast.parse(text).body:
        if isinstance(tree, ast.FunctionDef) and tree.name not in given and not is_of_the_program(tree.name, given):
            found |= stored_in(tree) | {argument.arg for argument in tree.args.args}
    unknown = {name for name in found if not re.search(r"\d$", name)} - LOCAL_NAMES - parameters
    assert "recs" in found and not unknown
    names = {tree.name for tree in ast.parse(text).body if isinstance(tree, ast.FunctionDef)}
    names |= set(re.findall(r"^(\w+) = ", text, re.MULTILINE))
    program = checked_program(model, functions_of(model, checked))
    own = set(program.functions)
    made = {name for name in names - own if not any(one in name for one in own)}
    assert made - generate.RESERVED == set()  # a model's own function of such a name would stand for it


def is_of_the_program(name, given):
    """A function of the model, written in lanes: its variables are its own."""
    return any(name.endswith(one) and not name.startswith(("all_of_", "all_", "check_")) for one in given)


class Two(State):
    """Two numbers."""

    a = integer(0, 9, "counts up")
    b = integer(0, 9, "counts up and down")


def arrive(s):
    """By another."""
    return spread(s)


def spread(s):
    """Up."""
    if s.a == 9:
        return False
    s.a += 1
    return True


def check_block(s):
    """Up, and down again."""
    s.b = s.b + 1 if s.b < 9 else 0
    return True


def note_in_lanes(s):
    """Nothing is beyond its range."""
    return s.a < 10 and s.b < 10


def test_a_model_may_have_the_names_of_functions_in_lanes():
    claims = [always(note_in_lanes)]
    model = of_a_user(Model(state=Two, actions=[arrive, spread, check_block], properties=claims))
    compiled = Compiled(model, model.configure("only"), model.properties)
    found = finished(compiled, model.properties)
    assert (found.states, compiled.gave_up) == (100, False)
