"""A setting whose flag means something else would silently stay as it was: such a name is refused."""

import argparse
import importlib
from dataclasses import replace

import pytest
from highwater.explorer.command_line import COMMANDS, common_flags, parser_for
from highwater.explorer.command_line.parsing import Parser
from highwater.model.language import UsageError, choice, switch
from highwater.properties.extended import extended
from highwater.properties.flags import FLAGS, validate_flags
from highwater.properties.registry import MODELS
from support.toys import COUNTERS


def flags(parser):
    return {flag for action in parser._actions for flag in action.option_strings if flag.startswith("--")}


def test_the_names_are_those_of_the_flags_of_commands_that_take_settings():
    found = flags(common_flags()) | flags(parser_for("", MODELS)[0])
    for name in COMMANDS:
        parser = Parser()
        importlib.import_module(f"highwater.explorer.command_line.{name}").add_flags(parser)
        if parser.about:
            found |= flags(parser)
    assert {flag.removeprefix("--").replace("-", "_") for flag in found} == FLAGS


def refusal(*models):
    with pytest.raises(UsageError) as error:
        validate_flags(models, {model.name: model for model in models})
    return str(error.value)


def test_a_setting_is_not_called_as_a_flag():
    mine = extended(COUNTERS, switches={"exact": switch("elections are exact")})
    assert refusal(mine) == "the model counters has a setting 'exact', and --exact is a flag of commands; rename it"


@pytest.mark.parametrize("names", [["half", "no_half"], ["no_half", "half"]])
def test_a_setting_is_not_the_opposite_of_another_of_any_model(names):
    one, two = (extended(COUNTERS, switches={name: switch("a switch")}) for name in names)
    assert "--no-half would mean both half switched off and no_half" in refusal(one, replace(two, name="others"))


def test_other_names_become_flags():
    mine = extended(COUNTERS, switches={"exactly": switch("one"), "no_rest": choice(["a", "b"], "another")})
    validate_flags([mine], {**MODELS, "counters": mine})
    parser = parser_for("check", {**MODELS, "counters": mine})[0]
    options = parser.parse_args(["check", "--exactly", "--no-rest", "b"], argparse.Namespace(models={}))
    assert (options.setting_exactly, options.setting_no_rest) == (True, "b")
