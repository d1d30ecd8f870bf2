"""More mutants than `highwater guards` makes: there are so many that they are for tests only, which choose one by its name."""

from dataclasses import replace

from highwater.explorer.mutation.mutants import Breaker, is_written_number
from highwater.model.language.reading.typed_tree import Choice, If, Joined, Not, Unary, having, is_guard, written

ASSIGNMENT, BRANCH, TERM, SET, ANSWER = "assignment", "branch", "term", "set", "answer"
"""An assignment to the state, an `if` that is no guard, one term of a condition, what is taken out of a set, a constant
answer of a predicate."""


class FinerBreaker(Breaker):
    """Also breaks these."""

    @staticmethod
    def conditions(whole, actions):
        """Every condition, not only the guards of actions."""
        return (node.test for name in whole.functions for node in having(If, whole.functions[name]))

    def condition(self, test):
        """A condition of which each term can be left out."""
        if not isinstance(test, Joined):
            return self.inside(test)
        parts = []
        for term in test.parts:
            chosen, not_chosen = self.note(TERM, term, f"without: {term.text}")
            parts.append(Joined(not test.is_and, (chosen if test.is_and else not_chosen, self.inside(term))))
        return replace(test, parts=tuple(parts))

    def inside(self, value):
        """A value with the switches below it."""
        return self.visit(value)

    def visit_If(self, node):
        """An `if` that is no guard is always taken, or never."""
        if self.guards and is_guard(node, False):
            return super().visit_If(node)
        always, _ = self.note(BRANCH, node, f"always: {node.test.text}")
        _, not_never = self.note(BRANCH, node, f"never: {node.test.text}")
        test = Joined(True, (not_never, Joined(False, (always, self.condition(node.test)))))
        return super().visit_If(replace(node, test=test))

    def visit_Operation(self, node):
        """Nothing is taken out of a set."""
        made = self.below(node)
        if node.sign == "&" and isinstance(node.right, (Unary, Not)):
            return Choice(self.note(SET, node, node.text)[0], made.left, made)
        return made

    def visit_Return(self, node):
        """A predicate has the other constant answer."""
        if node.value is None:
            return node
        if not self.predicate:
            return replace(node, value=self.value(node.value))
        if is_written_number(node.value):
            return replace(node, value=Choice(self.note(ANSWER, node, node.text)[0], Not(node.value), node.value))
        return super().visit_Return(node)

    def visit_Assign(self, node):
        """Nothing is assigned to the state."""
        made = super().visit_Assign(node)
        return replace(self.unless(ASSIGNMENT, node), body=(made,)) if written(node) else made

    def visit_Call(self, node):
        """The arguments have switches too."""
        return replace(node, arguments=tuple(map(self.inside, node.arguments)))
