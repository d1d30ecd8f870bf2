"""One function of a model in lanes: its statements.

Where states go different ways, every way is gone, and a mask says in which lanes: a test that depends on the state splits the
mask, a return or `continue` takes the lanes away that reach it. Behind a refusal that leaves no lane, the function ends, or the
next round begins; what is long is skipped where no lane goes that way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..reading import typed_tree as tree
from .lane_instructions import lanes_text, mask_text
from .lane_values import GIVEN, Spread, is_truth, parts, type_returned
from .lowered_body import Body
from .lowered_expressions import UNCLEAR
from .lowered_kinds import IN_LANES, MANY, NOTHING, SOME, TRUTHS_TYPE, Call, Value, ValueKind, llvm_type
from .lowered_lanes import JOURNAL, LaneExpressions

LONG, CALL = 20, 30
"""How many nodes of a tree are skipped where there is no lane, at least, and for how many a call counts: where the processor does
not foresee a branch, it costs as much as so many."""


class LaneBody(LaneExpressions, Body):
    """Makes the text of one function for parameters of these kinds, which are at most as large as `takes`."""

    def __init__(
        self, function: tree.Function, kinds: Sequence[ValueKind], call: Call, takes: int = GIVEN, of_sets: bool = False
    ) -> None:
        self.takes, self.of_sets = takes, of_sets
        super().__init__(function, [None] * len(kinds), call)
        names = {f"%a{number}": kind for number, kind in enumerate(kinds)}
        self.parameters = [Value(n, kind, tuple(n + end for end, _ in parts(kind)[1:])) for n, kind in names.items()]
        self.puts, self.added = Counter(), Counter()
        self.begun: list[int] = []  # `split` at the beginning of each loop around the present place
        self.before_long = set[int]()  # statements of loops behind which the rest of the round is long

    def text(self, symbol: str, attributes: str) -> str:
        """The whole function."""
        self.again = True
        while self.again:
            self.begin_anew()
            self.loops, self.begun, self.before_long, self.waits = [], [], set(), False
            self.sizes |= {value.text: self.takes for value in self.parameters}
            for name, value in zip(self.function.parameters, self.parameters, strict=True):
                self.put(name, value)
            self.block(self.function.body)
            self.jump("exit")
            self.returns = self.returns or NOTHING
            self.again = self.again or any(self.added[slot] < size for slot, size in self.adding.items())  # more than was known
            self.added |= self.adding
        given = [f"{form} {value.text}{end}" for value in self.parameters for end, form in parts(value.kind)]
        head = ", ".join([*given, f"{TRUTHS_TYPE} %lanes", *JOURNAL])
        returned = type_returned(self.returns)
        slots = [f'  %"v.{name}{end}" = alloca {form}' for name, kind in self.slots.items() for end, form in parts(kind)]
        answer = [f'  %"v.return" = alloca {returned}', f'  store {returned} zeroinitializer, ptr %"v.return"']
        last = [f'  %answer = load {returned}, ptr %"v.return"', f"  ret {returned} %answer"]
        return "\n".join([
            f'define linkonce_odr {returned} @"{symbol}"({head}) {attributes} {{',
            f'  %"live" = alloca {TRUTHS_TYPE}',
            f'  store {TRUTHS_TYPE} %lanes, ptr %"live"',
            *slots,
            *([] if self.returns is NOTHING else answer),
            *self.lines,
            "exit:",
            *(["  ret void"] if self.returns is NOTHING else last),
            "}\n",
        ])  # fmt: skip

    def visit_Raise(self, node: tree.Raise) -> None:
        """Nothing that is in lanes can fail."""
        self.refuse("an error")

    def visit_Return(self, node: tree.Return) -> None:
        """The answer in the lanes that are here, which end."""
        value = Value("", NOTHING) if node.value is None else self.visit(node.value)
        if value.kind is NOTHING or self.returns is NOTHING:
            self.again = self.again or self.returns not in (None, NOTHING)
            self.returns = NOTHING
        elif isinstance(value.kind, Spread):
            if self.split or self.loops or self.returned:
                self.refuse("an answer that is one of several records")
            self.returns, self.returned, whole = value.kind, 1, "poison"
            for place, ((_, kind), text) in enumerate(zip(parts(value.kind), (value.text, *value.picks), strict=True)):
                whole = self.value(f"insertvalue {type_returned(value.kind)} {whole}, {kind} {text}, {place}", value.kind).text
            self.emit(f'store {type_returned(value.kind)} {whole}, ptr %"v.return"')
        else:
            given = SOME if is_truth(value) else MANY
            self.returns, self.returned = self.wide(self.returns or given, given), max(self.returned, self.size(value))
            kind = IN_LANES[self.returns]
            text, before = self.converted(value, self.returns), self.value(f'load {kind}, ptr %"v.return"', self.returns)
            self.emit(f'store {kind} {self.choice(self.live, kind, text, self.sized(before, 0).text)}, ptr %"v.return"')
        if self.split:
            self.go_on("zeroinitializer")
        else:
            self.jump("exit")

    def visit_If(self, node: tree.If) -> None:
        """Both ways, each in its lanes; or one of them, where the test is the same in all lanes."""
        test = self.visit(node.test)
        if not self.in_lanes(test):
            yes, no = self.fresh("yes"), self.fresh("no")
            self.emit(f"br i1 {self.truth(test)}, label %{yes}, label %{no}")
            self.fork(node, yes, no)
            return
        lanes, before, present, records = self.some(test), self.live, dict(self.present), self.records
        self.split, self.records = self.split + 1, set()
        self.go_on(self.joined(before, lanes))
        self.in_some_lane(node.body)
        after, first = self.live, self.present
        self.present = present
        self.go_on(self.joined(before, self.opposite(lanes)))
        self.in_some_lane(node.otherwise)
        self.go_on(self.joined(after, self.live, "or"))
        self.meet(first, self.present)
        self.present |= dict.fromkeys(self.records, UNCLEAR)  # another record in some lanes, if it is one at all
        self.records |= records
        self.split -= 0 if self.waits else 1  # where lanes wait for the end of the round, the rest of it is not reached in all
        self.waits = False
        if self.split == 0 and not self.loops and node.body and isinstance(node.body[-1], tree.Return):
            self.go_further("exit")
        elif id(node) in self.before_long and node.body and isinstance(node.body[-1], (tree.Return, tree.Continue)):
            self.changes(self.loops[-1])
            self.go_further(self.loops[-1][0])

    def go_further(self, otherwise: str) -> None:
        """Go on here if there is a lane, and otherwise there."""
        further = self.fresh("further")
        self.emit(f"br i1 {self.any_of(self.live)}, label %{further}, label %{otherwise}")
        self.begin(further)

    def in_some_lane(self, statements: Sequence[tree.Statement]) -> None:
        """Statements; if they are long, they are skipped where no lane is here."""
        if length(statements) < LONG:
            self.block(statements)
            return
        end = self.fresh("end")
        self.go_further(end)
        self.block(statements)
        self.jump(end)
        self.begin(end)

    def visit_Loop(self, node: tree.Loop) -> None:
        """A loop over a range of constants."""
        ends = [tree.number_of(end) for end in node.ends]
        if None in ends:
            self.refuse("a loop whose length is not a constant")
        self.rounds.append(range(*ends))  # type: ignore[arg-type]
        super().visit_Loop(node)
        self.rounds.pop()
        if self.split:
            self.present[node.name] = UNCLEAR  # other lanes have not been here

    def ends_of(self, _node: tree.Loop) -> tuple[str, str, int]:
        """Where the rounds begin and end, and the step between two."""
        rounds = self.rounds[-1]
        return str(rounds.start), str(rounds.stop), rounds.step

    def put_round(self, name: str, number: str) -> None:
        """Keep the number of a round, which is the same in all lanes, also in those that are not here."""
        split, self.split = self.split, 0
        self.sizes.setdefault(number, 0)  # that of the next round, which `got_round` knows
        super().put_round(name, number)
        self.split = split

    def got_round(self, name: str) -> str:
        """The number of the round."""
        return self.sized(self.got(name), max(abs(self.rounds[-1].start), abs(self.rounds[-1].stop))).text

    def repeated(self, statements: Sequence[tree.Statement], more: str) -> None:
        """The statements of a loop, which goes on at `more`; lanes that wait for the end of the round are back there."""
        waiting, split, waits = f'ptr %"v.waiting.{more}"', self.split, self.waits
        self.slots[f"waiting.{more}"] = SOME
        self.emit(f"store {TRUTHS_TYPE} zeroinitializer, {waiting}")
        self.begun.append(split)
        self.before_long |= {id(statement) for place, statement in enumerate(statements, 1) if length(statements[place:]) >= LONG}
        super().repeated(statements, more)
        self.begun.pop()
        self.split, self.waits = split, waits
        waited = self.value(f"load {TRUTHS_TYPE}, {waiting}", SOME).text
        self.go_on(self.joined(self.live, waited, "or"))

    def visit_While(self, _node: tree.While) -> None:
        """Only kernels, which are not in lanes, have such a loop."""
        self.refuse("a loop of unknown length")

    def visit_Continue(self, node: tree.Continue) -> None:
        """The next round of the innermost loop; where other lanes stay in this one, these wait for its end."""
        if self.split == self.begun[-1]:
            self.begin_round()
            return
        waiting = f'ptr %"v.waiting.{self.loops[-1][0]}"'
        waited = self.value(f"load {TRUTHS_TYPE}, {waiting}", SOME).text
        self.emit(f"store {TRUTHS_TYPE} {self.joined(waited, self.live, 'or')}, {waiting}")
        self.go_on("zeroinitializer")
        self.waits = True


def length(statements: Sequence[tree.Statement]) -> int:
    """How many nodes statements have."""
    return sum(CALL if isinstance(node, tree.Call) else 1 for node in tree.nodes_in(*statements))


def entry_text(inner: str, returns: ValueKind, kinds: Sequence[ValueKind], fails: int = 0) -> str:
    """A function that Numba calls, with a place for its symbol: the mask is a word, and so is the answer.

    `%journal` is an array of numbers: how many entries it has, and then the entries; behind them, at the place `fails`, is what
    is not 0 when a check has failed, if one can. LLVM keeps the function (`weak_odr`), which
    nothing calls in the text of functions in lanes.
    """
    parameters = [f"{llvm_type(kind)} %a{number}" for number, kind in enumerate(kinds)]
    given = ", ".join([*parameters, f"{TRUTHS_TYPE} %lanes", "ptr %first", "ptr %entries"])
    answers = returns in IN_LANES
    called = f"{'%answer = ' if answers else ''}call {llvm_type(returns)}"
    answer = [
        f"%truths = icmp ne {llvm_type(returns)} %answer, zeroinitializer",
        f"%some = and {TRUTHS_TYPE} %truths, %lanes",
        *mask_text("%some"),
    ]
    flag = [
        "%at = getelementptr inbounds i64, ptr %entries, i64 1",
        f"%kept = getelementptr inbounds i64, ptr %journal, i64 {fails}",
        "%now = load i64, ptr %at",
        "%earlier = load i64, ptr %kept",
        "%either = or i64 %now, %earlier",
        "store i64 %either, ptr %kept",
    ]
    lines = [
        *lanes_text("%mask"),
        "%entries = alloca [2 x i64]",
        "%before = load i64, ptr %journal",
        "store [2 x i64] zeroinitializer, ptr %entries",
        "store i64 %before, ptr %entries",
        "%first = getelementptr inbounds i64, ptr %journal, i64 1",
        f'{called} @"{inner}"({given})',
        "%after = load i64, ptr %entries",
        "store i64 %after, ptr %journal",
        *(flag if fails else []),
        *(answer if answers else []),
        "ret i64 %word" if answers else "ret void",
    ]
    head = ", ".join([*parameters, "i64 %mask", "ptr noalias %journal"])
    body = "\n  ".join(lines)
    return f'define weak_odr {"i64" if answers else "void"} @""({head}) noinline nounwind {{\n  {body}\n}}\n'
