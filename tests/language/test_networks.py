"""A network that loses, doubles and delays messages, within its budgets: a queue, a bag and a set."""

import highwater
import pytest
from highwater.explorer.library import of_a_user
from highwater.model.language import Model, Settings, State, bag, budget, cells, integer, seq, set_of
from highwater.model.language.networks import delay_message, duplicate_message, lose_message
from highwater.properties.property import always
from support.exploring import reachable


class Budgets(Settings):
    """What may go wrong."""

    losses = budget("messages are lost")
    duplications = budget("messages come twice")
    delays = budget("messages come late")


class Line(State):
    """A sender counts to three; a receiver notes what it gets."""

    network = seq(integer(0, 3, "a number"), 4, "on their way")
    sent = integer(0, 3, "the last that was sent")
    received = integer(0, 3, "the last that was received")
    skipped = integer(0, 1, "it was not the next one")
    losses = integer(0, "losses", "lost")
    duplications = integer(0, "duplications", "come twice")
    delays = integer(0, "delays", "come late")


class Crowd(Line):
    """The same in no order."""

    network = bag(integer(0, 3, "a number"), 4, "on their way")


class Single(Line):
    """The same, each once."""

    network = set_of(integer(0, 3, "a number"), 4, "on their way")


def send(s):
    """The next number is sent."""
    if s.sent == 3 or len(s.network) == 4:
        return False
    s.sent += 1
    s.network.send(s.sent)
    return True


def receive(s):
    """The first is received."""
    if len(s.network) == 0:
        return False
    got = s.network.head()
    s.skipped = s.skipped or got != s.received + 1
    s.received = got
    s.network.remove(0)
    return True


def all_in_turn(s):
    """What comes is the next one."""
    return not s.skipped


FAULTS = [lose_message, duplicate_message, delay_message]


def model_of(state):
    return Model(
        state=state, config=Budgets, domains={"place": 4}, actions=[send, receive, *FAULTS], faults=FAULTS,
        properties=[always(all_in_turn)],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("state", "faults", "steps"),
    [
        (Line, {}, None), (Line, {"losses": 1}, 4), (Line, {"duplications": 1}, 4), (Line, {"delays": 1}, 4),
        (Crowd, {"delays": 1}, None), (Crowd, {"duplications": 1}, 4), (Single, {"duplications": 1}, None),
    ],
)  # fmt: skip
def test_each_fault_breaks_the_order_of_what_it_can(state, faults, steps):
    found = highwater.check(model_of(state), threads=1, keep_going=True, **faults)
    assert found.verdicts == {"all_in_turn": "holds" if steps is None else "violated"}
    whole = of_a_user(model_of(state))
    assert found.states == len({cells(one) for _, one in reachable(whole, whole.configure("only", **faults))})
    assert steps is None or found.steps("all_in_turn") == steps
