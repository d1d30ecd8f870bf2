"""Several symmetric sorts, bags of members, and many members: orbits counted by an independent renaming, and what is refused."""

import re
from collections import Counter
from dataclasses import replace
from itertools import permutations, product
from pathlib import Path

import highwater
import pytest
from highwater.explorer.compiling.compiled import Compiled
from highwater.explorer.compiling.symmetry import validate_symmetry
from highwater.explorer.promises import validate_promised_symmetry
from highwater.model.language import (
    MEMBERS,
    NO_MEMBER,
    Model,
    Record,
    Settings,
    Sort,
    State,
    UsageError,
    bag,
    derived,
    flag,
    integer,
    many,
    map_of,
    member,
    member_set,
    no_asymmetry,
    seq,
    set_of,
    size,
)  # fmt: skip
from highwater.model.language.kinds import Kind, Many, Member, MemberSet
from highwater.model.language.sequences import Container
from highwater.properties.property import SOMETIMES, always, sometimes
from highwater.traces.replay import replay
from support.elsewhere import python
from support.exploring import finished, reachable

VALUES = Sort("values")


class Sizes(Settings):
    """How many there are."""

    nodes = size(2, 1, 12, "nodes")
    values = size(2, 1, 12, "values")
    members = derived(lambda c: c.nodes)


def named(kind, value, new):
    """A part of a state in which everyone has another name: bags have no order here, and arrays over a sort are by name."""
    if isinstance(kind, Member):
        return value if value == NO_MEMBER else new[kind.of][value]
    if isinstance(kind, MemberSet):
        return frozenset(new[kind.of][number] for number in range(16) if value >> number & 1)
    if isinstance(kind, Kind):
        return int(value)
    if isinstance(kind, Many):
        places = new.get(kind.dimension, range(len(value)))
        return tuple(one for _, one in sorted((places[at], named(kind.element, one, new)) for at, one in enumerate(value)))
    if isinstance(value, Container):
        there = [named(type(value).fields["item"].element, value.item[at], new) for at in range(value.length)]
        return frozenset(Counter(there).items()) if value.ordered else tuple(there)
    return (
        tuple(named(field, getattr(value, name), new) for name, field in kind.fields.items()) if hasattr(kind, "fields") else None
    )


def orbit(state):
    """All that a state is with other names."""
    orders = [permutations(range(size)) for size in (state.config.members, state.config.values)]
    return frozenset(named(type(state), state, dict(zip((MEMBERS, VALUES), some, strict=True))) for some in product(*orders))


def model_of(state, *functions, domains=None, properties=(), **more):
    """A model that promises symmetry."""
    known = {"node": MEMBERS, "other": MEMBERS, "value": VALUES, "another": VALUES, **(domains or {})}
    return Model(
        name=state.__name__.lower(), state=state, config=Sizes, actions=functions, domains=known, properties=tuple(properties),
        capacities={"small": {MEMBERS: 6, VALUES: 3, **dict.fromkeys(("length_1", "length_2", "length_4"), 4)}},
        **{"asymmetry": no_asymmetry, **more},
    )  # fmt: skip


class Note(Record):
    """A note from a node about a value."""

    sender = member("who wrote it")
    loud = flag("in capitals")
    value = member("about what", VALUES)


class Office(State):
    """Everything at once that has members in it."""

    likes = many(member("the value that it likes", VALUES), MEMBERS)
    fans = many(member_set("who said so"), VALUES)
    knows = many(many(flag("it knows the value"), VALUES), MEMBERS)
    notes = bag(Note, 2, "on the table")
    line = seq(member("who waits"), 2, "the oldest first")
    price = map_of(member("a value", VALUES), integer(0, 1, "its price"), 1, "what is sold")


def like(s, node, value):
    """A node begins to like a value."""
    if s.likes[node] == value or s.fans[value] != 0:
        return False
    s.likes[node] = value
    return True


def write(s, node, value):
    """A node writes what it likes, and knows it."""
    if s.likes[node] != value or len(s.notes) == 2 or s.knows[node][value]:
        return False
    s.notes.send(sender=node, value=value, loud=1 if s.fans[value] != 0 else 0)
    s.knows[node][value] = True
    return True


def read(s, place):
    """Somebody takes a note away, and the sender stands in line, at the end."""
    if place >= len(s.notes) or len(s.line) == 2:
        return False
    note = s.notes.item[place]
    s.line.append(note.sender)
    s.fans[note.value] |= 1 << note.sender
    s.notes.remove(place)
    return True


def sell(s, value):
    """A value that somebody knows gets a price, and the first in line goes."""
    if len(s.line) == 0 or not any(s.knows[node][value] for node in range(s.config.members)):
        return False
    if len(s.price) == 1 and not s.price.has(key=value):
        return False
    s.price.put(value, 1 - s.price.get(value, 1))
    s.line.remove(0)
    return True


def two_loud_notes(s):
    """Two notes lie there, one of them loud."""
    return s.notes.count(loud=1) > 0 and len(s.notes) == 2


def notes_are_liked(s):
    """Whoever wrote a note likes what it is about, or has changed its mind."""
    return all(s.likes[note.sender] == note.value for note in s.notes.values())


OFFICE = model_of(
    Office, like, write, read, sell, domains={"place": 2}, properties=[sometimes(two_loud_notes), always(notes_are_liked)]
)


class Post(State):
    """A set that keeps everything that was ever said."""

    said = set_of(Note, 4, "all that was said")
    last = member("who spoke last")


def say(s, node, value):
    """A node says something that the one who spoke last did not say of another value."""
    if len(s.said) == 4 or s.said.has(sender=node, value=value) or s.last == node:
        return False
    s.said.add(sender=node, value=value)
    s.last = node
    return True


def shout(s, place):
    """What the last one said is said louder."""
    if place >= len(s.said):
        return False
    note = s.said.item[place]
    if note.loud or note.sender != s.last:
        return False
    sender, value = note.sender, note.value
    s.said.remove(place)
    s.said.add(sender=sender, value=value, loud=1)
    return True


POST = model_of(Post, say, shout, domains={"place": 4})


class Meadow(State):
    """Sheep, of which each is known by what it does alone."""

    sheep = many(integer(0, 2, "how awake it is"), MEMBERS)


def wake(s, node):
    """A sheep wakes, more and more."""
    if s.sheep[node] == 2:
        return False
    s.sheep[node] += 1
    return True


def all_awake(s):
    return all(one == 2 for one in s.sheep)


MEADOW = model_of(Meadow, wake, properties=[sometimes(all_awake)])


class Circle(State):
    """Nodes that can be told apart by nothing but whom they follow."""

    follows = many(member("whom it follows"), MEMBERS)


def follow(s, node, other):
    """A node begins to follow another one."""
    if node == other or s.follows[node] != NO_MEMBER:
        return False
    s.follows[node] = other
    return True


def two_follow_each_other(s):
    """Two follow each other."""
    return any(one != NO_MEMBER and s.follows[one] == node for node, one in enumerate(s.follows))


CIRCLE = model_of(Circle, follow, properties=[sometimes(two_follow_each_other)])

CASES = [
    (OFFICE, {"nodes": 2, "values": 2}), (OFFICE, {"nodes": 3, "values": 1}), (OFFICE, {"nodes": 1, "values": 3}),
    (POST, {"nodes": 3, "values": 2}), (POST, {"nodes": 2, "values": 3}), (MEADOW, {"nodes": 6}), (CIRCLE, {"nodes": 4}),
]  # fmt: skip
QUICK = (1, 4, 6)


def brute(model, config):
    """How many orbits there are, level by level, and how many states."""
    sizes, seen, states = Counter(), set(), 0
    for depth, state in reachable(model, config):
        states += 1
        if (one := orbit(state)) not in seen:
            seen.add(one)
            sizes[depth] += 1
    return [size for _, size in sorted(sizes.items())], states


def compare(model, settings, generic=None):
    """The levels of a search with symmetry are those of the orbits."""
    config = model.configure("only", **settings)
    validate_symmetry(model, config, model.properties)
    levels, states = brute(model, config)
    found = finished(Compiled(model, config, model.properties, True, generic), model.properties, exact=True, keep_going=True)
    assert found.levels == levels and sum(levels) < states
    validate_promised_symmetry(found.compiled, model.properties, found.sampled())
    for claim in (one for one in model.properties if one.kind == SOMETIMES):
        assert (claim.name in found.found) == any(claim.function(state) for _, state in reachable(model, config))
        if claim.name not in found.found:
            continue
        trace = found.trace_of(found.found[claim.name], "only", claim)
        assert replay(trace, model, [claim]).mismatch == "" and len(trace.steps) == found.found[claim.name].depth - 1


def test_orbits_level_by_level_uncompiled():
    program = "import test_sorts as here\nfor number in here.QUICK:\n    here.compare(*here.CASES[number])"
    assert python(Path(__file__).parent, "-c", program, HIGHWATER_COMPILE="no", PYTHONWARNINGS="ignore") == (0, "", "")


@pytest.mark.long
@pytest.mark.parametrize("generic", [None, "small"])
@pytest.mark.parametrize("case", range(len(CASES)))
def test_orbits_level_by_level(case, generic):
    compare(*CASES[case], generic)


def takes_the_first(s):
    s.line.append(s.notes.item[0].sender)
    return True


def takes_the_head(s):
    note = s.notes.head()
    s.line.append(note.sender)
    return True


def discards_one_of_several(s):
    return s.notes.discard(loud=1)


def asks_for_the_place(s, place):
    if place == 1 or place >= len(s.notes):
        return False
    s.notes.remove(place)
    return True


def takes_of_another(s, place):
    s.line.append(s.other.item[place].sender)
    s.notes.remove(place)
    return True


def counts_places(s, place):
    s.number = place
    return s.notes.item[place].loud


def mixes_sorts(s, node, value):
    return s.likes[node] == node


def likes_a_node(s, node, value):
    s.likes[node] = node
    return True


def asks_by_value(s, node, value):
    return s.knows[value][node]


def adds_the_wrong_one(s, node, value):
    s.notes.send(sender=value, value=value)
    return True


def prefers_a_value(s, node, value):
    return s.likes[node] == 1


def fans_of_values(s, node, value):
    return s.fans[value] >> value & 1


def puts_a_node(s, node):
    s.price.put(node, 1)
    return True


class Desk(Office):
    """Two tables, and a number."""

    other = bag(Note, 2, "another table")
    number = integer(0, 9, "a number")


REFUSED = {
    takes_the_first: "the index 0 of s.notes.item, a bag, a set or a map that is kept in the order of members' numbers",
    takes_the_head: "head takes the first of several in a bag",
    discards_one_of_several: "discard takes the first of several in a bag",
    asks_for_the_place: "compared with each other, place == 1,",
    takes_of_another: "is a place in a bag, a set or a map of members",
    counts_places: "a place in a bag, a set or a map of members is kept in s.number",
    mixes_sorts: "a member of the sort values and a member are compared",
    likes_a_node: "a member is written to s.likes[node]",
    asks_by_value: "the index value of s.knows, an array over members, is a member of the sort values",
    adds_the_wrong_one: "a member of the sort values is written to sender of a bag",
    prefers_a_value: "a member of the sort values and the number 1 are compared",
    fans_of_values: "arithmetic on a set of members, s.fans[value] >> value, other than",
    puts_a_node: "a member is written to key of a bag",
}


@pytest.mark.parametrize("action", REFUSED, ids=lambda action: action.__name__)
def test_what_prefers_a_member_of_a_sort_or_a_place_is_refused_with_its_line(action):
    model = model_of(Desk, action, domains={"place": 2})
    with pytest.raises(UsageError, match=rf"test_sorts.py:\d+: .*{re.escape(REFUSED[action])}.* in {action.__name__}"):
        validate_symmetry(model, model.configure("only", nodes=2, values=2))


def keep_the_first(s):
    """The first note of all is kept: which that is depends on numbers."""
    for note in s.notes.values():
        if len(s.line) == 0:
            s.line.append(note.sender)
            return True
    return False


def keep_the_first_value(s):
    """The first value that nobody likes is sold."""
    for value in range(s.config.values):
        if s.fans[value] == 0 and len(s.price) == 0:
            s.price.put(value, 1)
            return True
    return False


@pytest.mark.parametrize("action", [keep_the_first, keep_the_first_value], ids=lambda action: action.__name__)
def test_a_choice_by_number_that_the_text_does_not_show_is_sampled(action):
    model = model_of(Office, like, write, action, domains={"place": 2})
    with pytest.raises(UsageError, match=f"{action.__name__} prefers a member by its number"):
        validate_symmetry(model, model.configure("only", nodes=2, values=2))


def test_many_members_are_sorted_or_refused():
    validate_symmetry(MEADOW, MEADOW.configure("only", nodes=12))
    with pytest.raises(UsageError, match="symmetry over 9 members, which variables name, tries too many permutations"):
        validate_symmetry(CIRCLE, CIRCLE.configure("only", nodes=9))
    with pytest.raises(UsageError, match="symmetry over 7 members and 4 values, which variables name"):
        validate_symmetry(OFFICE, OFFICE.configure("only", nodes=7, values=4))


def test_a_sort_has_one_name():
    class Shelf(State):
        """A shelf."""

        has = many(flag("it is there"), "values")
        first = member("the first", VALUES)

    with pytest.raises(UsageError, match=r"has is over 'values', a symmetric sort elsewhere; write Sort\('values'\) here, too"):
        model_of(Shelf, takes_the_head).configure("only")


@pytest.mark.long
@pytest.mark.parametrize(("model", "nodes", "orbits"), [(CIRCLE, 6, 130), (MEADOW, 12, 91)])
def test_orbits_that_are_known_by_counting(model, nodes, orbits):
    """Functions from six points to themselves (A001372; one that follows nobody is its own image), and 12 of three kinds."""
    model = replace(model, capacities={"small": {MEMBERS: nodes}})
    found = highwater.check(model, nodes=nodes, symmetry=True, exact=True, keep_going=True, threads=1)
    assert found.states == orbits and "violated" not in found.verdicts.values()
