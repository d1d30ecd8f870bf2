"""Three smokers, each with one ingredient, and a dealer with the two others. TLA+ Examples: CigaretteSmokers/CigaretteSmokers."""

from highwater.model.language import Model, State, flag, integer, many
from highwater.properties.property import always

NOTHING = 3


class Smokers(State):
    """The smokers, and what the dealer offers."""

    missing = integer(0, NOTHING, "the ingredient that the dealer does not offer; 3: it offers nothing")
    smokes = many(flag("it smokes"), 3, "the smokers, by the ingredient that each has")


def first_states(config):
    """The dealer offers any two ingredients."""
    states = [Smokers(config) for _ in range(3)]
    for missing, state in enumerate(states):
        state.missing = missing
    return states


def start(s, smoker):
    """The smoker who has what is missing smokes."""
    if s.missing != smoker:
        return False
    s.smokes[smoker] = 1
    s.missing = NOTHING
    return True


def stop(s, smoker, missing):
    """It stops, and the dealer offers any two ingredients."""
    if s.missing != NOTHING or not s.smokes[smoker]:
        return False
    s.smokes[smoker] = 0
    s.missing = missing
    return True


def one_smokes_at_most(s):
    """No two smoke at once."""
    return sum(s.smokes[smoker] for smoker in range(3)) <= 1


MODEL = Model(
    state=Smokers,
    initial_states=first_states,
    domains={"smoker": 3, "missing": 3},
    actions=[start, stop],
    properties=[always(one_smokes_at_most)],
)
