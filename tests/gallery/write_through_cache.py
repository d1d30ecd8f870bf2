"""Caches that write through to a memory behind a queue, and stay coherent."""

import itertools

from highwater.model.language import Choice, Model, Record, Settings, State, derived, integer, many, one, one_of, seq, size
from highwater.properties.property import always


class Sizes(Settings):
    """How many there are."""

    processors = size(2, 1, 3, "processors")
    addresses = size(1, 1, 3, "addresses")
    values = size(2, 1, 3, "values")
    places = size(1, 1, 3, "places of the queue to the memory")
    requests = derived(lambda c: c.values + 1)
    last_value = derived(lambda c: c.values - 1)
    last_address = derived(lambda c: c.addresses - 1)
    last_processor = derived(lambda c: c.processors - 1)


class What(Choice):
    """What is handed over."""

    NOTHING = "nothing"
    VALUE = "a value"
    READ = "a request to read"
    WRITE = "a request to write"


class Phase(Choice):
    """Where a processor is."""

    READY = "it has nothing to do", "rdy"
    BUSY = "it has a request"
    WAITING = "it waits for the memory"
    DONE = "it has the answer"


class Item(Record):
    """A request or an answer."""

    what = one_of(What, "what it is")
    address = integer(0, "last_address", "of a request")
    value = integer(0, "last_value", "of an answer, or what is to be written")


class Sent(Record):
    """An item, and whose it is."""

    processor = integer(0, "last_processor", "whose")
    item = one(Item)


class Processor(Record):
    """A processor with its cache."""

    phase = one_of(Phase, "where it is")
    buffer = one(Item, "its request, or the answer")
    cache = many(integer(-1, "last_value", "the value that it knows; -1: none", initial=-1), "addresses")


class Caches(State):
    """Processors, their interface, the memory, and the queue to it."""

    processor = many(Processor, "processors")
    interface = one(Sent, "what was said last")
    memory = many(integer(0, "last_value", "a value"), "addresses")
    queue = seq(Sent, "places", "requests on their way to the memory")


def request(s, processor, address, number):
    """A processor gets a request: to read (0), or to write a value."""
    me = s.processor[processor]
    if me.phase is not Phase.READY:
        return False
    me.buffer.what = What.READ if number == 0 else What.WRITE
    me.buffer.address = address
    me.buffer.value = max(0, number - 1)
    me.phase = Phase.BUSY
    s.interface.processor = processor
    s.interface.item = me.buffer
    return True


def respond(s, processor):
    """It hands the answer over."""
    me = s.processor[processor]
    if me.phase is not Phase.DONE:
        return False
    s.interface.processor = processor
    s.interface.item = me.buffer
    me.phase = Phase.READY
    return True


def answer(me, value):
    """The answer of a read; of a write (-1) there is none."""
    me.buffer.what = What.NOTHING if value < 0 else What.VALUE
    me.buffer.address = 0
    me.buffer.value = max(0, value)
    me.phase = Phase.DONE


def ask(s, processor):
    """Its request goes to the memory."""
    end = s.queue.length
    s.queue.append(processor=processor)
    s.queue.item[end].item = s.processor[processor].buffer


def miss(s, processor):
    """What it has to read is not in its cache."""
    me = s.processor[processor]
    if me.phase is not Phase.BUSY or me.buffer.what is not What.READ or me.cache[me.buffer.address] >= 0:
        return False
    if len(s.queue) == s.config.places:
        return False
    ask(s, processor)
    me.phase = Phase.WAITING
    return True


def read(s, processor):
    """It reads from its cache."""
    me = s.processor[processor]
    if me.phase not in (Phase.BUSY, Phase.WAITING) or me.buffer.what is not What.READ or me.cache[me.buffer.address] < 0:
        return False
    answer(me, me.cache[me.buffer.address])
    return True


def write(s, processor):
    """It writes to its cache, to those that know the address, and to the memory."""
    me = s.processor[processor]
    if me.phase is not Phase.BUSY or me.buffer.what is not What.WRITE or len(s.queue) == s.config.places:
        return False
    ask(s, processor)
    for other in range(s.config.processors):
        if other == processor or s.processor[other].cache[me.buffer.address] >= 0:
            s.processor[other].cache[me.buffer.address] = me.buffer.value
    answer(me, -1)
    return True


def memory_writes(s):
    """The memory does the first request, a write."""
    if len(s.queue) == 0 or s.queue.head().item.what is not What.WRITE:
        return False
    s.memory[s.queue.head().item.address] = s.queue.head().item.value
    s.queue.remove(0)
    return True


def memory_reads(s):
    """The memory answers the first request, a read, with what it will hold after all that waits."""
    if len(s.queue) == 0 or s.queue.head().item.what is not What.READ:
        return False
    address = s.queue.head().item.address
    value = s.memory[address]
    for sent in s.queue.values():
        if sent.item.what is What.WRITE and sent.item.address == address:
            value = sent.item.value
    s.processor[s.queue.head().processor].cache[address] = value
    s.queue.remove(0)
    return True


def evict(s, processor, address):
    """A cache forgets an address, unless its processor waits for it."""
    me = s.processor[processor]
    if me.phase is Phase.WAITING and me.buffer.address == address:
        return False
    me.cache[address] = -1
    return True


def coherent(s, processor, other, address):
    """Who knows an address knows the same."""
    mine, theirs = s.processor[processor].cache[address], s.processor[other].cache[address]
    return mine < 0 or theirs < 0 or mine == theirs


def begin(config):
    """The memory holds any values."""
    states = []
    for values in itertools.product(range(config.values), repeat=config.addresses):
        state = Caches(config)
        for address, value in enumerate(values):
            state.memory[address] = value
        states.append(state)
    return states


MODEL = Model(
    state=Caches,
    config=Sizes,
    domains={"processor": "processors", "other": "processors", "address": "addresses", "number": "requests"},
    actions=[request, respond, miss, read, write, memory_writes, memory_reads, evict],
    initial_states=begin,
    properties=[always(coherent)],
)
