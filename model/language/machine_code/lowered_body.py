"""One function of a model as LLVM's intermediate code: its statements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from ..reading import typed_tree as tree
from .lowered_expressions import UNCLEAR, Expressions
from .lowered_kinds import NOTHING, NUMBER, ROWS, TRUTH, Call, Failure, Value, ValueKind, llvm_type, passing


class Body(Expressions):
    """Makes the text of one function for parameters of these kinds."""

    def __init__(self, function: tree.Function, kinds: Sequence[ValueKind], call: Call) -> None:
        super().__init__(function, call)
        self.returns: ValueKind = None
        self.given: list[tuple[str, ValueKind]] = []
        self.kept: list[str] = []
        self.changing: dict[str, set[str]] = defaultdict(set)  # in each loop, the names of different records
        for number, (name, kind) in enumerate(zip(function.parameters, kinds, strict=True)):
            if kind is not None:
                self.given.append((f"%a{number}", kind))
            if isinstance(kind, str) and kind in ROWS:
                self.grids[name] = Value(f"%a{number}", kind)
            elif kind is not None:
                self.slots[name] = kind
                self.kept.append(f'  store {llvm_type(kind)} %a{number}, ptr %"v.{name}"')

    def text(self, symbol: str, attributes: str) -> str:
        """The whole function."""
        self.again = True
        while self.again:
            self.begin_anew()
            self.loops: list[tuple[str, dict[str, str]]] = []
            self.block(self.function.body)
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

    def block(self, statements: Sequence[tree.Statement]) -> None:
        """Statements in turn, as far as they are reached."""
        for statement in statements:
            if not self.open:
                return
            self.visit(statement)

    def visit_Do(self, node: tree.Do) -> None:
        if isinstance(node.value, tree.Call):
            self.visit(node.value)

    def visit_Raise(self, node: tree.Raise) -> None:
        """Leave the failure's number for the caller, and return."""
        failure = Failure(node.error, node.message)
        self.failures[failure] = None
        self.emit(f"store i64 {failure.number}, ptr %failed")
        self.jump("failing")

    def visit_Return(self, node: tree.Return) -> None:
        self.give_back(Value("", NOTHING) if node.value is None else self.visit(node.value))

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

    def visit_Assign(self, node: tree.Assign) -> None:
        value = self.visit(node.value)
        if isinstance(node.target, tree.Name):
            self.put(node.target.name, value)
        else:
            self.write(self.place(node.target), value)

    def visit_Update(self, node: tree.Update) -> None:
        if isinstance(node.target, tree.Name):
            name = node.target.name
            self.put(name, self.operation(node.sign, self.got(name), self.visit(node.value)))
        else:
            place = self.place(node.target)
            self.write(place, self.operation(node.sign, self.read(place), self.visit(node.value)))

    def visit_If(self, node: tree.If) -> None:
        yes, no = self.fresh("yes"), self.fresh("no")
        self.branch(node.test, yes, no)
        self.fork(node, yes, no)

    def fork(self, node: tree.If, yes: str, no: str) -> None:
        """The ways that begin at these labels, and where they meet."""
        end = self.fresh("end")
        self.begin(yes)
        before = dict(self.present)
        self.block(node.body)
        met, after = self.open, self.present
        self.jump(end)
        self.begin(no)
        self.present = before
        self.block(node.otherwise)
        if not self.open:
            self.present = after
        elif met:
            self.meet(after, self.present)
        met = met or self.open
        self.jump(end)
        if met:
            self.begin(end)

    def visit_Loop(self, node: tree.Loop) -> None:
        first, last, step = self.ends_of(node)
        place, head, body, more, end = map(self.fresh, ("place", "head", "body", "more", "end"))
        self.put_round(place, first)
        self.jump(head)
        self.begin(head)
        at = self.got_round(place)
        before = self.value(f"icmp {'sgt' if step < 0 else 'slt'} i64 {at}, {last}", TRUTH)
        self.emit(f"br i1 {before.text}, label %{body}, label %{end}")
        self.begin(body)
        self.put_round(node.name, at)
        self.repeated(node.body, more)
        self.put_round(place, self.value(f"add i64 {at}, {step}", NUMBER).text)
        self.jump(head)
        self.begin(end)

    def ends_of(self, node: tree.Loop) -> tuple[str, str, int]:
        """Where the rounds begin and end, and the step between two."""
        first, last = ["0", *(self.number(self.visit(end)) for end in node.ends[:2])][-2:]
        return first, last, tree.number_of(node.ends[2]) or 1 if len(node.ends) == 3 else 1

    def put_round(self, name: str, number: str) -> None:
        """Keep the number of a round."""
        self.put(name, Value(number, NUMBER))

    def got_round(self, name: str) -> str:
        """The number of the round."""
        return self.got(name).text

    def visit_While(self, node: tree.While) -> None:
        """A loop of a kernel."""
        head, body, end = self.fresh("head"), self.fresh("body"), self.fresh("end")
        self.jump(head)
        self.begin(head)
        self.branch(node.test, body, end)
        self.begin(body)
        self.repeated(node.body, head)
        self.begin(end)

    def visit_Continue(self, _node: tree.Continue) -> None:
        """The next round of the innermost loop."""
        self.begin_round()

    def begin_round(self) -> None:
        """Go on with the next round of the innermost loop."""
        self.changes(self.loops[-1])
        self.jump(self.loops[-1][0])

    def repeated(self, statements: Sequence[tree.Statement], more: str) -> None:
        """The statements of a loop, which goes on at `more`; what comes to stand for another record stands for none."""
        self.present |= dict.fromkeys(self.changing[more], UNCLEAR)
        before = dict(self.present)
        self.loops.append((more, before))
        self.block(statements)
        self.begin_round()
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
