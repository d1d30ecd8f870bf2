"""What a partial-order reduction can gain, measured on whole graphs (docs/decisions/0007).

A reduction follows some of a state's steps, a stubborn set, where what it leaves out can be done later with the same result, and
where what it takes changes nothing that the property reads. A checker has to prove for all states which instances commute and
which can enable which. Here that is read off all reachable states: a proof cannot allow more, so it cannot gain more.
"""

import re
from collections import deque

import pytest
from highwater.model.language.kinds import cells, walk
from highwater.model.language.reading.footprint import footprint
from highwater.properties.property import always
from highwater.properties.registry import KAFKA
from support import toys
from support.judge import graph_of
from support.kafka import PROPERTIES, tiny


class Graph:
    """All states and steps. `steps` [state][instance]: the state after; `initial`: where it begins."""

    def __init__(self, model, config):
        graph = graph_of(model, config)
        self.states = [state for _, state in graph.nodes(data="state")]
        self.initial = [number for number, initial in graph.nodes(data="initial") if initial]
        self.steps = [{instance: w for _, w, instance in graph.out_edges(v, data="instance")} for v in graph]
        self.dependent, self.enables = {}, {}
        for enabled in self.steps:
            for step, after in enabled.items():
                dependent = self.dependent.setdefault(step, set())
                dependent |= {other for other in enabled.keys() - dependent if not self.commute(enabled, step, other)}
                for other in self.steps[after].keys() - enabled.keys():
                    self.enables.setdefault(other, set()).add(step)

    def commute(self, enabled, one, other):
        """Neither step rules the other out, and their order does not matter; a step and itself count as well."""
        first, second = self.steps[enabled[one]], self.steps[enabled[other]]
        return one == other or (other in first and one in second and first[other] == second[one])

    def stubborn(self, enabled, seed):
        """The enabled instances of the smallest stubborn set with one that is enabled."""
        chosen, todo = {seed}, [seed]
        while todo:
            one = todo.pop()
            more = (self.dependent if one in enabled else self.enables).get(one, set()) - chosen
            chosen |= more
            todo += more
        return chosen & enabled.keys()

    def reduced(self, places):
        """The states that are still visited, if nothing that changes these cells may be taken before what is left out."""
        shown = [tuple(cells(state)[place] for place in places) for state in self.states]
        visible = {i for v, enabled in enumerate(self.steps) for i, w in enabled.items() if shown[v] != shown[w]}
        todo, seen, expanded = deque(self.initial), set(self.initial), set()
        while todo:
            state = todo.popleft()
            expanded.add(state)
            enabled = self.steps[state]
            sets = [self.stubborn(enabled, seed) for seed in enabled]
            fit = [one for one in sets if not one & visible and any(enabled[i] not in expanded for i in one)]
            for instance in min(fit, key=len, default=enabled):
                if enabled[instance] not in seen:
                    seen.add(enabled[instance])
                    todo.append(enabled[instance])
        return seen


def read_by(prop, model, config):
    """The places, among the cells of a state, of the variables that a property reads."""
    names = [str(number) for number in range(len(prop.parameters))]
    paths = footprint(prop.function, names, model.state).reads
    any_index = [re.sub(r"\\\[.*?\\\]", r"\\[\\d+\\]", re.escape(path)) for path in paths]
    read = re.compile("|".join(f"(?:{path})(?:[.[].*)?" for path in any_index) or "(?!)")
    return [place for place, (path, *_) in enumerate(walk(model.state, model.state(config))) if read.fullmatch(path)]


def gain(model, config, *properties):
    """By how much the states become fewer, for each property; what it says stays the same."""
    graph, out = Graph(model, config), []
    for prop in properties:
        seen = graph.reduced(read_by(prop, model, config))
        holds = [prop.holds(state) for state in graph.states]
        assert all(holds) == all(holds[state] for state in seen)
        out.append(round(len(graph.states) / len(seen), 2))
    return out


def anything(s):
    """True of every state."""
    return True


def test_where_processes_are_independent_it_gains():
    """Three counters to 3: 10 states in one order of 64. A property that reads all of them leaves nothing out."""
    assert gain(toys.COUNTERS, toys.COUNTERS.configure("only"), always(anything, None), toys.COUNTER_PROPERTIES[0]) == [6.4, 1]


ASKED = [PROPERTIES[name] for name in ("no_committed_data_loss", "log_prefix_convergence", "weak_isr", "hw_within_log")]
FAULTS = {"session_expiries": 1, "preferred_elections": 1}
SIZES = [*((name, FAULTS) for name in KAFKA.revisions), ("kip-320", {"brokers": 3, "session_expiries": 1})]


@pytest.mark.long
@pytest.mark.parametrize(("revision", "sizes"), SIZES, ids=lambda one: one if isinstance(one, str) else len(one))
def test_in_this_protocol_it_gains_less_than_half(revision, sizes):
    """Nearly every instance can be enabled, or ruled out, by a command or an election that comes before it."""
    found = gain(KAFKA, tiny(revision, **sizes), always(anything, None), *ASKED)
    print(revision, sizes, found)
    assert max(found) < 1.5
