"""Whether a question lies in a decidable fragment: effectively propositional, with sorts in layers.

A function from one sort to another, and a "there is" of one sort below a "for all" of another, are arrows. Without a cycle of
arrows only finitely many terms can be built from the constants, so the solver decides the question, and a counterexample of some
size has one that is no larger than the number of those terms. With a cycle the solver may run without end.

That is the cutoff of such a question: what follows from the axioms of orders and holds in every state of that size holds at any.
It is said of a whole proof only when all of its questions lie in the fragment.
"""

from collections.abc import Sequence
from math import prod
from typing import Any

import networkx as nx
import z3

from .instances import clauses, declared
from .terms import is_named


def outside(assertions: Sequence[Any]) -> str:
    """The sorts of a cycle (`member, max_epoch`), or nothing when the question lies in the fragment."""
    graph: Any = nx.DiGraph()
    for assertion in assertions:
        _walk(assertion, True, (), graph, set())
    try:
        return ", ".join(sorted({source for source, _ in nx.find_cycle(graph)}))
    except nx.NetworkXNoCycle:
        return ""


def terms_of(assertions: Sequence[Any], sort: str) -> int:
    """How many terms of a sort can be built, in a question of the fragment: if it has a model, then one with no more elements."""
    ground, quantified = clauses(assertions)
    functions = list(declared([*ground, *(body for _, body in quantified)]).values())
    known: dict[str, int] = {}

    def count(name: str) -> int:
        if name not in known:
            gives = [function for function in functions if function.range().name() == name]
            known[name] = max(1, sum(prod(size(d.domain(i)) for i in range(d.arity())) for d in gives))
        return known[name]

    def size(of: Any) -> int:
        return 2 ** of.size() if isinstance(of, z3.BitVecSortRef) else count(of.name())

    return count(sort)


def _walk(term: Any, positive: bool | None, universal: tuple[str, ...], graph: Any, seen: set[Any]) -> None:
    """Add the arrows of a formula; `positive`: its polarity, None for both."""
    key = (term.get_id(), positive, universal)
    if key in seen:
        return
    seen.add(key)
    if z3.is_quantifier(term):
        sorts = tuple(term.var_sort(i).name() for i in range(term.num_vars()))
        for polarity in (positive,) if positive is not None else (True, False):
            if term.is_forall() == polarity:
                _walk(term.body(), polarity, (*universal, *sorts), graph, seen)
            else:
                graph.add_edges_from((u, s) for u in universal for s in sorts)
                _walk(term.body(), polarity, universal, graph, seen)
        return
    if z3.is_app(term):
        if is_named(term) and term.num_args() and term.sort().kind() == z3.Z3_UNINTERPRETED_SORT:
            graph.add_edges_from((child.sort().name(), term.sort().name()) for child in term.children())
        for index, child in enumerate(term.children()):
            _walk(child, _polarity(term, index, positive), universal, graph, seen)


def _polarity(term: Any, index: int, positive: bool | None) -> bool | None:
    """The polarity of an argument of a connective; of what is no formula it does not matter."""
    if not z3.is_bool(term.arg(index)):
        return positive
    if z3.is_and(term) or z3.is_or(term):
        return positive
    if z3.is_not(term) or (z3.is_implies(term) and index == 0):
        return None if positive is None else not positive
    if z3.is_implies(term) or (z3.is_app_of(term, z3.Z3_OP_ITE) and index > 0):
        return positive
    return None
