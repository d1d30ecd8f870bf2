"""One function of a model as LLVM's intermediate code: its statements."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from .lowered_expressions import NOTHING, NUMBER, TRUTH, Called, Expressions, Kind, Value, llvm_type


class Body(Expressions):
    """Makes the text of one function for parameters of these kinds."""

    def __init__(
        self, tree: ast.FunctionDef, kinds: Sequence[Kind], constants: Mapping[str, int], call: Callable[[str, list[Kind]], Called]
    ) -> None:
        super().__init__(tree, constants, call)
        self.names = [argument.arg for argument in tree.args.args]
        self.kinds = list(kinds)
        self.slots = {name: kind for name, kind in zip(self.names, kinds, strict=True) if kind is not None}
        self.returns: Kind = None

    def text(self, symbol: str, attributes: str) -> str:
        """The whole function."""
        self.again = True
        while self.again:
            self.begin_anew()
            self.block(self.tree.body)
            if self.open:
                self.give_back(Value("", NOTHING))
        given = [(number, kind) for number, kind in enumerate(self.kinds) if kind is not None]
        head = ", ".join(f"{llvm_type(kind)} %a{number}" for number, kind in given)
        return "\n".join([
            f'define linkonce_odr {llvm_type(self.returns)} @"{symbol}"({head}) {attributes} {{',
            *(f'  %"v.{name}" = alloca {llvm_type(kind)}' for name, kind in self.slots.items()),
            *(f'  store {llvm_type(kind)} %a{number}, ptr %"v.{self.names[number]}"' for number, kind in given),
            *self.lines,
            "}\n",
        ])  # fmt: skip

    def block(self, statements: Sequence[ast.stmt]) -> None:
        """Statements in turn, as far as they are reached."""
        for statement in statements:
            if not self.open:
                return
            getattr(self, f"do_{type(statement).__name__}")(statement)

    def do_Pass(self, node: ast.Pass) -> None:
        """Nothing."""

    def do_Expr(self, node: ast.Expr) -> None:
        """A call, or a docstring."""
        if isinstance(node.value, ast.Call):
            self.expression(node.value)

    def do_Return(self, node: ast.Return) -> None:
        """The answer."""
        self.give_back(Value("", NOTHING) if node.value is None else self.expression(node.value))

    def give_back(self, value: Value) -> None:
        """Return the value."""
        self.returns = value.kind if self.returns is None else self.wide(self.returns, value.kind)
        self.emit(f"ret {llvm_type(self.returns)} {self.converted(value, self.returns)}")
        self.open = False

    def do_Assign(self, node: ast.Assign) -> None:
        """To a name or to a variable of the state."""
        value, target = self.expression(node.value), node.targets[0]
        if isinstance(target, ast.Name):
            self.put(target.id, value)
        else:
            self.write(self.place(target), value)

    def do_AugAssign(self, node: ast.AugAssign) -> None:
        """A name or a variable of the state, changed."""
        if isinstance(node.target, ast.Name):
            self.put(node.target.id, self.operation(node.op, self.got(node.target.id), self.expression(node.value)))
        else:
            place = self.place(node.target)
            self.write(place, self.operation(node.op, self.read(place), self.expression(node.value)))

    def do_If(self, node: ast.If) -> None:
        """Both ways, which may meet again."""
        yes, no, end = self.fresh("yes"), self.fresh("no"), self.fresh("end")
        self.branch(node.test, yes, no)
        self.begin(yes)
        self.block(node.body)
        met = self.open
        self.jump(end)
        self.begin(no)
        self.block(node.orelse)
        met = met or self.open
        self.jump(end)
        if met:
            self.begin(end)

    def do_For(self, node: ast.For) -> None:
        """A loop over a range."""
        assert isinstance(node.iter, ast.Call) and isinstance(node.target, ast.Name)
        ends = [self.number(self.expression(one)) for one in node.iter.args]
        first, last = ("0", ends[0]) if len(ends) == 1 else (ends[0], ends[1])
        step = ends[2] if len(ends) == 3 else "1"
        place, head, body, end = self.fresh("place"), self.fresh("head"), self.fresh("body"), self.fresh("end")
        self.put(place, Value(first, NUMBER))
        self.jump(head)
        self.begin(head)
        at = self.got(place)
        before = self.value(f"icmp {'sgt' if step.startswith('-') else 'slt'} i64 {at.text}, {last}", TRUTH)
        self.emit(f"br i1 {before.text}, label %{body}, label %{end}")
        self.begin(body)
        self.put(node.target.id, at)
        self.block(node.body)
        if self.open:
            self.put(place, self.value(f"add i64 {at.text}, {step}", NUMBER))
        self.jump(head)
        self.begin(end)
