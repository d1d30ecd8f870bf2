"""Short words come to the same in Python, which runs what is written, in compiled code, and as formulas."""

import highwater
import pytest
from highwater.explorer.library import of_a_user
from highwater.model.language import Model, State, UsageError, cells, integer, seq
from highwater.model.language.errors import LanguageError
from highwater.model.language.reading.program import interpreted, program
from highwater.model.language.reading.source import source_of
from support.agreement import agree_at_random
from support.exploring import reachable
from support.sugared import MODEL, below, first_above, step

WHOLE = of_a_user(MODEL)


@pytest.mark.parametrize("nodes", [pytest.param(1, marks=pytest.mark.long), 2, pytest.param(3, marks=pytest.mark.long), 4])
def test_python_and_compiled_code_find_the_same_states(nodes):
    config = WHOLE.configure("only", nodes=nodes)
    states = {cells(state): state for _, state in reachable(WHOLE, config)}
    found = highwater.check(MODEL, nodes=nodes, keep_going=True, threads=1)
    broken = {claim.name for claim in WHOLE.properties if not all(map(claim.function, states.values()))}
    assert found.states == len(states)
    assert {name for name, verdict in found.verdicts.items() if verdict == "violated"} == broken
    assert nodes < 4 or broken == {"few_left", "no_high_pair", "all_low"}


def test_z3_reads_the_same():
    agree_at_random(WHOLE, 60, nodes=3)


def test_a_reason_names_the_witness():
    found = highwater.check(MODEL, nodes=4, properties=["all_low"], threads=1)
    assert "`other.number == 2` is true with node = 1, one = 2, other.number = 2;" in str(found)


def test_the_source_is_as_it_is_written():
    pieces = {piece.name: piece.text for piece in source_of(WHOLE, WHOLE.configure("only"))}
    assert "            continue\n" in pieces["first_above"] and "            break\n" in pieces["first_above"]
    assert not any("__" in name for name in pieces)


def test_each_number_has_a_function_of_its_own():
    whole = program([step, *(claim.function for claim in WHOLE.properties)])
    assert sum(name.startswith("below") for name in whole.functions) == 2
    assert first_above in whole.originals.values()


def beyond_a_number(s):
    total = 0
    for number in range(s.total):  # refused: a loop whose range is neither numbers nor settings
        total += number
    return total


def beyond_a_parameter(s, end):
    total = 0
    for number in range(end):
        total += number
    return total


def calls_with_what_varies(s):
    return beyond_a_parameter(s, s.total)  # refused: a call of beyond_a_parameter, whose loops range over end, with what is no


def minimum_of_nothing(s):
    return min(s.node[node].number for node in range(3))  # refused: min of a generator without default=


def any_of_a_list(s):
    return any([s.total, s.last])  # refused: any of something other than a generator


def in_what_varies(s):
    return s.total in range(1, 9, 2)  # refused: `in` with something other than a tuple of values


def takes_apart_a_call(s):
    one, other = first_above(s, 1)  # refused: an assignment to several targets
    return one + other


def overwrites_a_parameter(s, end):
    total = 0
    for number in range(end):  # refused: a loop whose range is neither numbers nor settings
        total += number
    end = 3
    return total + end


def in_a_tuple_of_tuples(s):
    return s.total in PAIRS  # refused: `in` with PAIRS, which is not a tuple of numbers, in


PAIRS = ((1, 2), (3, 4))
REFUSED = [beyond_a_number, calls_with_what_varies, minimum_of_nothing, any_of_a_list, in_what_varies, takes_apart_a_call]
REFUSED += [overwrites_a_parameter, in_a_tuple_of_tuples]


@pytest.mark.parametrize("function", REFUSED, ids=lambda one: one.__name__)
def test_what_is_still_refused_says_what_instead(function):
    with open(__file__) as source:
        lines = [(number, line) for number, line in enumerate(source, 1) if "# refused: " in line]
    number, line = next(one for one in lines if one[0] > function.__code__.co_firstlineno)
    with pytest.raises(LanguageError) as found:
        program([function])
    assert f":{number}: {line.partition('# refused: ')[2].strip()}" in str(found.value)


def counted(s):
    """It counts how often it is called."""
    s.last += 1
    return 4 - s.last


def far_off(s):
    """A call that writes, and parts that decide, which are no truths."""
    return 100 * abs(counted(s)) + sum(one.number and 5 for one in s.node) + sum(one.number == 1 or 3 for one in s.node)


def test_what_a_call_gives_is_computed_once_and_a_part_that_decides_counts_as_itself():
    for last, wanted in ((0, 317), (9, 617)):
        for function in (far_off, interpreted(program([far_off]), ["far_off"])["far_off"]):
            state = WHOLE.state(WHOLE.configure("only", nodes=3))
            state.last, state.node[0].number, state.node[1].number = last, 2, 1
            assert function(state) == wanted and state.last == last + 1


END = 2


def up_to_the_end(s):
    """A loop of another module, to a constant of this one."""
    return below(s, END)


def test_a_constant_is_that_of_the_module_that_names_it(monkeypatch):
    monkeypatch.setitem(below.__globals__, "END", 4)
    state = WHOLE.state(WHOLE.configure("only", nodes=4))
    state.node[0].number = state.node[2].number = 1
    assert interpreted(program([up_to_the_end]), ["up_to_the_end"])["up_to_the_end"](state) == up_to_the_end(state) == 1


class Line(State):
    """Who waits."""

    waiting = seq(integer(0, 1, "one who waits"), 2, "the line")
    served = integer(0, 2, "how many were served")


def serve_all(s):
    """The first one goes before the others are counted."""
    last = len(s.waiting)
    s.waiting.append(1)
    for _ in range(last):
        s.served += 1
    return last in range(last)


def test_a_length_that_was_asked_before_ends_no_loop():
    with pytest.raises(UsageError, match=r"test_desugared.py:\d+: a loop to a length that was asked before.* in serve_all"):
        highwater.check(Model(state=Line, actions=[serve_all]), threads=1)
