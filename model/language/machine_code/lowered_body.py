"""One function of a model as LLVM's intermediate code: its statements."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from .lowered_expressions import UNCLEAR, Expressions
from .lowered_failures import failure_of
from .lowered_kinds import NOTHING, NUMBER, NUMBERS, TRUTH, WORDS, Called, Kind, Value, llvm_type, passing


class Body(Expressions):
    """Makes the text of one function for parameters of these kinds."""

    def __init__(
        self,
        tree: ast.FunctionDef,
        kinds: Sequence[Kind],
        constants: Mapping[str, int],
        call: Callable[[str, list[Kind]], Called],
    ) -> None:
        super().__init__(tree, constants, call)
        self.returns: Kind = None
        self.given: list[tuple[str, Kind]] = []
        self.kept: list[str] = []
        self.changing: dict[str, set[str]] = defaultdict(set)  # in each loop, the names of different records
        for number, (argument, kind) in enumerate(zip(tree.args.args, kinds, strict=True)):
            if kind is not None:
                self.given.append((f"%a{number}", kind))
            if isinstance(kind, str) and kind in (NUMBERS, WORDS):
                self.grids[argument.arg] = Value(f"%a{number}", kind)
            elif kind is not None:
                self.slots[argument.arg] = kind
                self.kept.append(f'  store {llvm_type(kind)} %a{number}, ptr %"v.{argument.arg}"')

    def text(self, symbol: str, attributes: str) -> str:
        """The whole function."""
        self.again = True
        while self.again:
            self.begin_anew()
            self.loops: list[tuple[str, dict[str, str]]] = []
            self.block(self.tree.body)
            if self.open or self.returns is None:
                self.give_back(Value("", NOTHING))
        head = ", ".join([*(passing(kind, name) for name, kind in self.given), *(["ptr %failed"] if self.failures else [])])
        nothing = "void" if self.returns is NOTHING else f"{llvm_type(self.returns)} zeroinitializer"
        return "\n".join([
            f'define linkonce_odr {llvm_type(self.returns)} @"{symbol}"({head}) {attributes} {{',
            *(f'  %"v.{name}" = alloca {llvm_type(kind)}' for name, kind in self.slots.items()),
            *self.kept,
            *self.lines,
            *(["failing:", f"  ret {nothing}"] if self.failures else []),
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

    def do_Raise(self, node: ast.Raise) -> None:
        """Leave the failure's number for the caller, and return."""
        failure = failure_of(node)
        assert failure is not None
        self.failures[failure] = None
        self.emit(f"store i64 {failure.number}, ptr %failed")
        self.jump("failing")

    def do_Return(self, node: ast.Return) -> None:
        """The answer."""
        self.give_back(Value("", NOTHING) if node.value is None else self.expression(node.value))

    def give_back(self, value: Value) -> None:
        """Return the value; none where some way has none, as in a rule of which one version does nothing."""
        returned = value.kind if self.returns is None else self.returns
        if returned is NOTHING or value.kind is NOTHING:
            self.again = self.again or returned is not NOTHING
            self.returns = NOTHING
            self.emit("ret void")
        else:
            self.returns = self.wide(returned, value.kind)
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
        yes, no = self.fresh("yes"), self.fresh("no")
        self.branch(node.test, yes, no)
        self.fork(node, yes, no)

    def fork(self, node: ast.If, yes: str, no: str) -> None:
        """The ways that begin at these labels, and where they meet."""
        end = self.fresh("end")
        self.begin(yes)
        before = dict(self.present)
        self.block(node.body)
        met, after = self.open, self.present
        self.jump(end)
        self.begin(no)
        self.present = before
        self.block(node.orelse)
        if not self.open:
            self.present = after
        elif met:
            self.meet(after, self.present)
        met = met or self.open
        self.jump(end)
        if met:
            self.begin(end)

    def do_For(self, node: ast.For) -> None:
        """A loop over a range."""
        assert isinstance(node.iter, ast.Call) and isinstance(node.target, ast.Name)
        ends = [self.number(self.expression(one)) for one in node.iter.args]
        first, last = ("0", ends[0]) if len(ends) == 1 else (ends[0], ends[1])
        step = int(ast.literal_eval(node.iter.args[2])) if len(ends) == 3 else 1
        place, head, body, more, end = map(self.fresh, ("place", "head", "body", "more", "end"))
        self.put(place, Value(first, NUMBER))
        self.jump(head)
        self.begin(head)
        at = self.got(place)
        before = self.value(f"icmp {'sgt' if step < 0 else 'slt'} i64 {at.text}, {last}", TRUTH)
        self.emit(f"br i1 {before.text}, label %{body}, label %{end}")
        self.begin(body)
        self.put(node.target.id, at)
        self.repeated(node.body, more)
        self.put(place, self.value(f"add i64 {at.text}, {step}", NUMBER))
        self.jump(head)
        self.begin(end)

    def do_While(self, node: ast.While) -> None:
        """A loop of a kernel."""
        head, body, end = self.fresh("head"), self.fresh("body"), self.fresh("end")
        self.jump(head)
        self.begin(head)
        self.branch(node.test, body, end)
        self.begin(body)
        self.repeated(node.body, head)
        self.begin(end)

    def do_Continue(self, node: ast.Continue) -> None:
        """The next round of the innermost loop."""
        self.changes(self.loops[-1])
        self.jump(self.loops[-1][0])

    def repeated(self, statements: Sequence[ast.stmt], more: str) -> None:
        """The statements of a loop, which goes on at `more`; what comes to stand for another record stands for none."""
        self.present |= dict.fromkeys(self.changing[more], UNCLEAR)
        before = dict(self.present)
        self.loops.append((more, before))
        self.block(statements)
        self.do_Continue(ast.Continue())
        self.loops.pop()
        self.meet(before, self.present)
        if more.startswith("more"):
            self.begin(more)

    def changes(self, loop: tuple[str, dict[str, str]]) -> None:
        """At the end of a round: names that stand for other records than at its beginning."""
        more, before = loop
        changed = {name for name, slot in before.items() if self.open and self.present[name] != slot} - self.changing[more]
        self.changing[more] |= changed
        self.again = self.again or bool(changed)
