"""A model's functions as one closed set of typed trees, held to the rules of the language.

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
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from types import FunctionType
from typing import Any, NamedTuple, NoReturn

from ..choices import Choice
from ..errors import LanguageError, hint
from ..settings import Settings
from ..sizes import MAX_NUMBER, MIN_NUMBER
from ..steps import Rule, never
from . import typed_tree as typed
from .desugared import desugared
from .parsed import parse
from .trees import called, reached
from .typed_reading import function_of
from .typed_tree import SIGNS, Function

BUILTINS = {"range", "min", "max", "len"}

BOUNDS = "bounds"
"""The configuration, as a parameter of the copies of a plugin's functions (`plugin_checks`)."""

WORDS = dict.fromkeys((ast.List, ast.ListComp), "a list: a variable is a number; `many` and `seq` are fields of the state,")


@dataclass
class Program:
    """Functions by their name in the program, callees before callers.

    `reserved`: names that none of them gets, because an engine's own text has them; `variables`: others, which are variables
    there, and may be variables here. `settings`: of the model, which may bring further versions of its `rules`.
    """

    functions: dict[str, Function] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    plugin_code: set[str] = field(default_factory=set)
    reserved: frozenset[str] = frozenset()
    variables: frozenset[str] = frozenset({BOUNDS})
    settings: type[Settings] = Settings
    rules: list[Rule] = field(default_factory=list)
    _open: set[int] = field(default_factory=set)
    originals: dict[str, Any] = field(default_factory=dict)
    folded: dict[tuple[Any, ...], tuple[Function, Function]] = field(default_factory=dict)
    """Functions, and what they are under some settings (`specialise`): few settings decide anything in one function."""

    def name_of(self, function: Callable[..., Any]) -> str:
        """The name in the program of a function that was added."""
        return self.names[id(function)]

    def add(self, function: Any) -> str:
        """Add `function` (or a rule) and all it calls; the name it has in the program."""
        if id(function) in self.names:
            return self.names[id(function)]
        if id(function) in self._open:
            (written, place), what = parse(function), "calls itself: the language of models has no recursion"
            raise LanguageError(f"{place}:{written.lineno}: {function.__name__} {what}")
        self._open.add(id(function))
        tree, file = self._rule(function) if isinstance(function, Rule) else self._function(function)
        name = function.__name__
        if name in self.functions or name in self.reserved or name in self.variables:
            name = f"{name}__{getattr(function, '__module__', 'rule').rsplit('.', 1)[-1]}"
        if name in self.functions:
            name = f"{name}_{len(self.functions)}"
        tree = tree if tree.name == name else replace(tree, name=name)
        self.functions[name], self.files[name], self.names[id(function)] = tree, file, name
        self.originals[name] = function  # which also keeps its id its own
        if is_plugin_code(function):
            self.plugin_code.add(name)
        return name

    def _rule(self, rule: Rule) -> tuple[Function, str]:
        """A rule as a function: a chain of ifs over its setting."""
        parameters = ("s", *rule.parameters)
        setting = typed.Field(typed.Field(typed.Name("s"), "config"), rule.setting)
        self.rules.append(rule)
        body: list[typed.Statement] = []
        for index, version in enumerate(rule.under(self.settings)):
            given = tuple(map(typed.Name, parameters))
            answer = typed.Number(False) if version is never else typed.Call(self.add(version), given)
            body.append(typed.If(typed.Compared((setting, typed.Number(index)), ("==",)), (typed.Return(answer),)))
        return Function(rule.__name__, parameters, (*body, typed.Return(typed.Number(False)))), "rule " + rule.__name__

    def _function(self, function: Any) -> tuple[Function, str]:
        """A function in which each name means one thing in the program."""
        tree, file, meant = checked(function)
        names = {own: self.add(meaning) for own, meaning in meant.items()}
        taken = {*names.values(), *([*self.reserved, BOUNDS] if is_plugin_code(function) else [])}
        local = {*tree.parameters, *typed.stored(*tree.body)}
        for name in sorted(local & taken):
            names[name] = name
            while names[name] in local | taken:
                names[name] += "_"
            local.add(names[name])
        names = {own: name for own, name in names.items() if own != name}
        return (renamed(tree, names) if names else tree), file

    @cached_property
    def known_shapes(self) -> dict[str, tuple[Any, ...]]:
        """What the arguments of versions of rules are, where a rule says so."""
        return {self.names[id(version)]: rule.shapes for rule in self.rules if rule.shapes for version in rule.versions}

    @cached_property
    def writers(self) -> frozenset[str]:
        """The functions that write to the state, or call one that does; to be asked once all functions are there.

        A call of one of these is more than its value: it cannot be left out, nor evaluated where it does not stand.
        """
        return self.callers_of(name for name, tree in self.functions.items() if typed.written(tree))

    @cached_property
    def reads(self) -> dict[str, Counter[str]]:
        """How often each function reads each name."""
        return {name: typed.read(tree) for name, tree in self.functions.items()}

    @cached_property
    def mentions(self) -> dict[str, tuple[list[str], list[str]]]:
        """The fields that each function names, and the functions that it calls."""
        fields = {name: {node.name for node in typed.having(typed.Field, tree)} for name, tree in self.functions.items()}
        return {name: (sorted(fields[name]), sorted({*calls} & self.functions.keys())) for name, calls in self.calls.items()}

    @cached_property
    def calls(self) -> dict[str, list[str]]:
        """What each function calls."""
        return {name: typed.called(tree) for name, tree in self.functions.items()}

    def callers_of(self, names: Iterable[str]) -> frozenset[str]:
        """These functions and all that call them, directly or indirectly."""
        found = set(names)
        while more := {name for name, below in self.calls.items() if name not in found and not found.isdisjoint(below)}:
            found |= more
        return frozenset(found)

    def called_by(self, names: Iterable[str]) -> dict[str, None]:
        """These functions and all that they call, directly or indirectly, as they are met."""
        return reached(names, self.calls.get)

    def text(self) -> str:
        """The program as Python, without docstrings and comments."""
        return "\n\n".join(function.python for function in self.functions.values()) + "\n"


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
    names: dict[str, Any] = {"__name__": ""}
    for name in (name for name in whole.functions if name in needed):
        module = ast.fix_missing_locations(ast.Module([typed.syntax_of(whole.functions[name])], []))
        exec(compile(module, whole.files[name], "exec"), names)
    return names


OWN = __name__.partition(".")[0]


def is_plugin_code(function: Any) -> bool:
    """Whether a function is not Highwater's own, nor made from its own, but a plugin's or a user's."""
    module = getattr(function, "__module__", None) or ""
    return isinstance(function, FunctionType) and module.partition(".")[0] != OWN and not module.startswith(f"{OWN}_mutants_")


def validate_reads_only(program: Program, names: Iterable[str]) -> None:
    """LanguageError when one of these functions, or one that it calls, writes to the state: a property only reads."""
    for name in names:
        for item in program.called_by([name]) if name in program.writers else ():
            for place in typed.written(program.functions[item]):
                through = f", which {name} calls," if item != name else ""
                raise LanguageError(
                    f"{program.files[item]}:{place.line}: {item}{through} writes to {place.text}: a property only reads"
                )


def renamed(node: Any, names: Mapping[str, str]) -> Any:
    """A part of a function in which these names are others."""
    node = typed.with_parts(node, lambda part: renamed(part, names))
    match node:
        case typed.Name(name=name) | typed.Loop(name=name) if name in names:
            return replace(node, name=names[name])
        case typed.Call(function=name) if name in names:
            return replace(node, function=names[name])
        case Function(parameters=parameters):
            return replace(node, parameters=tuple(names.get(name, name) for name in parameters))
    return node


class Checked(NamedTuple):
    """A function that is held to the rules, its file, and the functions that its names mean."""

    tree: Function
    file: str
    meant: dict[str, Any]


@cache
def checked(function: Any) -> Checked:
    """A function, read; LanguageError at the first construct that the language of models does not have."""
    tree, file = parse(function)
    meanings = getattr(function, "__globals__", {})

    def refuse(node: Any, what: str) -> NoReturn:
        raise LanguageError(f"{file}:{getattr(node, 'lineno', tree.lineno)}: {what} in {tree.name}")

    tree = desugared(tree, file, meanings, refuse)
    meant: dict[str, Any] = {}
    wrong: list[tuple[Any, str]] = []

    def meaning(name: str, node: Any) -> int | str | None:
        """The number that a name means, or a name of its own for the function."""
        owner, _, member = name.partition(".")
        value = getattr(node, "member", meanings.get(owner))
        if member:
            if not (isinstance(value, type) and issubclass(value, Choice)):
                return None
            if member not in value.__members__:
                refuse(node, f"{name}, which is not there ({hint(member, value.__members__)}),")
            return int(value[member])
        if name in BUILTINS:
            if name in meanings:
                wrong.append((node, f"{name} is not Python's own in {tree.name}; give it another name"))
        elif isinstance(value, (FunctionType, Rule)):
            while meant.setdefault(name, value) is not value:
                name += "'"
        elif not isinstance(value, int):
            wrong.append((node, f"{name} is neither a model function nor an integer constant"))
        elif MIN_NUMBER <= value <= MAX_NUMBER:
            return int(value)
        else:
            wrong.append((node, f"{name} is beyond 64 bits in {tree.name}"))
        return name

    read = function_of(tree, meaning)
    check(read, tree, file, function)
    for node, what in wrong:
        raise LanguageError(f"{file}:{node.lineno}: {what}")
    return Checked(read, file, {name: meant[name] for name in (*typed.called(read), *meant) if name in meant})


def check(function: Function, tree: ast.FunctionDef, file: str, origin: Any) -> None:
    """Raise LanguageError at the first construct that the language of models does not have."""

    def refuse(line: int, what: str) -> NoReturn:
        raise LanguageError(f"{file}:{line}: {what} in {function.name.partition('__')[0] or function.name}")

    if getattr(getattr(origin, "written", origin), "__closure__", None):
        refuse(tree.lineno, "a closure")
    arguments = tree.args
    more = (arguments.defaults, arguments.vararg, arguments.kwarg, arguments.kwonlyargs, arguments.posonlyargs)
    if any(more) or tree.decorator_list:
        refuse(tree.lineno, "a decorator or more than plain positional parameters")
    local = None if hasattr(origin, "loops_freely") else {*function.parameters, *typed.stored(*function.body)}
    wrong = [(node.line, what) for node in typed.nodes_in(*function.body) if (what := fault(node, local))]
    if wrong:
        refuse(*min(wrong, key=lambda pair: pair[0]))


def fault(node: typed.Node, local: Container[str] | None) -> str:
    """What is not of the language in a node, if that is so; a loop may range over anything where no variables are given."""
    match node:
        case typed.Unknown():
            return what_is(node.source)
        case typed.Number(value=value) if not MIN_NUMBER <= value <= MAX_NUMBER:
            return "a number beyond 64 bits"
        case typed.Call(source=ast.Call(func=ast.Attribute())):
            return what_is(node.source)
        case typed.Call(function="range"):
            return "a range that is not a loop's"
        case typed.Do(value=value) if not isinstance(value, (typed.Call, typed.Unknown)):
            return "an expression whose value is not used"
        case typed.Element(source=ast.Subscript(slice=ast.Tuple() as several)):
            return what_is(several)
        case typed.Loop(ends=ends) if local is not None and not all(typed.is_fixed(end, local) for end in ends):
            return "a loop whose range is neither numbers nor settings; go over all of them, and ask `if` in it,"
    return ""


def what_is(node: Any) -> str:
    """Syntax that the language does not have, in words."""
    match node:
        case ast.Constant(value=value):
            return f"the constant {value!r}"
        case ast.Call() | ast.For(iter=ast.Call(ast.Name("range"), _, [_, *_])):
            return "a call of something other than a named function with plain arguments"
        case ast.For(iter=over) if called(over) != "range":
            return "a loop over something other than a range"
        case ast.For(orelse=[_, *_]):
            return "a loop with an else"
        case ast.For(target=target):
            return what_is(target)
        case ast.Assign():
            return "an assignment to several targets"
        case ast.BinOp(op=op) | ast.UnaryOp(op=op) | ast.AugAssign(op=op):
            return what_is(op)
        case ast.Compare(ops=ops):
            return what_is(next(op for op in ops if type(op) not in SIGNS))
        case ast.Is() | ast.IsNot():
            return "`is` with something other than a member of a Choice, where == compares,"
    return WORDS.get(type(node), f"{type(node).__name__}, which models do not use,")
