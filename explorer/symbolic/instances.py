"""Instances of quantified lemmas for the terms that a question names, in place of the lemmas: a question that a solver decides.

What instances refute, the lemmas refute: an instance follows from its lemma. Terms are added round by round, for the instances
of one round bring the witnesses that the next one is about.
"""

import itertools
import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from .orders import has_quantifier, mentions
from .solving import check_by_steps
from .terms import is_named, subterms

MAX_OF_ONE, MAX_OF_ALL = 800, 8000
"""Instances of one lemma, which is left out if it has more; of all together, beyond which only the solver's search is left."""


def clauses(formulas: Iterable[Any]) -> tuple[list[Any], list[tuple[list[Any], Any]]]:
    """The formulas without "there is": those without quantifiers, and for each other its variables and its body."""
    goal = z3.Goal()
    goal.add(*formulas)
    ground, quantified = [], []
    for clause in z3.Then("simplify", "nnf")(goal)[0]:
        for variables, body in _pieces(clause):
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
        return [([*(clause for clause in fresh if mentions(body, clause)), *variables], body) for variables, body in inner]
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
    wanted = {clause.get_id() for clause in of}
    for term in subterms(formulas, bodies=False):
        if is_named(term) and not term.decl().name().endswith(" <"):
            for index, child in enumerate(term.children()):
                if not wanted or child.get_id() in wanted:
                    found.setdefault((term.decl().name(), index), {})[child.get_id()] = child
    return found


def candidates(
    variables: Sequence[Any], body: Any, ground: dict[Position, dict[int, Any]], named: Sequence[Any], widely: bool
) -> list[list[Any]]:
    """For each variable the terms to try: those that the question has where the body has the variable, and the `named` ones.

    Of several places those with the fewest terms count, or `widely` all of them.
    """
    mine, out = positions_of([body], variables), list[list[Any]]()
    for variable in variables:
        places = [ground.get(place, {}) for place, found in mine.items() if variable.get_id() in found]
        if not places:  # it is only compared: with anything of its sort
            places = [{k: t for place in ground.values() for k, t in place.items() if t.sort() == variable.sort()}]
        filled = [place for place in places if place]
        fewest = min(map(len, filled), default=0)
        chosen = [place for place in filled if widely or len(place) == fewest]
        mine_too = {clause.get_id(): clause for clause in named if clause.sort() == variable.sort()}
        out.append(list({**mine_too, **{key: term for place in chosen for key, term in place.items()}}.values()))
    return out


def instances(
    quantified: Sequence[tuple[list[Any], Any]], ground: Sequence[Any], named: Sequence[Any], widely: bool
) -> list[Any] | None:
    """Every body with every choice of candidates for its variables; None when there are too many."""
    positions, out = positions_of(ground), list[Any]()
    for variables, body in quantified:
        chosen = candidates(variables, body, positions, named, widely)
        many = math.prod(map(len, chosen))
        if many > MAX_OF_ONE:
            continue
        if len(out) + many > MAX_OF_ALL:
            return None
        out += [z3.substitute(body, *zip(variables, terms, strict=True)) for terms in itertools.product(*chosen)]
    return out


@dataclass
class Lemmas:
    """Lemmas without "there is": what of them has no quantifier, the rest as clauses, and the functions that give witnesses."""

    known: list[Any]
    quantified: list[tuple[list[Any], Any]]
    witnesses: list[Any]

    def refute(self, facts: Sequence[Any], named: Sequence[Any], seconds: float) -> bool:
        """Whether the facts and instances of the lemmas contradict each other. Facts about orders keep their quantifiers.

        `named`: constants that the question is about. They may stand in comparisons only, where no lemma looks for terms.
        """
        orders = [fact for fact in facts if has_quantifier(fact) and is_about_orders(fact)]
        ground, quantified = clauses([fact for fact in facts if not any(fact.eq(order) for order in orders)])
        ground, quantified, added = [*ground, *self.known], [*quantified, *self.quantified], list[Any]()
        deadline = time.process_time() + seconds
        for widely in (False, False, False, True):
            left, more = deadline - time.process_time(), instances(quantified, [*ground, *added], named, widely)
            if more is None or left <= 0:
                return False
            added, solver = more, z3.SimpleSolver()
            solver.add(*orders, *ground, *added)
            if check_by_steps(solver, left) == z3.unsat:
                return True
        return False


def without_witnesses(formulas: Sequence[Any]) -> Lemmas:
    """The lemmas, each "there is" replaced by a function that gives the witness."""
    known, quantified = clauses(formulas)
    before, after = declared(formulas), declared([*known, *(body for _, body in quantified)])
    return Lemmas(known, quantified, [after[name] for name in after.keys() - before.keys() if after[name].arity()])


def is_about_orders(formula: Any) -> bool:
    """Whether a formula speaks of the relations of orders alone: their axioms, and what lies next to what."""
    return all(name.endswith(" <") or not clause.arity() for name, clause in declared([formula]).items())


def declared(formulas: Iterable[Any]) -> dict[str, Any]:
    """The functions that formulas name."""
    return {term.decl().name(): term.decl() for term in subterms(formulas) if is_named(term)}
