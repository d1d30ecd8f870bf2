"""The alternating bit protocol over channels that lose messages. TLA+ Examples: SpecifyingSystems/TLC/MCAlternatingBit."""

from itertools import product

from highwater.model.language import Model, Settings, State, flag, integer, many, size
from highwater.properties.property import leads_to, sometimes

EMPTY = 4


class Config(Settings):
    """How much fits into a channel; what does not is not sent, where TLC has a constraint."""

    capacity = size(2, 1, 3, "messages in a channel")


class Channels(State):
    """A sender, a receiver, and two channels. A message is 2 * bit + value."""

    message = many(integer(0, EMPTY, "a message; 4: none", initial=EMPTY), "capacity", "to the receiver, first the oldest")
    answer = many(integer(0, 2, "a bit; 2: none", initial=2), "capacity", "to the sender")
    send_bit = flag("the bit of what is sent")
    answered_bit = flag("the last bit that was answered")
    receive_bit = flag("the last bit that was received")
    sent = flag("the value that is sent")
    received = flag("the value that was received last")


def first_states(config):
    """Any bit, and any values."""
    states = []
    for bit, sent, received in product((0, 1), repeat=3):
        state = Channels(config)
        state.send_bit = state.answered_bit = state.receive_bit = bit
        state.sent, state.received = sent, received
        states.append(state)
    return states


def add_message(s):
    """The value that is sent, with its bit, is put at the end of the channel."""
    for place in range(s.config.capacity):
        if s.message[place] == EMPTY:
            s.message[place] = 2 * s.send_bit + s.sent
            break


def remove_message(s, gone):
    """A message leaves the channel."""
    for place in range(s.config.capacity - 1):
        if place >= gone:
            s.message[place] = s.message[place + 1]
    s.message[s.config.capacity - 1] = EMPTY


def remove_answer(s, gone):
    """An answer leaves the channel."""
    for place in range(s.config.capacity - 1):
        if place >= gone:
            s.answer[place] = s.answer[place + 1]
    s.answer[s.config.capacity - 1] = 2


def send(s, value):
    """The sender sends a new value, when the last one was answered."""
    if s.answered_bit != s.send_bit or s.message[s.config.capacity - 1] != EMPTY:
        return False
    s.sent = value
    s.send_bit = 1 - s.send_bit
    add_message(s)
    return True


def send_again(s):
    """It repeats a value that was not answered."""
    if s.answered_bit == s.send_bit or s.message[s.config.capacity - 1] != EMPTY:
        return False
    add_message(s)
    return True


def receive(s):
    """The receiver takes the oldest message."""
    if s.message[0] == EMPTY:
        return False
    s.receive_bit, s.received = s.message[0] // 2, s.message[0] % 2
    remove_message(s, 0)
    return True


def answer(s):
    """It answers with the last bit."""
    if s.answer[s.config.capacity - 1] != 2:
        return False
    for place in range(s.config.capacity):
        if s.answer[place] == 2:
            s.answer[place] = s.receive_bit
            break
    return True


def receive_answer(s):
    """The sender takes the oldest answer."""
    if s.answer[0] == 2:
        return False
    s.answered_bit = s.answer[0]
    remove_answer(s, 0)
    return True


def lose_message(s, place):
    """A message is lost."""
    if s.message[place] == EMPTY:
        return False
    remove_message(s, place)
    return True


def lose_answer(s, place):
    """An answer is lost."""
    if s.answer[place] == 2:
        return False
    remove_answer(s, place)
    return True


def is_on_its_way(s, value):
    """This value was sent, and not answered."""
    return s.sent == value and s.send_bit != s.answered_bit


def arrives(s, value):
    """It is what was received last."""
    return s.received == value


def both_channels_are_full(s):
    """Both channels can be full."""
    return s.message[s.config.capacity - 1] != EMPTY and s.answer[s.config.capacity - 1] != 2


MODEL = Model(
    state=Channels,
    config=Config,
    initial_states=first_states,
    domains={"value": 2, "place": "capacity"},
    actions=[send, send_again, receive, answer, receive_answer, lose_message, lose_answer],
    weak=[send_again, answer],
    strong=[receive, receive_answer],
    faults=[lose_message, lose_answer],
    properties=[leads_to(is_on_its_way, arrives), sometimes(both_channels_are_full)],
)
