"""The text of a model as one configuration runs it: it is Python that does what the model does, and nothing else stands in it."""

import ast
import inspect
from dataclasses import replace
from functools import cache

import pytest
from highwater.model.language.kinds import cells
from highwater.model.language.reading.program import program
from highwater.model.language.reading.source import source_of
from highwater.properties.registry import MODELS
from support import toys
from support.cases import CASES, name_of

SMALL = {"partition_additions": 1, "compactions": 1, "crashes": 1, "lost_epoch_files": 1, "controller_changes": 1}
FOLDED = [
    *CASES,
    (toys.COUNTERS, next(iter(toys.COUNTERS.revisions)), {}),
    *((MODELS["kafka"], revision, SMALL) for revision in MODELS["kafka"].revisions),
    *((MODELS[name], revision, {}) for name in ("strategies", "designs") for revision in MODELS[name].revisions),
]


@cache
def program_of(model):
    """The functions of a model's actions, and what they call."""
    return program([action.function for action in model.actions], settings=model.config)


def run_from_text(model, config):
    """The model whose actions are the printed text, each function in the namespace of its file."""
    whole, pieces = program_of(model), source_of(model, config)
    functions = filter(inspect.isfunction, whole.originals.values())
    places = {(inspect.getsourcefile(function), function.__code__.co_firstlineno): function for function in functions}
    made, spaces = {}, {}

    def meaning(function):
        """What the text calls by a name: the printed function, where there is one."""
        return made.get((function.__name__, inspect.getsourcefile(function))) if inspect.isfunction(function) else None

    for piece in pieces:
        origin = places.get((piece.file, piece.line))
        spaces[piece.name, piece.file, piece.line] = space = dict(origin.__globals__ if origin else {})
        exec(compile(piece.text, "printed", "exec"), space)
        function = space[piece.name]
        made[piece.name, piece.file] = function
        if origin is not None:
            made[origin.__name__, piece.file] = function
    rules = {rule.__name__: made[key] for rule in whole.rules for key in made if key[0] == rule.__name__}
    for space in spaces.values():
        for name, value in list(space.items()):
            printed = meaning(value) or (rules.get(getattr(value, "__name__", "")) if hasattr(value, "versions") else None)
            if printed is not None:
                space[name] = printed
    actions = {piece.name: made[piece.name, piece.file] for piece in pieces if piece.is_action}
    return replace(model, actions=tuple(replace(a, function=actions[a.name]) for a in model.actions if a.name in actions))


def steps_from(model, config, most):
    """The steps of the first states, by breadth."""
    todo, seen, found, steps = list(model.initial_states(config)), set(), [], model.steps(config)
    for state in todo:
        if len(found) > most:
            break
        for action, arguments, successor in model.enabled(state, steps):
            found.append((cells(state), action.name, arguments, cells(successor)))
            if cells(successor) not in seen:
                seen.add(cells(successor))
                todo.append(successor)
    return found


@pytest.mark.parametrize(("model", "revision", "settings"), FOLDED, ids=name_of)
def test_the_printed_text_does_what_the_model_does(model, revision, settings):
    config = model.configure(revision, **settings)
    found = steps_from(run_from_text(model, config), config, 500)
    assert len(found) > 20 and found == steps_from(model, config, 500)


@cache
def printed(revision, decided=(), **settings):
    return {piece.name: piece for piece in source_of(MODELS["kafka"], MODELS["kafka"].configure(revision, **settings), decided)}


def test_what_a_revision_decides_is_gone_and_the_rest_stands_as_it_is_written():
    early, late = printed("kip-279")["has_caught_up"], printed("kip-279-2.0.1")["has_caught_up"]
    assert "term_start" not in early.text and "    if end < me.term_start:\n        return False\n" in late.text
    assert '"""Whether a follower with this end has all that the ISR needs (G3, R4).' in late.docstring
    assert "controller_is_fenced" not in printed("kip-279") and "controller_is_fenced" in printed("kip-320")


def test_comments_stay():
    assert "return False  # nothing has expired" in printed("kip-320")["notice_session_expiry"].text


def test_sizes_keep_their_names_unless_they_are_decided():
    assert "s.config.log_size" in printed("kip-320")["produce"].text
    assert "s.config" not in printed("kip-320", tuple(MODELS["kafka"].config.settings))["produce"].text
    assert "crash" in printed("kip-320") and "crash" not in printed("kip-320", ("crashes",))


def test_constants_keep_their_names():
    assert "command.leader == NO_BROKER" in printed("kip-320")["become_follower"].text


def test_a_rule_is_the_version_that_is_chosen_under_the_rules_name():
    assert "truncate_to_end_of_epoch" not in printed("kip-101")
    assert printed("kip-101")["truncate_to_answer"].file.endswith("by_leader_epoch.py")


def test_no_function_does_nothing():
    for revision in MODELS["kafka"].revisions:
        for piece in printed(revision).values():
            (tree,) = ast.parse(piece.text).body
            assert len(tree.body) > (ast.get_docstring(tree) is not None), piece.name
