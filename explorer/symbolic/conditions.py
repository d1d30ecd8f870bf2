"""A question without terms that depend on a condition: one for each way in which the conditions can be decided.

After a step a variable is a term like "if the broker is the one that moved: its new epoch, else its old one". Instances are made
of the terms that a question names, and of such a term nothing is known; decided, it is a term that lemmas speak of.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import z3

from .terms import subterms


def ways(formulas: Iterable[Any], decided: Sequence[Any] = ()) -> Iterator[list[Any]]:
    """The formulas, with what was decided, for each way that they do not contradict at once."""
    simple = [z3.simplify(formula) for formula in formulas]
    if any(map(z3.is_false, simple)):
        return
    simple = [part for part in simple if not z3.is_true(part)]
    condition = _condition(simple)
    if condition is None:
        yield [*simple, *decided]
        return
    yield from ways(_put(simple, (condition, z3.BoolVal(False))), [*decided, z3.Not(condition)])
    positive, swaps = _put(simple, (condition, z3.BoolVal(True))), _swaps(condition)
    yield from ways(_put(positive, *swaps), [*_put(decided, *swaps), condition])


def _put(formulas: Iterable[Any], *swaps: tuple[Any, Any]) -> list[Any]:
    """Formulas in which terms are replaced."""
    return [z3.substitute(formula, *swaps) for formula in formulas] if swaps else list(formulas)


def _swaps(condition: Any) -> list[tuple[Any, Any]]:
    """Where the condition says that a constant equals something: it, to be replaced by that."""
    if z3.is_eq(condition):
        for part, other in (condition.children(), reversed(condition.children())):
            if z3.is_const(part) and part.decl().kind() == z3.Z3_OP_UNINTERPRETED:
                return [(part, other)]
    return []


def _condition(formulas: Sequence[Any]) -> Any:
    """An atom that decides between two terms, and depends on no other; None when there is none."""
    for term in filter(_is_choice, subterms(formulas)):
        if not any(_is_choice(part) or z3.is_var(part) or z3.is_quantifier(part) for part in subterms([term.arg(0)])):
            condition = term.arg(0)
            while z3.is_not(condition) or z3.is_and(condition) or z3.is_or(condition):
                condition = condition.arg(0)
            return condition
    return None


def _is_choice(term: Any) -> bool:
    """If-then-else of two terms that are no truths."""
    return z3.is_app_of(term, z3.Z3_OP_ITE) and not z3.is_bool(term)
