"""Readers and writers with a queue. TLA+ Examples: ReadersWriters/MC."""

from highwater.model.language import Choice, Model, Record, Settings, State, derived, flag, integer, many, one_of, size
from highwater.properties.property import always


class Wish(Choice):
    """What stands at a place of the queue."""

    NOTHING = "nobody waits there"
    READ = "somebody waits to read"
    WRITE = "somebody waits to write"


class Config(Settings):
    """How many there are."""

    actors = size(3, 1, 4, "actors")
    places = derived(lambda c: 2 * c.actors)


class Request(Record):
    """A place of the queue."""

    wish = one_of(Wish, "what is asked for")
    who = integer(0, "actors", "by whom")


class Resource(State):
    """Who reads and writes, and who waits."""

    reads = many(flag("it reads"), "actors", "readers")
    writes = many(flag("it writes"), "actors", "writers")
    queue = many(Request, "places", "the first one is served next")


def waits(s, actor, wish):
    """Whether an actor waits for this."""
    return any(s.queue[place].wish == wish and s.queue[place].who == actor for place in range(s.config.places))


def ask(s, actor, wish):
    """An actor enters the queue."""
    for place in range(s.config.places):
        if s.queue[place].wish is Wish.NOTHING:
            s.queue[place].wish, s.queue[place].who = wish, actor
            break


def ask_to_read(s, actor):
    """An actor that does not wait to read asks to."""
    if waits(s, actor, Wish.READ):
        return False
    ask(s, actor, Wish.READ)
    return True


def ask_to_write(s, actor):
    """An actor that does not wait to write asks to."""
    if waits(s, actor, Wish.WRITE):
        return False
    ask(s, actor, Wish.WRITE)
    return True


def serve(s):
    """The first in the queue reads if nobody writes, and writes if nobody reads or writes."""
    first = s.queue[0]
    if first.wish is Wish.NOTHING or any(s.writes[actor] for actor in range(s.config.actors)):
        return False
    if first.wish is Wish.WRITE and any(s.reads[actor] for actor in range(s.config.actors)):
        return False
    if first.wish is Wish.READ:
        s.reads[first.who] = 1
    else:
        s.writes[first.who] = 1
    for place in range(s.config.places - 1):
        s.queue[place].wish, s.queue[place].who = s.queue[place + 1].wish, s.queue[place + 1].who
    s.queue[s.config.places - 1].wish = Wish.NOTHING
    s.queue[s.config.places - 1].who = 0
    return True


def stop(s, actor):
    """A reader or writer stops."""
    if not s.reads[actor] and not s.writes[actor]:
        return False
    if s.reads[actor]:
        s.reads[actor] = 0
    else:
        s.writes[actor] = 0
    return True


def nobody_reads_what_is_written(s, actor):
    """Nobody reads while somebody writes."""
    return not s.writes[actor] or not any(s.reads[other] for other in range(s.config.actors))


def one_writes_at_most(s):
    """No two write at once."""
    return sum(s.writes[actor] for actor in range(s.config.actors)) <= 1


MODEL = Model(
    state=Resource,
    config=Config,
    domains={"actor": "actors"},
    actions=[ask_to_read, ask_to_write, serve, stop],
    properties=[always(nobody_reads_what_is_written), always(one_writes_at_most)],
)
