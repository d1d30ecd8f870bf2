"""A fault that a family lets people switch on is spent by one of its actions: else `holds` would say that it was tried."""

import pytest
from highwater.explorer.compiling.checks import Checked
from highwater.explorer.compiling.generate import checked_program, functions_of
from highwater.model.language.reading.footprint import settings_in
from highwater.properties.registry import MODELS


@pytest.mark.parametrize("model", MODELS.values(), ids=lambda model: model.name)
def test_each_fault_is_read_by_the_actions(model):
    program = checked_program(model, functions_of(model, Checked.of([])))
    fixed = getattr(model.config, "fixed", ())
    faults = {name for name, one in model.config.settings.items() if one.group == "fault" and name not in fixed}
    assert faults <= set(settings_in(*program.functions.values()))
