"""`walk`, `fuzz` and `prove` from Python, and the fixture `highwater` of pytest."""

import highwater as library
import pytest
from highwater.explorer.harness.fixture import Checks
from highwater.model.language import Model, State, UsageError, integer, many

from .test_gallery import model_of


@pytest.fixture(scope="module")
def jugs():
    return model_of("diehard")


def test_walks_find_the_violation_and_say_so(jugs):
    found = library.walk(jugs, walks=300, threads=1)
    assert not found and found.verdicts == {"not_four_gallons": "violated"} and found.trace().property == "not_four_gallons"
    assert found.steps("not_four_gallons") == 6  # the shortest there is
    assert "violated: not_four_gallons" in str(found) and "<svg" in found._repr_html_()
    assert repr(found).startswith("<jugs only: violated, ")
    kept = library.walk(model_of("two_phase"), walks=20, threads=1)
    assert kept and kept.verdict == "incomplete" and kept.trace() is None and "this proves nothing" in str(kept)


def test_hypothesis_finds_it_too(jugs):
    found = library.fuzz(jugs, runs=50)
    assert not found and found.steps("not_four_gallons") >= 6 and found.trace("not_four_gallons")
    assert library.fuzz(model_of("two_phase"), runs=5)


def test_a_proof_says_what_is_not_inductive():
    found = library.prove(model_of("coffee_can"), properties=["white_stays_even_or_odd"], threads=1)
    assert not found and found.verdict == "not inductive" and "counterexample to induction" in str(found)
    with pytest.raises(UsageError, match="properties is missing"):
        library.prove(model_of("tcommit"), properties=[])


def test_a_proof_holds():
    assert library.prove(model_of("tcommit"), properties=["consistent"], all_instances=True, threads=1)


def test_the_fixture_fails_a_test_with_the_report(highwater, jugs, tmp_path, request):
    found = highwater.check(jugs, expect={"not_four_gallons": "violated"})
    assert isinstance(highwater, Checks) and found.states == 16
    assert highwater.walk(model_of("two_phase"), walks=5, threads=1).walks == 5
    assert highwater.fuzz(model_of("two_phase"), runs=2).runs == 2
    checks = Checks(tmp_path, request.node, told := [])
    with pytest.raises(pytest.fail.Exception, match="not_four_gallons: violated, where another verdict was expected"):
        checks.check(jugs)
    assert sorted(one.suffix for one in tmp_path.iterdir()) == [".html", ".trace"]
    assert [one["what"] for one in told] == ["failed"] and told[0]["result"]["ruleId"] == "not_four_gallons"
    with pytest.raises(pytest.fail.Exception, match="consistent: holds, where violated was expected"):
        checks.check(model_of("tcommit"), expect={"consistent": "violated"})
    with pytest.raises(pytest.fail.Exception, match="consistent: incomplete"):
        checks.check(model_of("tcommit"), states=3)
    with pytest.raises(pytest.fail.Exception, match="white_stays_even_or_odd: not inductive"):
        checks.prove(model_of("coffee_can"), properties=["white_stays_even_or_odd"], threads=1)
    with pytest.raises(UsageError, match="'nothing' was not checked"):
        checks.check(jugs, expect={"nothing": "violated"})


def test_domains_add_to_what_need_not_be_said():
    class Cups(State):
        """Cups, of which one is filled to a level."""

        cup = many(integer(0, 2, "how full"), 2)

    model = Model(state=Cups, actions=[fill], domains={"level": 3})
    assert library.check(model).states == 9


def fill(s, cup, level):
    """A cup is filled to a level."""
    s.cup[cup] = level
    return True
