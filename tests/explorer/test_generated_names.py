"""The variables of generated functions: none of a model's functions has the name of one, or a call would mean the variable."""

import ast
import re

import pytest
from highwater.explorer.compiling import lane_kernels
from highwater.explorer.compiling.checks import Checked
from highwater.explorer.compiling.generate import KERNELS, LOCAL_NAMES, checked_program, functions_of, kernel_names, text_for
from highwater.model.language.machine_code.layout import Layout
from highwater.model.language.reading.program import locals_of
from highwater.properties.catalogue import properties_of
from highwater.properties.registry import PUBLISHED
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
            found |= locals_of(tree)
    unknown = {name for name in found if not re.search(r"\d$", name)} - LOCAL_NAMES - parameters
    assert "recs" in found and not unknown


def is_of_the_program(name, given):
    """A function of the model, written in lanes: its variables are its own."""
    return any(name.endswith(one) and not name.startswith(("all_of_", "all_", "check_")) for one in given)
