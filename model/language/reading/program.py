"""A model's functions as one closed set of syntax trees, held to the rules of the language.

The functions of a model are ordinary Python. An engine that does not run them as such (the compiler, a
prover, a mutator of guards) starts here: from the functions that it needs, everything that they call
is collected, by reading names, into one program in which each name has one meaning.

The rules, which `check` enforces with file and line: module-level functions; `if`, `for` over a constant
range, early `return`, assignment; arithmetic, comparison and calls of other model functions, `min`, `max`
and `range`; and what is short for these (`desugared`): `any`, `all`, `sum` of a generator, loops over arrays, `in`, `break`,
`continue`, several targets. No `while`, floats, strings, containers, closures, default arguments or recursion.
"""

import ast
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from types import FunctionType
from typing import Any, NoReturn

from ..actions import Rule, never
from ..errors import LanguageError
from ..settings import Settings
from ..sizes import MAX_NUMBER, MIN_NUMBER
from .desugared import desugared
from .members import as_written, with_numbers
from .parsed import bare, is_fixed, parse
from .trees import LEAVES, OPERATORS, called, copied, names_in, nodes_of, reached, reads_in, stored_in
from .typed_reading import function_of
from .typed_tree import Function

BUILTINS = {"range", "min", "max", "len", "True", "False"}

BOUNDS = "bounds"
"""The configuration, as a parameter of the copies of a plugin's functions (`plugin_checks`)."""

STATEMENTS = (ast.If, ast.For, ast.Return, ast.Assign, ast.AugAssign, ast.Expr, ast.Pass)
EXPRESSIONS = (
    ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.IfExp, ast.Compare, ast.Call, ast.Constant, ast.Name, ast.Attribute,
    ast.Subscript,
)  # fmt: skip

WORDS = dict.fromkeys((ast.List, ast.ListComp), "a list: a variable is a number; `many` and `seq` are fields of the state,")
UNRESTRICTED = frozenset({*OPERATORS, ast.Load, ast.Store, ast.Name, ast.Attribute, ast.Compare, ast.BoolOp, ast.If})
"""Kinds of nodes that stand anywhere; most nodes are of these."""


@dataclass
class Program:
    """Functions by their name in the program, callees before callers, and the constants they read.

    `reserved`: names that none of them gets, because an engine's own text has them; `variables`: others, which are variables
    there, and may be variables here. `settings`: of the model, which may bring further versions of its `rules`.
    """

    functions: dict[str, ast.FunctionDef] = field(default_factory=dict)
    constants: dict[str, int] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    plugin_code: set[str] = field(default_factory=set)
    reserved: frozenset[str] = frozenset()
    variables: frozenset[str] = frozenset({BOUNDS})
    settings: type[Settings] = Settings
    rules: list[Rule] = field(default_factory=list)
    _open: set[int] = field(default_factory=set)
    originals: dict[str, Any] = field(default_factory=dict)
    folded: dict[tuple[Any, ...], tuple[ast.FunctionDef, ast.FunctionDef]] = field(default_factory=dict)
    """Functions, and what they are under some settings (`specialise`): few settings decide anything in one function."""
    typed: dict[str, Function] = field(default_factory=dict)

    def function(self, name: str) -> Function:
        """The typed tree of a function, made when it is first needed."""
        if name not in self.typed or self.typed[name].source is not self.functions[name]:
            self.typed[name] = function_of(self.functions[name], self.constants)
        return self.typed[name]

    def name_of(self, function: Callable[..., Any]) -> str:
        """The name in the program of a function that was added."""
        return self.names[id(function)]

    def add(self, function: Any) -> str:
        """Add `function` (or a rule) and all it calls; the name it has in the program."""
        if id(function) in self.names:
            return self.names[id(function)]
        if id(function) in self._open:
            (tree, file), what = parse(function), "calls itself: the language of models has no recursion"
            raise LanguageError(f"{file}:{tree.lineno}: {function.__name__} {what}")
        self._open.add(id(function))
        tree, file = self._rule(function) if isinstance(function, Rule) else self._function(function)
        name = function.__name__
        if name in self.functions or name in self.constants or self._is_taken(name):
            name = f"{name}__{getattr(function, '__module__', 'rule').rsplit('.', 1)[-1]}"
        if name in self.functions:
            name = f"{name}_{len(self.functions)}"
        tree.name = name
        self.functions[name], self.files[name], self.names[id(function)] = tree, file, name
        self.originals[name] = function  # which also keeps its id its own
        if is_plugin_code(function):
            self.plugin_code.add(name)
        return name

    def _rule(self, rule: Rule) -> tuple[ast.FunctionDef, str]:
        """A rule as a function: a chain of ifs over its setting."""
        parameters = ", ".join(["s", *rule.parameters])
        lines = [f"def {rule.__name__}({parameters}):"]
        self.rules.append(rule)
        for index, version in enumerate(rule.under(self.settings)):
            call = "False" if version is never else f"{self.add(version)}({parameters})"
            lines += [f"    if s.config.{rule.setting} == {index}:", f"        return {call}"]
        lines.append("    return False")
        return ast.parse("\n".join(lines)).body[0], "rule " + rule.__name__  # type: ignore[return-value]

    def _function(self, function: Any) -> tuple[ast.FunctionDef, str]:
        checked, file = _checked(function)
        tree: ast.FunctionDef = copied(checked)
        local, meant = locals_of(tree), {*self.reserved, BOUNDS} if is_plugin_code(function) else set[str]()
        names = [node for node in nodes_of(tree) if isinstance(node, ast.Name)]
        own = [node for node in names if node.id in local]
        for node in names:
            if node.id in BUILTINS and node.id in function.__globals__:
                where = f"{file}:{node.lineno}"
                raise LanguageError(f"{where}: {node.id} is not Python's own in {function.__name__}; give it another name")
            if node.id not in local and node.id not in BUILTINS:
                _call_it(node, self._global(function, node, file))
                meant.add(node.id)
        for name in sorted(local & meant):
            local.add(_rename(name, [*own, *tree.args.args], local | meant))
        return tree, file

    def _global(self, function: FunctionType, node: ast.Name, file: str) -> str:
        """The program's name for what the global name at `node` means in `function`."""
        value = getattr(node, "member", function.__globals__.get(node.id))
        if isinstance(value, (FunctionType, Rule)):
            return self.add(value)
        if isinstance(value, int):
            if not MIN_NUMBER <= value <= MAX_NUMBER:
                raise LanguageError(f"{file}:{node.lineno}: {node.id} is beyond 64 bits in {function.__name__}")
            name = node.id
            while self.constants.get(name, value) != value or name in self.functions or self._is_taken(name):
                name += "_"
            self.constants[name] = int(value)
            return name
        raise LanguageError(f"{file}:{node.lineno}: {node.id} is neither a model function nor an integer constant")

    def _is_taken(self, name: str) -> bool:
        """Whether a name means something else in an engine's text."""
        return name in self.reserved or name in self.variables

    @cached_property
    def known_shapes(self) -> dict[str, tuple[Any, ...]]:
        """What the arguments of versions of rules are, where a rule says so."""
        return {self.names[id(version)]: rule.shapes for rule in self.rules if rule.shapes for version in rule.versions}

    @cached_property
    def locals(self) -> dict[str, set[str]]:
        """The parameters and variables of each function."""
        return {name: locals_of(tree) for name, tree in self.functions.items()}

    @cached_property
    def writers(self) -> frozenset[str]:
        """The functions that write to the state, or call one that does; to be asked once all functions are there.

        A call of one of these is more than its value: it cannot be left out, nor evaluated where it does not stand.
        """
        return self.callers_of(name for name, tree in self.functions.items() if any(map(_is_write, nodes_of(tree))))

    @cached_property
    def reads(self) -> dict[str, Counter[str]]:
        """How often each function reads each name."""
        return {name: reads_in(tree) for name, tree in self.functions.items()}

    @cached_property
    def mentions(self) -> dict[str, tuple[list[str], list[str]]]:
        """The fields that each function names, and the functions that it calls."""
        fields = {name: {n.attr for n in nodes_of(t) if isinstance(n, ast.Attribute)} for name, t in self.functions.items()}
        return {name: (sorted(fields[name]), sorted(self._named[name] & self.functions.keys())) for name in self.functions}

    @cached_property
    def _named(self) -> dict[str, set[str]]:
        """The functions and constants that each function names."""
        return {name: names_in(tree) - self.locals[name] for name, tree in self.functions.items()}

    def callers_of(self, names: Iterable[str]) -> frozenset[str]:
        """These functions and all that call them, directly or indirectly."""
        found = set(names)
        named = self._named if found else {}
        while more := {name for name, below in named.items() if name not in found and not below.isdisjoint(found)}:
            found |= more
        return frozenset(found)

    def called_by(self, names: Iterable[str]) -> dict[str, None]:
        """These functions and all that they call, directly or indirectly, as they are met."""

        def below(name: str) -> Iterable[str] | None:
            tree = self.functions.get(name)
            if tree is None:
                return None
            return [node.id for node in nodes_of(tree) if isinstance(node, ast.Name) and node.id not in self.locals[name]]

        return reached(names, below)

    def text(self) -> str:
        """The program as Python, without docstrings and comments."""
        parts = [f"{name} = {value}" for name, value in self.constants.items()]
        for tree in self.functions.values():
            parts.append(bare(tree))
        return "\n\n".join(parts) + "\n"


def program(
    functions: Iterable[Any], reserved: Iterable[str] = (), settings: type[Settings] = Settings, variables: Iterable[str] = ()
) -> Program:
    """The closed program of `functions` and all that they call; `settings` are the model's."""
    result = Program(reserved=frozenset(reserved), settings=settings, variables=frozenset({BOUNDS, *variables}))
    for function in functions:
        result.add(function)
    return result


def interpreted(whole: Program, roots: Iterable[str]) -> dict[str, Callable[..., Any]]:
    """These functions of a program, and all that they call, as functions of Python by name, each at its lines in its file.

    The functions of a model count with numbers of any size; this text, with checks, refuses what compiled code refuses.
    """
    needed = whole.called_by(roots)
    names: dict[str, Any] = {"__name__": "", **whole.constants}
    for name, tree in whole.functions.items():
        if name in needed:
            exec(compile(ast.fix_missing_locations(ast.Module([copied(tree)], [])), whole.files[name], "exec"), names)
    return names


OWN = __name__.partition(".")[0]


def is_plugin_code(function: Any) -> bool:
    """Whether a function is not Highwater's own, nor made from its own, but a plugin's or a user's."""
    module = getattr(function, "__module__", None) or ""
    return isinstance(function, FunctionType) and module.partition(".")[0] != OWN and not module.startswith(f"{OWN}_mutants_")


def _is_write(node: ast.AST) -> bool:
    return isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store)


def calls_any(node: ast.AST, names: Container[str]) -> bool:
    """Whether one of these functions is called in an expression or statement."""
    return any(called(part) in names for part in nodes_of(node))


def validate_reads_only(program: Program, names: Iterable[str]) -> None:
    """LanguageError when one of these functions, or one that it calls, writes to the state: a property only reads."""
    for name in names:
        for item in program.called_by([name]) if name in program.writers else ():
            for node in filter(_is_write, nodes_of(program.functions[item])):
                assert isinstance(node, ast.expr)
                place = ast.unparse(as_written(node))
                through = f", which {name} calls," if item != name else ""
                raise LanguageError(
                    f"{program.files[item]}:{node.lineno}: {item}{through} writes to {place}: a property only reads"
                )


@cache
def _checked(function: Any) -> tuple[ast.FunctionDef, str]:
    """What `parse` gives, checked; not to be changed."""
    tree, file = parse(function)

    def refuse(node: ast.AST, what: str) -> NoReturn:
        raise LanguageError(f"{file}:{getattr(node, 'lineno', tree.lineno)}: {what} in {tree.name}")

    tree = desugared(tree, file, getattr(function, "__globals__", {}), refuse)
    tree = with_numbers(tree, getattr(function, "__globals__", {}), locals_of(tree), refuse)
    check(tree, file, function)
    return tree, file


def check(tree: ast.FunctionDef, file: str, function: Any) -> None:
    """Raise LanguageError at the first construct that the language of models does not have."""
    line, local = tree.lineno, locals_of(tree)

    def refuse(what: str) -> None:
        raise LanguageError(f"{file}:{line}: {what} in {tree.name.partition('__')[0] or tree.name}")

    if getattr(getattr(function, "written", function), "__closure__", None):
        refuse("a closure")
    loops = [node.iter for node in nodes_of(tree) if isinstance(node, ast.For)]
    arguments = tree.args
    more = (arguments.defaults, arguments.vararg, arguments.kwarg, arguments.kwonlyargs, arguments.posonlyargs)
    if any(more) or tree.decorator_list:
        refuse("a decorator or more than plain positional parameters")
    body = tree.body[1:] if ast.get_docstring(tree) else tree.body
    for at, node in (pair for statement in body for pair in _with_lines(statement, line)):
        line = at
        if node.__class__ in UNRESTRICTED or isinstance(node, ast.keyword):
            continue
        if not isinstance(node, STATEMENTS + EXPRESSIONS + OPERATORS):
            refuse(WORDS.get(type(node), f"{type(node).__name__}, which models do not use,"))
        if isinstance(node, ast.Constant) and not isinstance(node.value, int):
            refuse(f"the constant {node.value!r}")
        if isinstance(node, ast.Constant) and isinstance(node.value, int) and not MIN_NUMBER <= node.value <= MAX_NUMBER:
            refuse("a number beyond 64 bits")
        if isinstance(node, ast.Call) and (node.keywords or not isinstance(node.func, ast.Name)):
            refuse("a call of something other than a named function with plain arguments")
        if called(node) == "range" and node not in loops:
            refuse("a range that is not a loop's")
        alone = node.value if isinstance(node, ast.Expr) else None
        if isinstance(alone, EXPRESSIONS) and not isinstance(alone, (ast.Call, ast.Constant)):
            refuse("an expression whose value is not used")
        if isinstance(node, ast.For):
            _check_loop(node, None if hasattr(function, "loops_freely") else local, refuse)
        if isinstance(node, ast.Assign) and (len(node.targets) > 1 or isinstance(node.targets[0], ast.Tuple)):
            refuse("an assignment to several targets")


def _with_lines(node: ast.AST, line: int) -> Iterator[tuple[int, ast.AST]]:
    """Every node below with its line; operators, which have none, with that of their expression."""
    todo = [(line, node)]
    while todo:
        line, node = todo.pop()
        line = getattr(node, "lineno", line)
        yield line, node
        if node.__class__ not in LEAVES:
            todo += [(line, child) for child in reversed(list(ast.iter_child_nodes(node)))]


def locals_of(tree: ast.FunctionDef) -> set[str]:
    """The parameters and the variables of a function."""
    stored = stored_in(tree)
    return {a.arg for a in tree.args.args} | stored


def _rename(name: str, nodes: Iterable[ast.Name | ast.arg], taken: Container[str]) -> str:
    """Give a function's variable or parameter another name, which is returned: its own means something else in the program."""
    fresh = name
    while fresh in taken:
        fresh += "_"
    for node in nodes:
        if isinstance(node, ast.Name) and node.id == name:
            _call_it(node, fresh)
        elif isinstance(node, ast.arg) and node.arg == name:
            node.arg = fresh
    return fresh


def _call_it(node: ast.Name, name: str) -> None:
    """Give a name in a tree another one; the tree keeps how it is written in its file."""
    if name != node.id:
        node.written = getattr(node, "written", ast.Name(node.id, ast.Load()))  # type: ignore[attr-defined]
        node.id = name


def _check_loop(loop: ast.For, local: set[str] | None, refuse: Callable[[str], None]) -> None:
    """A loop runs over a range whose ends are constants or settings, unless no variables are given, and has no else."""
    over = loop.iter
    if not isinstance(over, ast.Call) or called(over) != "range":
        refuse("a loop over something other than a range")
        return
    if loop.orelse:
        refuse("a loop with an else")
    if local is not None and not all(is_fixed(end, local) for end in over.args):
        refuse("a loop whose range is neither numbers nor settings; go over all of them, and ask `if` in it,")
