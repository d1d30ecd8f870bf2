"""Functions of a model as expressions of TLA+ (`tla`).

Functions are written out where they are called, loops for each of their values, settings as numbers. A write gives its variable a
new name in a LET; where two ways meet, what differs is chosen.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any, NoReturn

from ...model.language.errors import UsageError, short
from ...model.language.kinds import Kind, One
from ...model.language.reading import typed_tree as tree
from ...model.language.reading.program import Program
from ...model.language.reading.shapes import function_on_wholes, is_container
from ...model.language.reading.typed_tree import BINARY
from ...model.language.reading.values import ends
from .tla_words import Frame, Leaving, Names, Ref, Text, constant, let, number_of, truth_of

INFIX = {"//": r"\div", "==": "=", "!=": "#"}
"""The operators that TLA+ writes in another way."""

BITS = {"&": "BitAnd", "|": "BitOr", "^": "BitXor"}
REMAINDER = "Remainder"


class Writer:
    """Writes functions of one program as expressions of TLA+."""

    def __init__(self, whole: Program, state: Any, config: Any) -> None:
        self.program, self.state, self.config = whole, state, config
        self.values: dict[tuple[str, str], str] = {}
        self.numbers = count(1)
        self.apart = 0  # inside of what may not be evaluated: there nothing may write

    def fresh(self, name: str) -> str:
        """A name that nothing else has."""
        return f"{name.strip('_')}_{next(self.numbers)}"

    def refuse(self, frame: Frame, node: tree.Node, what: str) -> NoReturn:
        """UsageError with the place."""
        raise UsageError(f"{short(frame.file)}:{node.line}: TLA+ is not written for {what} in {frame.name}")

    # Entry points.

    def begin(self, states: Sequence[str]) -> list[Ref]:
        """States whose variables have their own names, with a prime in the second."""
        self.values = {(state, name): name + "'" * at for at, state in enumerate(states) for name in self.state.fields}
        return [Ref(state, (), self.state) for state in states]

    def called(self, name: str, states: Sequence[Ref], parameters: Sequence[str], frame: Frame) -> Text:
        """What a function answers, called with these parameters, which are names of the module."""
        frame.names = {str(at): state for at, state in enumerate([*states, *map(Text, parameters)])}
        return self.visit_Call(tree.Call(name, tuple(map(tree.Name, frame.names))), frame) or constant(False)

    def frame(self, name: str, arguments: Sequence[Any]) -> Frame:
        """A call."""
        names = dict(zip(self.program.functions[name].parameters, arguments, strict=True))
        return Frame(name, self.program.files.get(name, ""), names)

    # Statements.

    def rest(self, statements: Sequence[tree.Statement], frame: Frame, give: Callable[[Any], str] | None = None) -> str:
        """The expression that a function comes to from these statements on; without `give`, they leave definitions alone."""
        first, todo, text = len(frame.lets), list(statements), ""
        while todo or (give is not None and not text):
            node = todo.pop(0) if todo else tree.Return(None)
            leaves = tree.having(tree.Return, node)
            if leaves and isinstance(node, tree.If) and not ends(node.body) and not ends(node.otherwise):
                leaving = Leaving(self, frame)
                todo[:0] = [*leaving.before(), *leaving.within([node]), leaving.after()]
                continue
            match node:
                case tree.Return(value=value) if give is not None:
                    text, todo = give(None if value is None else self.value(value, frame)), []
                case tree.Loop():
                    todo[:0] = self.rounds(node, frame)
                case tree.If(body=body, otherwise=otherwise):
                    test = self.value(node.test, frame)
                    if test.known is not None:
                        todo[:0] = body if test.known else otherwise
                    elif not leaves:
                        self.choice(node, test, frame)
                    else:
                        ways = []
                        for way in (body, otherwise):
                            names, values = dict(frame.names), dict(self.values)
                            ways.append(self.rest([*way, *todo], frame, give))
                            frame.names, self.values = names, values
                        text, todo = f"IF {truth_of(test)} THEN {ways[0]} ELSE {ways[1]}", []
                case tree.Assign(target=target, value=value):
                    self.assign(target, self.value(value, frame), frame)
                case tree.Update(target=target, sign=sign, value=value):
                    self.assign(target, self.value(tree.Operation(target, sign, value), frame), frame)
                case tree.Do(value=value):
                    self.value(value, frame)
        if give is None:
            return ""
        text = let(frame.lets[first:], text)
        del frame.lets[first:]
        return f"({text})"

    def rounds(self, node: tree.Loop, frame: Frame) -> Iterator[tree.Statement]:
        """The rounds of a loop, one after the other."""
        ends = [self.value(end, frame) for end in node.ends]
        if any(end.known is None for end in ends):
            self.refuse(frame, node, "a loop whose range is not known")
        for number in range(*(end.known for end in ends)):
            yield tree.Assign(tree.Name(node.name), tree.Number(number))
            yield from node.body

    def choice(self, node: tree.If, test: Text, frame: Frame) -> None:
        """Both ways, which meet again: what differs behind them is chosen."""
        ways: list[tuple[Names, dict[tuple[str, str], str], list[tuple[str, str]]]] = []
        before = dict(frame.names), dict(self.values)
        for way in (node.body, node.otherwise):
            frame.names, self.values = dict(before[0]), dict(before[1])
            first = len(frame.lets)
            self.rest(way, frame)
            ways.append((frame.names, self.values, frame.lets[first:]))
            del frame.lets[first:]
        (names, values, _), (others, other_values, _) = ways
        changed = [part for part in values if values[part] != other_values[part]]
        frame.names, self.values = {name: value for name, value in names.items() if others.get(name) == value}, dict(values)
        differing = [name for name in names if name in others and name not in frame.names]
        numbers = [name for name in differing if isinstance(names[name], Text) and isinstance(others[name], Text)]
        if not changed and not numbers:
            return
        both, texts = self.fresh("way"), []
        for its, parts, lets in ways:
            given = [*(parts[part] for part in changed), *(number_of(its[name]) for name in numbers)]
            texts.append(let(lets, f"<<{', '.join(given)}>>"))
        frame.lets.append((both, f"IF {truth_of(test)} THEN {texts[0]} ELSE {texts[1]}"))
        for at, (state, name) in enumerate([*changed, *(("", name) for name in numbers)], 1):
            new = self.fresh(name)
            frame.lets.append((new, f"{both}[{at}]"))
            if state:
                self.values[state, name] = new
            else:
                frame.names[name] = Text(new)

    def assign(self, target: tree.Expression, value: Any, frame: Frame) -> None:
        """A name gets a value, or a variable of the state is written."""
        if isinstance(target, tree.Name):
            if isinstance(value, Text) and value.known is None:
                value = self.named(target.name, value, frame)
            frame.names[target.name] = value
            return
        place = self.place(target, frame)
        self.write(place, self.read(value) if isinstance(value, Ref) else number_of(value), frame, target)

    def write(self, place: Ref, text: str, frame: Frame, node: tree.Node) -> None:
        """A part of the state has this value from now on."""
        if self.apart:
            self.refuse(frame, node, "a write within a condition")
        variable, way = place.path[0].removeprefix("."), "".join(place.path[1:])
        old, new = self.values[place.state, variable], self.fresh(variable)
        frame.lets.append((new, f"[{old} EXCEPT !{way} = {text}]" if way else text))
        self.values[place.state, variable] = new

    def named(self, name: str, value: Text, frame: Frame) -> Text:
        """The value under a name, so that it is the one of this place."""
        new = self.fresh(name)
        frame.lets.append((new, value.text))
        return Text(new, value.is_truth)

    # Expressions.

    def value(self, node: tree.Expression, frame: Frame) -> Any:
        """An expression: a text, or a part of the state."""
        found = getattr(self, f"visit_{type(node).__name__}")(node, frame)
        if isinstance(found, Ref) and isinstance(found.kind, Kind):
            return Text(self.read(found))
        return found

    def read(self, place: Ref) -> str:
        """What stands at a place."""
        return self.values[place.state, place.path[0].removeprefix(".")] + "".join(place.path[1:])

    def visit_Number(self, node: tree.Number, frame: Frame) -> Text:
        """A number, or a truth."""
        return constant(node.value)

    def visit_Name(self, node: tree.Name, frame: Frame) -> Any:
        """What a name stands for."""
        if node.name not in frame.names:
            self.refuse(frame, node, f"{node.name}, which refers to different records,")
        return frame.names[node.name]

    def place(self, node: tree.Expression, frame: Frame) -> Ref:
        """A part of a state. The text of an index is what it is here, for a variable that is written gets another name."""
        assert isinstance(node, (tree.Field, tree.Element))
        owner = self.value(node.owner, frame)
        if not isinstance(owner, Ref):
            self.refuse(frame, node, node.text)
        if isinstance(node, tree.Field):
            kind = owner.kind.fields[node.name]
            return Ref(owner.state, (*owner.path, f".{node.name}"), kind.element if isinstance(kind, One) else kind)
        index = self.value(node.index, frame)
        return Ref(owner.state, (*owner.path, f"[{number_of(index)}]"), owner.kind.element)

    visit_Field = visit_Element = place  # noqa: N815  # the names of the kinds of nodes

    def visit_Operation(self, node: tree.Operation, frame: Frame) -> Text:
        """Arithmetic."""
        left, right = self.value(node.left, frame), self.value(node.right, frame)
        if left.known is not None and right.known is not None:
            return constant(BINARY[node.sign](left.known, right.known))
        name, other = number_of(left), number_of(right)
        if node.sign in ("<<", ">>"):
            return Text(rf"({name} {'*' if node.sign == '<<' else chr(92) + 'div'} 2^{other})")
        if node.sign == "%" and (right.known is None or right.known < 0):
            return Text(f"{REMAINDER}({name}, {other})")
        if node.sign in BITS:
            return Text(f"{BITS[node.sign]}({name}, {other})")
        return Text(f"({name} {INFIX.get(node.sign, node.sign)} {other})")

    def visit_Not(self, node: tree.Not, frame: Frame) -> Text:
        """`not`."""
        value = self.value(node.operand, frame)
        return Text(f"~{truth_of(value)}", True, None if value.known is None else not value.known)

    def visit_Unary(self, node: tree.Unary, frame: Frame) -> Text:
        """`-` and `~`."""
        value = self.value(node.operand, frame)
        if value.known is not None:
            return constant(-value.known if node.sign == "-" else ~value.known)
        return Text(f"(-{number_of(value)})" if node.sign == "-" else f"(-1 - {number_of(value)})")

    def visit_Joined(self, node: tree.Joined, frame: Frame) -> Text:
        """`and`, `or`: what is not known, as far as nothing known decides."""
        is_and, parts = node.is_and, list[Text]()
        for number, part in enumerate(node.parts):
            self.apart += number > 0
            value = self.value(part, frame)
            self.apart -= number > 0
            decides = value.known is not None and bool(value.known) is not is_and
            is_last = number == len(node.parts) - 1
            is_truth = value.known in (0, 1) and all(before.is_truth for before in parts)
            if value.known is None or decides or (is_last and not is_truth):  # else it decides nothing, and is not the answer
                parts.append(constant(bool(value.known)) if is_truth else value)
            if decides:
                break
        if not parts:
            return constant(is_and)
        if len(parts) == 1:
            return Text(*parts[0])
        if not all(name.is_truth for name in parts):  # the part that decides
            text = number_of(parts.pop())
            for part in reversed(parts):
                ways = (text, number_of(part)) if is_and else (number_of(part), text)
                text = f"(IF {truth_of(part)} THEN {ways[0]} ELSE {ways[1]})"
            return Text(text)
        return Text("(" + (r" /\ " if is_and else r" \/ ").join(map(truth_of, parts)) + ")", True)

    def visit_Compared(self, node: tree.Compared, frame: Frame) -> Text:
        """A comparison, or a chain of them."""
        sides = [self.value(side, frame) for side in node.sides]
        parts = [self.compared(*three) for three in zip(sides, node.signs, sides[1:], strict=False)]
        if all(part.known is not None for part in parts):
            return constant(all(part.known for part in parts))
        return parts[0] if len(parts) == 1 else Text("(" + r" /\ ".join(part.text for part in parts) + ")", True)

    def compared(self, left: Any, sign: str, right: Any) -> Text:
        """One comparison; records and arrays are values, whose order is that of their variables."""
        if isinstance(left, Ref):
            if sign in INFIX:
                return Text(f"({self.read(left)} {INFIX[sign]} {self.read(right)})", True)
            first, second = (left, right) if sign in ("<", ">=") else (right, left)
            frame = Frame("before", "generated", {"one": first, "other": second})
            text = self.rest(function_on_wholes("before", left.kind).body, frame, truth_of)
            return Text(text if sign in "<>" else f"~{text}", True)
        if left.known is not None and right.known is not None:
            return constant(BINARY[sign](left.known, right.known))
        return Text(f"({number_of(left)} {INFIX.get(sign, sign)} {number_of(right)})", True)

    def visit_Choice(self, node: tree.Choice, frame: Frame) -> Any:
        """One of two values."""
        test = self.value(node.test, frame)
        if test.known is not None:
            return self.value(node.yes if test.known else node.no, frame)
        self.apart += 1
        yes, no = self.value(node.yes, frame), self.value(node.no, frame)
        self.apart -= 1
        if isinstance(yes, Ref) or isinstance(no, Ref):
            self.refuse(frame, node, "one of two records")
        is_truth = yes.is_truth and no.is_truth
        texts = [name.text if is_truth else number_of(name) for name in (yes, no)]
        return Text(f"(IF {truth_of(test)} THEN {texts[0]} ELSE {texts[1]})", is_truth)

    def visit_Call(self, node: tree.Call, frame: Frame) -> Any:
        """A function of the model, written out; or the least, the largest, a length."""
        name, arguments = node.function, [self.value(argument, frame) for argument in node.arguments]
        if name == "len":
            if is_container(arguments[0].kind):
                return Text(self.read(Ref(arguments[0].state, (*arguments[0].path, ".length"), None)))
            return constant(int(getattr(self.config, arguments[0].kind.dimension)))
        if name in ("min", "max"):
            return self.extreme(name, arguments, frame)
        function, inner = self.program.functions[name], self.frame(name, arguments)
        returns = tree.having(tree.Return, function)
        if len(returns) <= 1 and (not returns or function.body[-1] is returns[0]):
            inner.lets = frame.lets  # no way leaves it early: its definitions are those of the caller
            self.rest(function.body[: -1 if returns else None], inner)
            return self.value(returns[0].value, inner) if returns and returns[0].value is not None else None
        return self.apart_from(function, inner, frame)

    def apart_from(self, function: tree.Function, inner: Frame, frame: Frame) -> Text:
        """A call of a function that can be left early: an expression of its own, with all that it writes.

        What that is, and whether the answer is a truth, is known when all ways are written: till then an answer is a mark.
        """
        before, answers = dict(self.values), list[tuple[Text | None, dict[tuple[str, str], str]]]()

        def mark(value: Any) -> str:
            if isinstance(value, Ref):
                self.refuse(inner, function, "a function that returns a record on several paths")
            answers.append((value, dict(self.values)))
            return f"\0{len(answers)}\0"

        text = self.rest(function.body, inner, mark)
        written = sorted({part for _, values in answers for part in before if values[part] != before[part]})
        if written and self.apart:
            self.refuse(frame, function, "a write within a condition")
        is_truth = all(value is not None and value.is_truth for value, _ in answers)
        for number, (value, values) in enumerate(answers, 1):
            answer = (truth_of if is_truth else number_of)(value or constant(False))
            given = [answer, *(values[name] for name in written)]
            text = text.replace(f"\0{number}\0", f"<<{', '.join(given)}>>" if written else answer)
        self.values, new = dict(before), self.fresh(function.name)
        frame.lets.append((new, text))
        if not written:
            return Text(new, is_truth)
        for at, name in enumerate(written, 2):
            self.values[name] = self.fresh(name[1])
            frame.lets.append((self.values[name], f"{new}[{at}]"))
        return Text(f"{new}[1]", is_truth)

    def extreme(self, name: str, values: Sequence[Text], frame: Frame) -> Text:
        """The least or the largest."""
        if all(value.known is not None for value in values):
            return constant((min if name == "min" else max)(value.known for value in values))
        found = values[0]
        for other in values[1:]:
            text, two = (self.named(name, Text(number_of(value)), frame) for value in (found, other))
            found = Text(f"(IF {text.text} {'<' if name == 'min' else '>'} {two.text} THEN {text.text} ELSE {two.text})")
        return found
