"""Fairness of several instances together, beside that of each: WF of `there is an n with A(n)`, beside WF of A(n) for each n."""

from dataclasses import replace

import highwater
import pytest
from highwater.explorer.library import of_a_user
from highwater.model.language import Model, State, UsageError, any_of, flag, integer, many
from highwater.properties.property import always, always_eventually, eventually, leads_to
from highwater.properties.ranked import ranked
from highwater.traces.lasso import doubt
from highwater.traces.replay import replay

from tests.gallery.test_gallery import model_of


class Desk(State):
    """Two people wait at a desk, which serves one, and then the same one again or another."""

    waits = many(flag("waits"), 2)
    served = integer(0, 2, "who was served last; 0: nobody yet")


def come(s, waits):
    """Somebody comes."""
    if s.waits[waits]:
        return False
    s.waits[waits] = True
    return True


def serve(s, waits):
    """Somebody who waits is served."""
    if not s.waits[waits]:
        return False
    s.waits[waits] = False
    s.served = waits + 1
    return True


def someone_is_served(s):
    """Somebody has been served."""
    return s.served > 0


def waits(s, waits):
    """One waits."""
    return s.waits[waits]


def is_served(s, waits):
    """One does not wait."""
    return not s.waits[waits]


def desk(**fairness):
    claims = [eventually(someone_is_served), leads_to(waits, is_served), always_eventually(is_served, name="nobody_for_ever")]
    return Model(state=Desk, actions=[come, serve], properties=claims, **fairness)


ALL = ["someone_is_served", "is_served", "nobody_for_ever"]


def verdicts(model):
    return highwater.check(model, properties=ALL, keep_going=True, threads=1)


def test_together_only_somebody_is_served():
    each = verdicts(desk(weak=[come, serve])).verdicts
    assert set(each.values()) == {"holds"}
    together = verdicts(desk(weak=[come, any_of(serve)]))
    assert together.verdicts == {"someone_is_served": "holds", "is_served": "violated", "nobody_for_ever": "violated"}
    model = of_a_user(desk(weak=[come, any_of(serve)]))
    trace, [claim] = together.trace("is_served"), [one for one in model.properties if one.name == "is_served"]
    assert doubt(trace, model, replay(trace, model, [claim]).states, claim) == ""
    other = of_a_user(desk(weak=[come, serve]))
    assert "puts serve" in doubt(trace, other, replay(trace, other, [claim]).states, claim)


def serve_at(s, waits, speed):
    """Somebody is served, quickly or slowly; in a hurry only quickly."""
    if not s.waits[waits] or (speed == 0 and s.served == 2):
        return False
    s.waits[waits] = False
    s.served = waits + 1 if speed else 2
    return True


def test_together_for_each():
    """WF of `there is a speed`, for each who waits: both are served. Of both together only somebody is."""
    domains = {"speed": 2}
    for fair, verdict in ((any_of(serve_at, each="waits"), "holds"), (any_of(serve_at), "violated")):
        model = Model(state=Desk, actions=[come, serve_at], domains=domains, properties=[leads_to(waits, is_served)], weak=[fair])
        found = highwater.check(model, properties=["is_served"], threads=1)
        assert found.verdicts == {"is_served": verdict}
    whole, [claim] = of_a_user(model), of_a_user(model).properties
    each = of_a_user(replace(model, weak=[any_of(serve_at, each=["waits"])], actions=[come, serve_at], properties=[claim]))
    trace = found.trace("is_served")
    assert doubt(trace, whole, replay(trace, whole, [claim]).states, claim) == ""
    assert "puts serve_at" in doubt(trace, each, replay(trace, each, [claim]).states, claim)


def test_actions_together_may_do_one_alone():
    assert verdicts(desk(weak=[any_of(come, serve)])).verdicts["someone_is_served"] == "holds"


def test_a_group_names_actions_that_are_there():
    with pytest.raises(UsageError, match="weak names 'is_served', which is not among the actions"):
        desk(weak=[any_of(is_served)])
    with pytest.raises(UsageError, match="any_of of serve for each 'speed', which is none of its parameters"):
        desk(weak=[any_of(serve, each="speed")])
    with pytest.raises(UsageError, match="leave it in one of them"):
        desk(weak=[any_of(serve)], strong=[serve])


@pytest.mark.parametrize(("strong", "verdict"), [(True, "holds"), (False, "violated")])
def test_the_alternating_bit_needs_strong_fairness_where_loss_is_no_fault(strong, verdict):
    """As in the original, where messages can be lost for ever: SF of both receivers, WF of both senders."""
    known = model_of("alternating_bit")
    actions = {action.name: action.function for action in known.actions}
    sends, receives = [actions["send_again"], actions["answer"]], [actions["receive"], actions["receive_answer"]]
    model = Model(
        state=known.state, config=known.config, initial_states=known.initial_states, domains=known.domains,
        actions=list(actions.values()), properties=known.properties, weak=[*sends, *([] if strong else receives)],
        strong=receives if strong else [],
    )  # fmt: skip
    found = highwater.check(model, properties=["arrives"], threads=1)
    assert found.verdicts == {"arrives": verdict} and found.states == 240


def how_full(s):
    """How many wait."""
    return sum(s.waits)


def empties(s):
    """Nobody waits."""
    return not any(s.waits)


def somebody(s):
    """Somebody waits."""
    return any(s.waits)


def test_a_model_of_ones_own_has_its_ranking():
    claim = ranked(leads_to(somebody, empties), measures=[how_full], helpful=[serve])
    closed = Model(state=Desk, actions=[serve], initial_states=both_wait, properties=[claim], weak=[serve])
    assert highwater.prove(closed, properties=["empties"], threads=1)
    lazy = Model(state=Desk, actions=[come, serve], properties=[claim], weak=[serve])
    assert not highwater.prove(lazy, properties=["empties"], threads=1)
    together = Model(state=Desk, actions=[serve], properties=[claim], weak=[any_of(serve)])
    with pytest.raises(UsageError, match="fair only together with others"):
        highwater.prove(together, properties=["empties"], threads=1)


def both_wait(config):
    state = Desk(config)
    state.waits[0] = state.waits[1] = 1
    return [state]


def test_what_is_no_ranking_is_refused():
    with pytest.raises(UsageError, match="only a property of progress has a ranking"):
        ranked(always(empties), measures=[how_full], helpful=[serve])
    with pytest.raises(UsageError, match="waits, a measure of empties, must be a function with the same parameters"):
        ranked(eventually(empties), measures=[waits], helpful=[serve])
    bare = Model(state=Desk, actions=[serve], properties=[eventually(empties)], weak=[serve])
    with pytest.raises(UsageError, match=r"empties cannot be proved: it has no ranking .* In this model no property has one"):
        highwater.prove(bare, properties=["empties"], threads=1)
    odd = ranked(eventually(empties), measures=[how_full], helpful=[serve], lemmas=["nothing"])
    with pytest.raises(UsageError, match="no claim of kind always that is called 'nothing'"):
        highwater.prove(Model(state=Desk, actions=[serve], properties=[odd], weak=[serve]), properties=["empties"], threads=1)
