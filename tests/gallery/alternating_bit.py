"""The alternating bit protocol over channels that lose messages. TLA+ Examples: SpecifyingSystems/TLC/MCAlternatingBit."""

from itertools import product

from highwater.model.language import Model, Settings, State, flag, integer, seq, size
from highwater.properties.property import leads_to, sometimes


class Config(Settings):
    """How much fits into a channel; what does not is not sent, where TLC has a constraint."""

    capacity = size(2, 1, 3, "messages in a channel")


class Channels(State):
    """A sender, a receiver, and two channels. A message is 2 * bit + value."""

    messages = seq(integer(0, 3, "a message"), "capacity", "what is on its way to the receiver")
    answers = seq(flag("a bit"), "capacity", "what is on its way to the sender")
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


def message(s):
    """What is sent, with its bit."""
    return 2 * s.send_bit + s.sent


def send(s, value):
    """The sender sends a new value, when the last one was answered."""
    if s.answered_bit != s.send_bit or s.messages.length == s.config.capacity:
        return False
    s.sent = value
    s.send_bit = 1 - s.send_bit
    s.messages.append(message(s))
    return True


def send_again(s):
    """It repeats a value that was not answered."""
    if s.answered_bit == s.send_bit or s.messages.length == s.config.capacity:
        return False
    s.messages.append(message(s))
    return True


def receive(s):
    """The receiver takes the oldest message."""
    if s.messages.length == 0:
        return False
    s.receive_bit, s.received = s.messages.head() // 2, s.messages.head() % 2
    s.messages.remove(0)
    return True


def answer(s):
    """It answers with the last bit."""
    if s.answers.length == s.config.capacity:
        return False
    s.answers.append(s.receive_bit)
    return True


def receive_answer(s):
    """The sender takes the oldest answer."""
    if s.answers.length == 0:
        return False
    s.answered_bit = s.answers.remove(0)
    return True


def lose_message(s, place):
    """A message is lost."""
    if place >= s.messages.length:
        return False
    s.messages.remove(place)
    return True


def lose_answer(s, place):
    """An answer is lost."""
    if place >= s.answers.length:
        return False
    s.answers.remove(place)
    return True


def is_on_its_way(s, value):
    """This value was sent, and not answered."""
    return s.sent == value and s.send_bit != s.answered_bit


def arrives(s, value):
    """It is what was received last."""
    return s.received == value


def both_channels_are_full(s):
    """Both channels can be full."""
    return s.messages.length == s.answers.length == s.config.capacity


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
