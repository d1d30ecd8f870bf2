"""A plugin's functions run with checks: these let through what a variable may hold, and nothing that its cell would cut."""

import pytest
from highwater.model.language import MEMBERS, Record, Settings, State, derived, integer, many, member, member_set, one, size
from highwater.model.language.reading.plugin_checks import with_plugin_checks
from highwater.model.language.reading.program import program


class Config(Settings):
    top = size(200, 1, 300, "a bound")
    least = size(200, 1, 300, "another")
    nodes = size(8, 1, 15, "nodes")
    members = derived(lambda c: c.nodes)
    lowest = derived(lambda c: -c.least)


class Inner(Record):
    some = member_set("a set")


class Own(State):
    who = member("a member")
    inner = one(Inner, "a record")
    sets = many(member_set("a set"), MEMBERS, "sets")
    little = integer(0, 5, "a number")
    large = integer(0, "top", "a number")
    negative = integer(-300, -200, "a number", -300)
    named = integer("lowest", 0, "a number")


def set_who(s, value):
    s.who = value


def set_inner(s, value):
    s.inner.some = value


def set_sets(s, value):
    s.sets[1] = value


def add_sets(s, value):
    s.sets[1] += value


def set_little(s, value):
    s.little = value


def set_large(s, value):
    s.large = value


def set_negative(s, value):
    s.negative = value


def set_named(s, value):
    s.named = value


WRITTEN = [
    (set_who, [0, 7, 15], [200, -129]),
    (set_inner, [0, 255], [256, -129]),
    (set_sets, [0, 255], [256, -129]),
    (add_sets, [128, 255], [256]),
    (set_little, [0, 5, 127, -128], [128, -129]),
    (set_large, [0, 200], [201]),
    (set_negative, [-300, -200], [-301, 128]),
    (set_named, [-200, 0], [-201, 128]),
]


def called(function, state, value):
    """Call a function as it is compiled, with its checks, but uncompiled. It answers a number, so it is taken as an action is."""
    whole = with_plugin_checks(program([function], settings=Config), [function.__name__], Own, Config)
    names = {}
    exec(whole.text(), names)  # our own text
    names[function.__name__](state, value)


@pytest.mark.parametrize(("function", "held", "cut"), WRITTEN)
def test_what_is_written_is_compared_with_the_range_of_its_variable(function, held, cut):
    for value in held:
        called(function, Own(Config()), value)
    for value in cut:
        with pytest.raises(ValueError, match="a value that its variable cannot hold"):
            called(function, Own(Config()), value)
