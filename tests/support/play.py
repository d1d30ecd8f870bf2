"""Scenarios: lines of actions that are run on the plain model, one after the other."""

from support.kafka import KAFKA, tiny


def play(revision, script, preferred=None, initial=0, **settings):
    """The state after the script; what a line leaves out of an action's parameters is 0.

    `preferred`: begin where this broker is the preferred replica. `initial`: the number of the initial state.
    """
    config = tiny(revision, **settings)
    states = KAFKA.initial_states(config)
    state = states[initial]
    if preferred is not None:
        state.zookeeper.preferred[0] = preferred
    for line in filter(None, map(str.strip, script.splitlines())):
        name, *given = line.split()
        named = {key: int(value) for key, value in (word.split("=") for word in given)}
        action = KAFKA.action(name)
        assert set(named) <= set(action.parameters), line
        taken = action.version(config)(state, *(named.get(p, 0) for p in action.parameters))
        assert taken, f"{line} is not enabled; enabled are {[a.label(x) for a, x, _ in KAFKA.enabled(state)]}"
    return state
