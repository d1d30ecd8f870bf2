"""Settings that no command or trace could name, or that contradict themselves, are refused where they are made."""

import pytest
from highwater.model.language import UsageError, budget, choice, size
from highwater.traces.text import SETTING


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a", "b c"], "has a value 'b c': a name has up to 60 letters of ASCII, digits"),
        (["a", "b,c"], "has a value 'b,c': a name"),
        (["a", "-b"], "has a value '-b': a name"),
        (["a", ""], "has a value '': a name"),
        ([1, 2], "has a value 1: a name"),
        (["a", "b", "a"], "has two values 'a'; give them different names"),
        ([], "takes a list of names, such as"),
        ("ab", "takes a list of names, such as"),
    ],
)
def test_values_have_names_that_traces_and_commands_can_hold(names, said):
    with pytest.raises(UsageError) as error:
        choice(names, "how it works")
    assert str(error.value).startswith("a choice (how it works)") and said in str(error.value)


@pytest.mark.parametrize("name", ["kip-2.8", "by_epoch", "X", "3"])
def test_such_a_name_can_be_read_back_from_a_trace(name):
    assert choice([name, "other"], "how it works").names[0] == name
    assert SETTING.fullmatch(f"how={name}")[2] == name


def test_numbers_are_whole_and_the_default_lies_between_the_bounds():
    with pytest.raises(UsageError, match=r"a size \(nodes\) has whole numbers as default and bounds, not 1.5"):
        size(1.5, 1, 3, "nodes")
    with pytest.raises(UsageError, match=r"the default of a size \(nodes\), 5, does not lie between 0 and 3"):
        size(5, 0, 3, "nodes")
    with pytest.raises(UsageError, match=r"the default of a fault \(crashes\), 2, does not lie between 0 and 1"):
        budget("crashes", default=2, high=1)
