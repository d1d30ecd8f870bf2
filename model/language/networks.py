"""Faults of a network, as actions: messages are lost, come twice, or late.

    class Ring(State):
        network = bag(Message, 4, "on their way")       # or seq, in the order in which they are sent; or set_of, each once
        losses = integer(0, "losses", "how many were lost")

    MODEL = Model(..., config=Sizes, domains={"place": 4}, actions=[..., lose_message], faults=[lose_message])

The messages are the field `network` of the state. Each fault has a budget, a setting (`losses = budget("messages are lost")`),
and a variable of the same name, which counts: `losses`, `duplications`, `delays`. What is received is removed by the model's own
action.
A network that may deliver a message again and again is a `set_of` from which nothing is removed: then nothing else need be said.
"""

from typing import Any


def lose_message(s: Any, place: int) -> bool:
    """A message is lost."""
    if s.losses >= s.config.losses or place >= len(s.network):
        return False
    s.network.remove(place)
    s.losses += 1
    return True


def duplicate_message(s: Any, place: int) -> bool:
    """A message comes once more; not while there is no room for it. In a queue it comes last."""
    if s.duplications >= s.config.duplications or place >= len(s.network) or len(s.network) == len(s.network.item):
        return False
    s.network.add(s.network.item[place])
    s.duplications += 1
    return True


def delay_message(s: Any, place: int) -> bool:
    """A message of a queue comes after all others; not while the queue is full. In a bag there is no order to change."""
    if s.delays >= s.config.delays or place + 1 >= len(s.network) or len(s.network) == len(s.network.item):
        return False
    s.network.add(s.network.item[place])
    s.network.remove(place)
    s.delays += 1
    return True
