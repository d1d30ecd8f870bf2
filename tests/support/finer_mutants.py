"""More mutants than `highwater guards` makes: there are so many that they are for tests only, which choose one by its name."""

import ast

from highwater.explorer.mutation.mutants import Breaker
from highwater.model.language.choices import as_written
from highwater.model.language.reading.trees import is_guard

ASSIGNMENT, BRANCH, TERM, SET, ANSWER = "assignment", "branch", "term", "set", "answer"
"""An assignment to the state, an `if` that is no guard, one term of a condition, what is taken out of a set, a constant
answer of a predicate."""


class FinerBreaker(Breaker):
    """Also breaks these."""

    @staticmethod
    def conditions(whole, actions):
        """Every condition, not only the guards of actions."""
        for tree in whole.functions.values():
            yield from (node.test for node in ast.walk(tree) if isinstance(node, ast.If))

    def condition(self, test):
        """A condition of which each term can be left out."""
        if not isinstance(test, ast.BoolOp):
            return self.inside(test)
        for place, term in enumerate(test.values):
            chosen, not_chosen = self.note(TERM, term, f"without: {ast.unparse(as_written(term))}")
            operator, switch = (ast.Or(), chosen) if isinstance(test.op, ast.And) else (ast.And(), not_chosen)
            test.values[place] = ast.BoolOp(operator, [switch, self.inside(term)])
        return test

    def inside(self, value):
        """A value with the switches below it."""
        return self.visit(value)

    def visit_If(self, node):
        """An `if` that is no guard is always taken, or never."""
        if not (self.guards and is_guard(node, False)):
            text = ast.unparse(as_written(node.test))
            always, _ = self.note(BRANCH, node, f"always: {text}")
            _, not_never = self.note(BRANCH, node, f"never: {text}")
            node.test = ast.BoolOp(ast.And(), [not_never, ast.BoolOp(ast.Or(), [always, self.condition(node.test)])])
        return super().visit_If(node)

    def visit_BinOp(self, node):
        """Nothing is taken out of a set."""
        self.generic_visit(node)
        if isinstance(node.op, ast.BitAnd) and isinstance(node.right, ast.UnaryOp):
            chosen, _ = self.note(SET, node, ast.unparse(as_written(node)))
            return ast.IfExp(chosen, node.left, node)
        return node

    def visit_Return(self, node):
        """A predicate has the other constant answer."""
        if node.value is None:
            return node
        if not self.predicate:
            node.value = self.value(node.value)
        elif isinstance(node.value, ast.Constant):
            chosen, _ = self.note(ANSWER, node, ast.unparse(as_written(node)))
            node.value = ast.IfExp(chosen, ast.UnaryOp(ast.Not(), node.value), node.value)
        else:
            return super().visit_Return(node)
        return node

    def visit_Assign(self, node):
        """Nothing is assigned to the state."""
        text = ast.unparse(as_written(node))
        node = super().visit_Assign(node)
        if isinstance(node.targets[0], (ast.Attribute, ast.Subscript)):
            _, not_chosen = self.note(ASSIGNMENT, node, text)
            return ast.If(not_chosen, [node], [])
        return node

    def visit_Call(self, node):
        """The arguments have switches too."""
        node.args = [self.inside(argument) for argument in node.args]
        return node
