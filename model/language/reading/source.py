"""The text of a model as one configuration runs it, with docstrings and comments.

`specialise` decides what a program does under a configuration; here the same is done to the text of the files. A statement or
an expression in which nothing was decided stands as it is written; of the others, what is left is written anew. Sizes and
fault budgets keep their names, and so do constants: only what chooses between designs goes.
"""

import ast
import linecache
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

from ..actions import Model
from ..kinds import Kind, declared
from ..settings import Settings, Watched
from . import typed_tree as tree
from .parsed import parse
from .program import Program, program
from .specialise import Folder, folded, refuses_always
from .typed_tree import Assign, Call, Function, If, Loop, Name, Number, Return

ORIGINAL = "original_"
"""Goes before the name of a function that is called by what stands in its place."""

WIDTH = 130
"""Columns of a line that is written anew, where it can be broken."""


@dataclass(frozen=True)
class Piece:
    """One function as it runs: its name, its place in the files, and its text in three parts, each of whole lines."""

    name: str
    file: str
    line: int
    is_action: bool
    heading: str
    docstring: str
    body: str

    @property
    def text(self) -> str:
        """The whole function."""
        return self.heading + self.docstring + self.body


@lru_cache(maxsize=32)
def source_of(model: Model, config: Settings, decided: Collection[str] = (), only: Collection[str] = ()) -> tuple[Piece, ...]:
    """The functions that can run under a configuration, by actor: folders and files in the order of their first action.

    What no action calls any more is left out, and so are functions that always answer the same.

    `decided`: sizes and budgets that are decided too; `only`: these actions, and what they call.
    """
    chosen = [action for action in model.actions if not only or action.name in only]
    whole = program([action.function for action in chosen], settings=model.config)
    reader = reader_of(whole, model, config, decided)
    result = folded(whole, reader)
    actions = {whole.name_of(action.function): action.name for action in chosen}
    todo = [name for name in actions if not refuses_always(result.functions, name)]
    reached: dict[str, None] = {}
    while todo:
        name = todo.pop(0)
        if name not in reached:
            reached[name] = None
            todo += sorted({*result.calls[name]} & result.functions.keys())
    versions = _versions(result, reached)
    made = {name: whole.originals[name].origin for name in reached if hasattr(whole.originals[name], "tree")}  # `desugared`
    wrapped = _wrapped(whole, result, reached, versions)
    pieces = []
    for name in (item for item in reached if item not in versions.values() and item not in made):
        shown = wrapped.get(name, actions.get(name, _own_name(whole, name)))
        piece = piece_of(whole, result, versions.get(name, name), shown, name in actions)
        if f"{ORIGINAL}{shown}" in wrapped.values():
            piece = replace(piece, body=re.sub(rf"\b{shown}\(", f"{ORIGINAL}{shown}(", piece.body))
        pieces.append(piece)
    pieces += [as_it_is(origin) for origin in dict.fromkeys(made.values()) if origin is not None]
    return _by_actor(pieces, [item for name in actions for item in pieces if item.is_action and item.name == actions[name]])


def free_settings(model: Model, config: Settings, decided: Collection[str] = ()) -> dict[str, tuple[int, ...]]:
    """The settings that stay to be read, each with its values: sizes and budgets, and the numbers derived from these."""
    free: dict[str, tuple[int, ...]] = {
        name: tuple(range(setting.low, setting.high + 1))
        for name, setting in config.settings.items()
        if setting.group != "switch" and name not in decided
    }
    for name in config.computed:
        watched = Watched(config)
        getattr(watched, name)
        if watched.read & free.keys():
            free[name] = ()
    return free


def reader_of(whole: Program, model: Model, config: Settings, decided: Collection[str]) -> "_Reader":
    """What folds a program for people."""
    free = free_settings(model, config, decided)
    numbers = {name: value for name, value in config.numbers() if name not in free}
    values: dict[str, set[int | None]] = {}
    for path, kind in declared(model.state):
        watched = Watched(config)
        spans = [kind.span(watched), kind.normal_span(watched)] if isinstance(kind, Kind) else []
        known = bool(spans) and not watched.named & free.keys() and len({end for span in spans for end in span}) == 1
        if not path.endswith("]"):
            values.setdefault(path.rsplit(".", 1)[-1], set()).add(spans[0][0] if known else None)
    fixed = {name: found.pop() for name, found in values.items() if len(found) == 1 and None not in found}
    return _Reader(numbers, fixed, free)  # type: ignore[arg-type]


class _Reader(Folder):
    """Folds as the specialiser does, and further: calls of what does nothing go, and variables that are decided or not read.

    It notes how what it replaces is written.
    """

    def learn(self, name: str, function: Function) -> None:
        """As the specialiser; and a call of a function that does nothing is nothing."""
        super().learn(name, function)
        if not function.body:
            self.answers[name] = Number(0)

    def visit_Function(self, node: Function) -> Function:
        folded, before = super().visit_Function(node), None
        while folded is not before:
            before, folded = folded, super().visit_Function(self._without_variables(folded))
        return folded

    def _without_variables(self, function: Function) -> Function:
        """The function without variables that have one known value, or that nothing reads."""
        stored = Counter(tree.stores(function))
        known: dict[str, Number] = {}
        for statement in function.body:
            match statement:
                case Assign(target=Name(name=name), value=Number(source=None | ast.Name() | ast.Attribute()) as value):
                    if stored[name] == 1:
                        known[name] = value
        read = tree.read(function)
        gone = {name for name in stored if not read[name] or name in known}

        def less(node: Any) -> Any:
            match node:
                case Assign(target=Name(name=name), value=value) if name in gone and not self.counts(value):
                    return ()
                case Name(name=name) if name in known:
                    return known[name]
            return tree.with_parts(node, less)

        function = less(function) if gone else function
        self.read = tree.read(function)
        return function

    def visit_Joined(self, node: tree.Joined) -> Any:
        found = super().visit_Joined(node)
        if isinstance(found, tree.Joined) and isinstance(last := found.parts[-1], Number) and last.value is True:
            found = replace(found, parts=found.parts[:-1])  # what an action or a guard answers is a truth
        return found.parts[0] if isinstance(found, tree.Joined) and len(found.parts) == 1 else found

    def visit_Call(self, node: Call) -> Any:
        found = super().visit_Call(node)
        return Number(found.value) if isinstance(found, Number) else found  # written in the function that answers it


def _own_name(whole: Program, name: str) -> str:
    return str(getattr(whole.originals[name], "__name__", name))


def _versions(result: Program, reached: Collection[str]) -> dict[str, str]:
    """For each rule of which one version is left that nothing else calls: that version, which is shown in its place."""
    found: dict[str, str] = {}
    for name in reached:
        match result.functions[name].body:
            case [Return(value=Call(function=called)), *_] if result.files[name].startswith("rule "):
                if not any(called in result.calls[piece] for piece in reached if piece != name):
                    found[name] = called
    return found


def _wrapped(whole: Program, result: Program, reached: Collection[str], versions: Mapping[str, str]) -> dict[str, str]:
    """The functions that are called by what stands in their place: each with another name, under which it is shown."""
    found = {}
    for rule, version in versions.items():
        for name in {*result.calls[version]} & {*reached} - {rule, version}:
            if _own_name(whole, name) == _own_name(whole, rule):
                found[name] = f"{ORIGINAL}{_own_name(whole, rule)}"
    return found


def piece_of(whole: Program, result: Program, name: str, shown: str, is_action: bool) -> Piece:
    """One function of a program as it runs, under the name `shown`."""
    before, after = whole.functions[name], result.functions[name]
    first_line, _, rest = after.text.partition("\n")
    if before.source is None:
        return Piece(shown, "", 0, is_action, f"{first_line}\n", "", f"{rest}\n")
    writer = _Writer(before, after, [line.rstrip("\n") for line in linecache.getlines(whole.files[name])])
    written: Any = before.source
    first, at = written.body[0], (shown, whole.files[name], written.lineno, is_action)
    if hasattr(written, "reshaped"):  # for one loop or assignment of the file it has several statements
        if len(before.body) == len(after.body) and all(map(writer.same, before.body, after.body)):
            return replace(as_it_is(whole.originals[name]), name=shown, is_action=is_action)
        return Piece(*at, f"{writer.lines[written.lineno - 1]}\n", "", f"{rest}\n")
    has_docstring = ast.get_docstring(written) is not None
    heading = writer.lines[written.lineno - 1 : first.lineno - 1]
    heading[0] = re.sub(r"^(\s*def )\w+", rf"\g<1>{shown}", heading[0])
    docstring = writer.lines[first.lineno - 1 : first.end_lineno] if has_docstring else []
    body = writer.block(after.body, 4) or ([] if has_docstring else ["    pass"])
    return Piece(*at, *("".join(f"{line}\n" for line in part) for part in (heading, docstring, body)))


def as_it_is(function: Any) -> Piece:
    """A function as it is written in its file."""
    written, file = parse(function)
    lines, first = linecache.getlines(file), written.body[0]
    begin = first.lineno - 1
    ends = [written.lineno - 1, begin, first.end_lineno if ast.get_docstring(written) is not None else begin, written.end_lineno]
    texts = ["".join(lines[begin:end]) for begin, end in pairwise(ends)]
    return Piece(written.name, file, written.lineno, False, *texts)


class _Writer:
    """Writes the statements of a folded function; `before`: the function as it is written in these lines of its file."""

    def __init__(self, before: Function, after: Function, lines: Sequence[str]) -> None:
        self.lines = list(lines)
        statements = tree.having(tree.Statement, before)
        self.written: dict[int, Any] = {id(node.source): node for node in statements}
        self.kept = {id(node.source) for node in tree.having(tree.Statement, after)}
        choices = [node for node in statements if isinstance(node, (If, Loop)) and node.body]
        self.above = {id(node.body[0].source): node for node in choices}

    def block(self, statements: Sequence[tree.Statement], indent: int) -> list[str]:
        """The lines of a block."""
        out: list[str] = []
        for number, statement in enumerate(statements):
            comments, apart = self.comments(statement)
            if apart and number:
                out.append("")
            out += [" " * indent + comment for comment in comments]
            out += self.statement(statement, indent)
        return out

    def below(self, statements: Sequence[tree.Statement], indent: int) -> list[str]:
        """The lines of a block below a line."""
        return self.block(statements, indent + 4) or [" " * (indent + 4) + "pass"]

    def comments(self, statement: tree.Statement) -> tuple[list[str], bool]:
        """The comments above a statement, and those above a choice that it is left of; and whether a blank line is above."""
        if statement.source is None:
            return [], False
        found: list[str] = []
        apart, at = False, statement.line - 1
        while at and (not self.lines[at - 1].strip() or self.lines[at - 1].lstrip().startswith("#")):
            at -= 1
            apart = apart or not self.lines[at].strip()
            found = [self.lines[at].strip(), *found] if self.lines[at].strip() else found
        gone = self.above.get(id(statement.source))
        if gone is not None and id(gone.source) not in self.kept:
            more, apart_above = self.comments(gone)
            return [*more, *found], apart or apart_above
        return found, apart

    def statement(self, statement: tree.Statement, indent: int) -> list[str]:
        """The lines of a statement."""
        if isinstance(statement, If):
            return self.choice(statement, indent, "if")
        source: Any = statement.source
        before = self.written.get(id(source))  # None: made by the folder
        after = tree.syntax_of(statement, as_written=True)
        if isinstance(statement, Loop):
            same = all(map(self.same, self.written[id(source)].ends, statement.ends))
            header = self.header(source, source.iter, None if same else after.iter, f"for {statement.name} in ", indent)
            return [*header, *self.below(statement.body, indent)]
        if before is not None and self.same(before, statement):
            return self.moved(source.lineno, source.end_lineno or 0, source.col_offset, indent)
        remark = self.remark(source.end_lineno, source.end_col_offset) if before is not None else ""
        if isinstance(after, ast.Return) and after.value is not None:
            return broken("return ", after.value, "", remark, indent)
        return [" " * indent + ast.unparse(after) + remark]

    def choice(self, statement: If, indent: int, word: str) -> list[str]:
        """The lines of an if, and of what follows when it does not hold."""
        source: Any = statement.source
        same = self.same(self.written[id(source)].test, statement.test)
        after = None if same else tree.syntax_of(statement.test, as_written=True)
        out = self.header(source, source.test, after, f"{word} ", indent)
        out += self.below(statement.body, indent)
        rest = statement.otherwise
        if len(rest) == 1 and isinstance(rest[0], If) and self.lines[rest[0].line - 1].lstrip().startswith("elif "):
            out += self.choice(rest[0], indent, "elif")
        elif rest:
            out += [f"{' ' * indent}else:", *self.below(rest, indent)]
        return out

    def header(self, statement: ast.stmt, before: ast.expr, after: ast.expr | None, begin: str, indent: int) -> list[str]:
        """The first lines of an if or a loop: as they are written, where nothing stands in the place of the expression."""
        at, column = before.end_lineno or 0, before.end_col_offset or 0
        while ":" not in (rest := self.after(at, column).partition("#")[0]):
            at, column = at + 1, 0
        if after is None:
            lines = self.moved(statement.lineno, at, statement.col_offset, indent)
            return [re.sub(r"^(\s*)(if|elif) ", rf"\g<1>{begin}", lines[0]), *lines[1:]]
        remark = self.remark(at, column + len(rest[: rest.index(":") + 1].encode()))
        return broken(begin, after, ":", remark, indent)

    def same(self, before: tree.Node, after: tree.Node) -> bool:
        """Whether nothing was decided in an expression or statement."""
        return before is after or before.text == after.text

    def moved(self, first: int, last: int, column: int, indent: int) -> list[str]:
        """Lines of the file at another indentation."""
        return [f"{' ' * indent}{line[column:]}" if line.strip() else "" for line in self.lines[first - 1 : last]]

    def after(self, line: int, column: int) -> str:
        """What is written on a line after a column, which counts bytes."""
        return self.lines[line - 1].encode()[column:].decode()

    def remark(self, line: int | None, column: int | None) -> str:
        """The comment at the end of a line."""
        rest = self.after(line or 1, column or 0).strip()
        return f"  {rest}" if rest.startswith("#") else ""


def text_of(value: ast.AST) -> str:
    """An expression or a statement as text, without the brackets around `not` that Python would write."""
    if isinstance(value, ast.BoolOp):
        return f" {'and' if isinstance(value.op, ast.And) else 'or'} ".join(map(part_of, value.values))
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not):
        return f"not {part_of(value.operand)}"
    return ast.unparse(value)


def part_of(value: ast.expr) -> str:
    """A part of an expression that joins several."""
    return f"({text_of(value)})" if isinstance(value, (ast.BoolOp, ast.IfExp)) else text_of(value)


def broken(begin: str, value: ast.expr, end: str, remark: str, indent: int) -> list[str]:
    """A statement around an expression, on several lines if it is long and joins several."""
    line = f"{' ' * indent}{begin}{text_of(value)}{end}{remark}"
    if len(line) <= WIDTH or not isinstance(value, ast.BoolOp):
        return [line]
    joined, inner = "and" if isinstance(value.op, ast.And) else "or", " " * (indent + 4)
    parts = list(map(part_of, value.values))
    lines = [f"{inner}{parts[0]}", *(f"{inner}{joined} {part}" for part in parts[1:])]
    return [f"{' ' * indent}{begin}(", *lines, f"{' ' * indent}){end}{remark}"]


def _by_actor(pieces: Sequence[Piece], actions: Sequence[Piece]) -> tuple[Piece, ...]:
    """Functions by folder and file, as actions have them; those without an action last, and files of no folder after all."""
    order = [action.file for action in (*actions, *pieces)]
    folders = [file.rpartition("/")[0] for file in order]
    outer = {folder for folder in folders for other in folders if other != folder and other.startswith(folder)}
    place = {folder: at for at, folder in enumerate(piece for piece in dict.fromkeys(folders) if piece not in outer)}

    def key(piece: Piece) -> tuple[int, int, int]:
        return place.get(piece.file.rpartition("/")[0], len(place)), order.index(piece.file), piece.line

    return tuple(sorted(pieces, key=key))


def files_of(pieces: Sequence[Piece]) -> Mapping[str, list[Piece]]:
    """The functions by file, in their order."""
    found: dict[str, list[Piece]] = {}
    for piece in pieces:
        found.setdefault(piece.file, []).append(piece)
    return found
