"""Instances of quantified lemmas for the terms that a question names, in place of the lemmas: a question that a solver decides.

What instances refute, the lemmas refute: an instance follows from its lemma. Terms are added round by round, for the instances
of one round bring the witnesses that the next one is about.
"""

import itertools
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from .orders import mentions
from .solving import check

MAX_INSTANCES = 6000
"""Instances of all lemmas together; beyond this a question is left to the solver's own search."""


def clauses(formulas: Iterable[Any]) -> tuple[list[Any], list[tuple[list[Any], Any]]]:
    """The formulas without "there is": those without quantifiers, and for each other its variables and its body."""
    goal = z3.Goal()
    goal.add(*formulas)
    ground, quantified = [], []
    for one in z3.Then("simplify", "nnf")(goal)[0]:
        for variables, body in _pieces(one):
            if variables:
                quantified.append((variables, body))
            else:
                ground.append(body)
    return ground, quantified


def _pieces(formula: Any) -> list[tuple[list[Any], Any]]:
    """A formula in which only "for all" is left, as a conjunction: for each part the variables that it needs, and its body."""
    if not has_quantifier(formula):
        return [([], formula)]
    if z3.is_quantifier(formula):
        fresh = [z3.FreshConst(formula.var_sort(i), "v") for i in range(formula.num_vars())]
        inner = _pieces(z3.substitute_vars(formula.body(), *reversed(fresh)))
        return [([*(one for one in fresh if mentions(body, one)), *variables], body) for variables, body in inner]
    parts = [_pieces(child) for child in formula.children()]
    if z3.is_and(formula):
        return [piece for part in parts for piece in part]
    chosen = itertools.product(*parts)
    return [([v for variables, _ in pieces for v in variables], z3.Or([body for _, body in pieces])) for pieces in chosen]


Position = tuple[str, int]
"""An argument of a function: its name and which."""


def positions_of(formulas: Iterable[Any], of: Sequence[Any] = ()) -> dict[Position, dict[int, Any]]:
    """What formulas without quantifiers have as arguments, by position: terms, or, with `of`, only these."""
    found: dict[Position, dict[int, Any]] = {}
    seen, todo = set[int](), list(formulas)
    wanted = {one.get_id() for one in of}
    while todo:
        term = todo.pop()
        if term.get_id() in seen or z3.is_quantifier(term):
            continue
        seen.add(term.get_id())
        if term.decl().kind() == z3.Z3_OP_UNINTERPRETED and not term.decl().name().endswith(" <"):
            for index, child in enumerate(term.children()):
                if not wanted or child.get_id() in wanted:
                    found.setdefault((term.decl().name(), index), {})[child.get_id()] = child
        todo += term.children()
    return found


def candidates(variables: Sequence[Any], body: Any, ground: dict[Position, dict[int, Any]], widely: bool) -> list[list[Any]]:
    """For each variable the terms to try: those that the question has where the body has the variable.

    Of several places that with the fewest terms counts, or `widely` all of them.
    """
    mine, out = positions_of([body], variables), list[list[Any]]()
    for variable in variables:
        places = [ground.get(place, {}) for place, found in mine.items() if variable.get_id() in found]
        if not places:  # it is only compared: with anything of its sort
            places = [{k: t for place in ground.values() for k, t in place.items() if t.sort() == variable.sort()}]
        filled = [place for place in places if place]
        if widely:
            out.append(list({key: term for place in filled for key, term in place.items()}.values()))
        else:
            out.append(list(min(filled, key=len, default={}).values()))
    return out


def instances(quantified: Sequence[tuple[list[Any], Any]], ground: Sequence[Any], widely: bool) -> list[Any] | None:
    """Every body with every choice of candidates for its variables; None when there are too many."""
    positions, out = positions_of(ground), list[Any]()
    for variables, body in quantified:
        chosen = candidates(variables, body, positions, widely)
        if len(out) + _product(map(len, chosen)) > MAX_INSTANCES:
            return None
        out += [z3.substitute(body, *zip(variables, terms, strict=True)) for terms in itertools.product(*chosen)]
    return out


@dataclass
class Lemmas:
    """Lemmas without "there is": what of them has no quantifier, the rest as clauses, and the functions that give witnesses."""

    known: list[Any]
    quantified: list[tuple[list[Any], Any]]
    witnesses: list[Any]

    def refute(self, facts: Sequence[Any], seconds: float) -> bool:
        """Whether the facts and instances of the lemmas contradict each other. Facts about orders keep their quantifiers."""
        plain, added = [one for one in facts if not has_quantifier(one)], list[Any]()
        deadline = time.perf_counter() + seconds
        for widely in (False, False, True):
            left, more = deadline - time.perf_counter(), instances(self.quantified, [*plain, *self.known, *added], widely)
            if more is None or left <= 0:
                return False
            added, solver = more, z3.SimpleSolver()
            solver.add(*facts, *self.known, *added)
            if check(solver, left) == z3.unsat:
                return True
        return False


def without_witnesses(formulas: Sequence[Any]) -> Lemmas:
    """The lemmas, each "there is" replaced by a function that gives the witness."""
    known, quantified = clauses(formulas)
    before, after = declared(formulas), declared([*known, *(body for _, body in quantified)])
    return Lemmas(known, quantified, [after[name] for name in after.keys() - before.keys() if after[name].arity()])


def declared(formulas: Iterable[Any]) -> dict[str, Any]:
    """The functions that formulas name."""
    found, seen, todo = dict[str, Any](), set[int](), list(formulas)
    while todo:
        term = todo.pop()
        if term.get_id() not in seen:
            seen.add(term.get_id())
            if z3.is_app(term) and term.decl().kind() == z3.Z3_OP_UNINTERPRETED:
                found[term.decl().name()] = term.decl()
            todo += [term.body()] if z3.is_quantifier(term) else term.children()
    return found


def has_quantifier(term: Any) -> bool:
    """Whether there is a quantifier in a term."""
    return z3.is_quantifier(term) or any(map(has_quantifier, term.children()))


def _product(numbers: Iterable[int]) -> int:
    result = 1
    for number in numbers:
        result *= number
    return result
