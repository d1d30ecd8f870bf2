"""Scenarios: lines of actions that are run on the plain model, one after the other."""

from highwater.traces.replay import replay

from support.kafka import KAFKA, tiny


def play(revision, script, preferred=None, initial=0, **settings):
    """The state after the script; what a line leaves out of an action's parameters is 0.

    `preferred`: begin where this broker is the preferred replica. `initial`: the number of the initial state.
    """
    state = KAFKA.initial_states(tiny(revision, **settings))[initial]
    if preferred is not None:
        state.zookeeper.preferred[0] = preferred
    return run(KAFKA, state, lines_of(script))


def refused(revision, script, **how):
    """Whether the last line of the script is not enabled, where the others lead."""
    *before, last = lines_of(script)
    state = play(revision, "\n".join(before), **how)
    return not take(KAFKA, state, last)


def lines_of(script):
    return [line.strip() for line in script.splitlines() if line.strip()]


def run(model, state, lines):
    """The state, which the lines change."""
    for line in lines:
        assert take(model, state, line), f"{line} is not enabled; enabled are {[a.label(x) for a, x, _ in model.enabled(state)]}"
    return state


def take(model, state, line):
    """Whether the step of a line is enabled, which is then taken."""
    name, *given = line.split()
    named = {key: int(value) for key, value in (word.split("=") for word in given)}
    action = model.action(name)
    assert set(named) <= set(action.parameters), line
    return action.version(state.config)(state, *(named.get(p, 0) for p in action.parameters))


def enabled(state):
    """The names of the actions that are enabled."""
    return {action.name for action, _, _ in KAFKA.enabled(state)}


def last_state(trace, steps=None):
    """The state at the end of a trace, or after its first steps."""
    replayed = replay(trace.with_steps(trace.steps[:steps]), KAFKA)
    assert not replayed.mismatch, replayed.mismatch
    return replayed.states[-1]
