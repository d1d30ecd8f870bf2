"""What a property needs is understood as a whole, or refused when the property is made."""

import pytest
from highwater.model.language import UsageError
from highwater.properties.extended import extended
from highwater.properties.property import always
from highwater.properties.registry import KAFKA
from support.toys import COUNTERS

NEITHER, CRASH, LOSS, BOTH = (
    KAFKA.configure("kip-320", crashes=crashes, lost_brokers=losses) for losses in (0, 1) for crashes in (0, 1)
)


def fine(s):
    """Fine."""
    return True


@pytest.mark.parametrize("word", [", ", ", and ", " and "])
def test_all_conditions_must_be_true(word):
    claim = always(fine, None, needs=f"crashes > 0{word}lost_brokers > 0")
    assert [claim.applies(config) for config in (NEITHER, CRASH, LOSS, BOTH)] == [False, False, False, True]


@pytest.mark.parametrize("text", ["crashes > 0 or lost_brokers > 0", "crashes>0, or lost_brokers>0"])
def test_one_of_several_is_enough(text):
    claim = always(fine, None, needs=text)
    assert [claim.applies(config) for config in (NEITHER, CRASH, LOSS, BOTH)] == [False, True, True, True]
    assert claim.where == text


@pytest.mark.parametrize("text", ["a > 0 b", "a >= 1", "a", "", "a > 0,", "not a > 0", "a > 0; b > 0", "a fault, and an epoch"])
def test_what_is_not_understood_is_refused_at_once(text):
    with pytest.raises(UsageError, match=r"the property fine needs '.*', which is not `setting = value` or `setting > value`"):
        always(fine, None, needs=text)


def test_and_with_or_is_ambiguous():
    with pytest.raises(UsageError, match="joins conditions by both `and` and `or`: give a function and `where`"):
        always(fine, None, needs="a > 0 or b > 0, c > 0")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tops > 0", "needs 'tops > 0', and there is no such setting; .*top"),
        ("top = many", "needs 'top = many': top must be a whole number"),
    ],
)
def test_settings_and_values_are_those_of_the_model(text, said):
    with pytest.raises(UsageError, match=said):
        extended(COUNTERS, properties=[always(fine, "only", needs=text)])
