"""Exploring in tests: a search with code that all configurations share, and what it saw."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise, takewhile

from highwater.explorer.budget import Bounds
from highwater.explorer.compiling.compiled import Compiled, layout_for
from highwater.explorer.local.breadth_first import BreadthFirst
from highwater.explorer.local.check import check
from highwater.explorer.plain.breadth_first import breadth_first
from highwater.explorer.request import Request
from highwater.explorer.verdict import VIOLATED
from highwater.model.language import cells
from highwater.properties.catalogue import progress_of, properties_of
from highwater.properties.property import ALWAYS
from highwater.traces.replay import replay


def compile_generic(model, config, properties=(), symmetry=False):
    """The model with code for all configurations, and with all the properties of the catalogue."""
    return Compiled(model, config, properties_of(model) or properties, symmetry, layout_for(model, config))


def finished(compiled, properties=(), bounds=None, **options):
    """The search with this code, to its end or to its bounds."""
    search = BreadthFirst(compiled, properties, **options)
    search.seed()
    search.run(bounds or Bounds())
    return search


def search_through(model, config, properties=(), symmetry=False, bounds=None, **options):
    """A finished search with code that all configurations share."""
    properties = [p for p in properties_of(model) or properties if p.applies(config)]
    return finished(compile_generic(model, config, properties, symmetry), properties, bounds, **options)


def reachable(model, config, normal_form=True, deepest=None):
    """Every reachable state with its level, down to a level, in plain Python. Without the normal form there may be no end."""
    for depth, _, action, _, state in breadth_first(model if normal_form else replace(model, normal_form=None), config):
        if deepest is not None and depth > deepest:
            return
        if action is None:
            yield depth, state


def broken_in_a_step(model, config):
    """Which of the model's invariants of single steps fail on some step from a reachable state, and how many steps there are."""
    claims = [(claim, claim.bindings(config)) for claim in model.step_invariants if claim.applies(config)]
    broken, steps = set(), 0
    for _, state in reachable(model, config):
        for _, _, after in model.enabled(state):
            steps += 1
            for claim, bindings in claims:
                states = (after,) if claim.kind == ALWAYS else (state, after)
                if claim.name not in broken and not all(claim.function(*states, *binding) for binding in bindings):
                    broken.add(claim.name)
    assert len(claims) > 10
    return broken, steps


def as_plainly(model, config, levels, most):
    """Whether the plain engine counts the same states in each level, as far as it goes with so many states."""
    counted, last = Counter(), None
    for depth, _, action, _, _ in breadth_first(model, config):
        counted[depth] += action is None
        if counted.total() > most:
            last = depth
            break
    whole = takewhile(lambda depth: depth != last and depth <= len(levels), sorted(counted))
    return all(levels[depth - 1] == counted[depth] for depth in whole)


def request(model, revision, settings=None, properties=None, **how):
    """A request for all properties, unless some are given, to the end, with code that all configurations share."""
    config = model.configure(revision, **(settings or {}))
    chosen = list(properties_of(model) if properties is None else properties)
    return Request(model, revision, config, chosen, **{"generic": True, "keep_going": True, **how})


def depth_of_states(search):
    """The level of every state of an exact search, by the cells of the plain state."""
    out = {}
    for shard, firsts in zip(search.shards, search.firsts, strict=True):
        for level, (first, last) in enumerate(pairwise(firsts), 1):
            for key in shard.keys[first:last]:
                out[cells(search.compiled.state_of(key))] = level
    return out


def told(outcome):
    """Everything that an outcome says, apart from times and memory."""
    findings = [(f.property.name, f.verdict, f.depth, f.trace) for f in outcome.findings]
    actions = [(a.name, a.enabled, a.taken, a.new_states) for a in outcome.actions]
    deadlock = outcome.deadlock and (outcome.deadlock.depth, outcome.deadlock.trace)
    return outcome.levels, outcome.transitions, outcome.complete, outcome.stopped, findings, actions, deadlock


def everything(model, revision, **settings):
    """All that is reachable: how many states, and after how many steps each property, of progress too, is violated."""
    outcome = check(request(model, revision, settings, progress=list(progress_of(model))))
    assert outcome.complete
    return outcome.distinct_states, {f.property.name: f.steps for f in outcome.findings if f.verdict == VIOLATED}


def sort_small_levels(monkeypatch):
    """Sort levels of two states or more, whatever their size, by blocks of 100."""
    monkeypatch.setattr("highwater.explorer.local.sorting.MIN_SORTED", 2)
    monkeypatch.setattr("highwater.explorer.local.sorting.TOGETHER", 100)
    monkeypatch.setattr("highwater.explorer.local.sorting.BLOCK", 100)


def is_locally_shortest(trace, model, claim):
    """Without any one of its steps the trace does not run, or does not violate the property."""
    bare = trace.under(trace.revision)
    without = (bare.with_steps(bare.steps[:at] + bare.steps[at + 1 :]) for at in range(len(bare.steps)))
    return all(claim.name not in replay(one, model, [claim]).broken for one in without)
