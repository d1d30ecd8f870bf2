"""Sequences: Python, compiled code and formulas agree, and what does not fit is an error of the model."""

import highwater
import pytest
from highwater.explorer.library import of_a_user
from highwater.model.language import Model, State, UsageError, cells, flag, integer, many, seq
from highwater.model.language.errors import ModelError
from highwater.properties.property import always
from support.agreement import agree_at_random
from support.exploring import reachable


class Queues(State):
    """A queue, and two smaller ones."""

    queue = seq(integer(0, 3, "a message"), 3, "what waits")
    box = many(seq(flag("a bit"), 1, "bits"), 2, "boxes")
    last = integer(0, 3, "what was taken last")


def put(s, value):
    """A value that is not there is put at the end."""
    if s.queue.length == 3 or s.queue.has(value):
        return False
    s.queue.append(value)
    return True


def take(s):
    """The oldest is taken."""
    if s.queue.length == 0:
        return False
    s.last = s.queue.head()
    s.queue.remove(0)
    return True


def lose(s, place):
    """Any is lost."""
    if place >= s.queue.length:
        return False
    s.last = s.queue.remove(place)
    return True


def keep(s, box):
    """What was taken is kept."""
    if s.box[box].length == 1 or s.last == 0:
        return False
    s.box[box].append(s.last % 2)
    return True


def put_too_many(s, value):
    """There may be no room."""
    s.queue.append(value)
    return True


def take_of_none(s):
    """There may be nothing."""
    s.last = s.queue.head()
    return True


def lose_of_none(s, place):
    """There may be nothing at this place."""
    s.last = s.queue.remove(place)
    return True


def free_places_are_0(s):
    """Equal sequences are equal states."""
    return all(value == 0 for place, value in enumerate(s.queue.item) if place >= s.queue.length)


DOMAINS = {"value": 4, "place": 3, "box": 2}
MODEL = Model(state=Queues, domains=DOMAINS, actions=[put, take, lose, keep], properties=[always(free_places_are_0)])
WHOLE = of_a_user(MODEL)


def test_python_and_compiled_code_find_the_same_states():
    states = {cells(state) for _, state in reachable(WHOLE, WHOLE.configure("only"))}
    found = highwater.check(MODEL, threads=1)
    assert found and found.states == len(states)


def test_z3_reads_the_same():
    agree_at_random(WHOLE, 40)


@pytest.mark.parametrize("action", [put_too_many, pytest.param(take_of_none, marks=pytest.mark.long), lose_of_none])
def test_what_does_not_fit_is_an_error_of_the_model(action):
    with pytest.raises((ModelError, IndexError), match=r"outside|lies outside|array|no room for one more"):
        highwater.check(Model(state=Queues, domains=DOMAINS, actions=[put, action]), threads=1)


def test_of_what_there_is_no_sequence():
    with pytest.raises(UsageError, match="is of numbers, such as"):
        seq("a member", 3, "members")
