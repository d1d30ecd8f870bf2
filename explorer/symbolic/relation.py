"""The transition relation of a model under one configuration, and properties over it, as terms."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...model.language.actions import Model
from ...model.language.errors import LanguageError
from ...model.language.kinds import Record, fill, leaves
from ...model.language.reading.program import Program, program, validate_reads_only
from ...model.language.reading.specialise import refuses_always, specialise
from ...model.language.reading.typed_tree import Field, having, is_configuration
from ...model.language.steps import Action
from ...properties.property import SOMETIMES, Property
from .frames import REFUSES_LATE, Obligation
from .interpreter import Interpreter
from .state import domain, fresh, numbered
from .terms import Truth, both, compare, either


@dataclass(frozen=True)
class Instance:
    """An action with its arguments."""

    action: Action
    arguments: tuple[int, ...]

    @property
    def label(self) -> str:
        """`fetch follower=1 leader=0`."""
        return self.action.label(self.arguments)


@dataclass(frozen=True)
class SymbolicStep:
    """One instance, read from any state: when it is enabled, what it leaves, and what its indices demand."""

    instance: Instance
    enabled: Truth
    after: Record
    obligations: tuple[Obligation, ...]


class Relation:
    """A model under one configuration, with the properties that are to be spoken of."""

    def __init__(
        self, model: Model, config: Any, properties: Iterable[Property] = (), measures: Iterable[Callable[..., Any]] = ()
    ) -> None:
        self.model, self.config = model, config
        self.actions = [action for action in model.actions if action.exists(config)]
        versions = [action.version(config) for action in self.actions]
        functions = [*(function for p in properties for function in p.functions), *measures]
        whole = program([*versions, *functions], settings=model.config)
        validate_reads_only(whole, map(whole.name_of, functions))
        validate_settings_name(whole)
        self.has_plugin_code, self.plugin_code = bool(whole.plugin_code), whole.callers_of(whole.plugin_code)
        self.program = specialise(whole, config, model.state)
        kept = self.plugin_code & self.program.writers  # a plugin's action that writes and refuses is not left out
        refused = {
            version for version in versions
            if whole.name_of(version) not in kept and refuses_always(self.program.functions, whole.name_of(version))
        }  # fmt: skip
        self.actions = [action for action in self.actions if action.version(config) not in refused]  # by the settings alone
        self.empty = model.state(config)
        self.before = fresh(self.empty, "")
        self.domain = domain(self.before)
        self.following = fresh(self.empty, "next.")
        self.variables, self.numbers = leaves(self.before), numbered(self.before)
        self.known: dict[tuple[str, tuple[int, ...]], tuple[Truth, set[int]]] = {}

    def fresh(self, prefix: str) -> Any:
        """Another state about which nothing is known."""
        return fresh(self.empty, prefix)

    def step(self, instance: Instance, state: Record | None = None) -> SymbolicStep:
        """The instance, taken in `state` or in any."""
        reader = Interpreter(self.program)
        before = self.before if state is None else state
        after = before.copy()
        name = self.program.name_of(instance.action.version(self.config))
        enabled = reader.truth(name, after, *instance.arguments)
        obligations = [*reader.obligations, *self._refuses_first(instance, name, before)]
        return SymbolicStep(instance, enabled, after, tuple(obligations))

    def _refuses_first(self, instance: Instance, name: str, state: Record) -> Iterator[Obligation]:
        """A plugin's action that refuses has written nothing."""
        if name in self.plugin_code and not instance.action.rolls_back:
            after = state.copy()
            enabled = Interpreter(self.program, guards_first=False).truth(name, after, *instance.arguments)
            same = both(compare("==", old, new) for old, new in zip(leaves(state), leaves(after), strict=True) if old is not new)
            line = self.program.functions[name].line
            yield Obligation(self.program.files[name], line, REFUSES_LATE, either([enabled, same]))

    def says(self, claim: Property, state: Record, after: Record | None = None) -> Truth:
        """The property of a state, or of a step.

        Most actions write few variables. For values of its parameters with which it looks up nothing that differs from `before`,
        the property says what it says of `before`: it is not read again.
        """
        states: list[Any] = [state, after] if claim.over_steps else [state]
        values, name = [leaves(part) for part in states if part is not self.before], self.program.name_of(claim.function)
        truths = []
        for binding in claim.bindings(self.config):
            truth, looked = self.of_before(name, binding, len(states))
            if not all(some[number] is self.variables[number] for some in values for number in looked):
                truth = Interpreter(self.program).truth(name, *states, *binding)
            truths.append(truth)
        return either(truths) if claim.kind == SOMETIMES else both(truths)

    def of_before(self, name: str, binding: tuple[int, ...], states: int) -> tuple[Truth, set[int]]:
        """What a property says of `before`, or of a step that leaves it; and the numbers of what is looked up for that."""
        if (name, binding) not in self.known:
            reader = Interpreter(self.program)
            truth = reader.truth(name, *[self.before] * states, *binding)
            self.known[name, binding] = truth, {self.numbers[id(holder), key] for _, holder, key in reader.looked}
        return self.known[name, binding]

    def obligations_of(self, claim: Property) -> tuple[Obligation, ...]:
        """What the indices of the property demand in any state, or in `before` and `following`."""
        return self.read(claim, self.before, self.following)[1]

    def read(self, claim: Property, state: Record, after: Record | None = None) -> tuple[Truth, tuple[Obligation, ...]]:
        """What the property says of a state, or of a step, and what its indices demand."""
        states = [state, after] if claim.over_steps else [state]
        reader, name = Interpreter(self.program), self.program.name_of(claim.function)
        truths = [reader.truth(name, *states, *binding) for binding in claim.bindings(self.config)]
        return either(truths) if claim.kind == SOMETIMES else both(truths), tuple(reader.obligations)

    def state_of(self, numbers: Sequence[int]) -> Any:
        """The plain state of these cells."""
        return fill(self.empty.copy(), numbers)

    @property
    def renames(self) -> bool:
        """Whether a proof for some values of parameters is one for those that are named otherwise."""
        return not self.has_plugin_code and not self.model.asymmetry(self.config)

    def instances(self, up_to_renaming: bool = True) -> Iterator[Instance]:
        """Every action with its arguments; up to a renaming of members one of each kind is enough.

        That is sound where members are only compared, stored and used as indices: a proof for one instance becomes the
        proof for another when all members are renamed. Highwater's own models promise that (`Model.asymmetry`). A plugin
        promises it of all instances of an action together: with `if node <= other: return False` one of two does nothing.
        """
        rename = up_to_renaming and self.renames
        for action in self.actions:
            values = action.instances(self.config)
            yield from (Instance(action, arguments) for arguments in (one_of_each(action, values) if rename else values))


def validate_settings_name(whole: Program) -> None:
    """LanguageError where the settings have another name: what is read of it looks like a variable."""
    for name in whole.functions:
        fields = having(Field, whole.functions[name])
        direct = {id(node.owner) for node in fields}
        for node in fields:
            if is_configuration(node) and id(node) not in direct:
                place = f"{whole.files[name]}:{node.line}"
                raise LanguageError(f"{place}: the prover does not know {node.text} without a setting behind it in {name}")


def one_of_each(action: Action | Property, values: Iterable[tuple[int, ...]]) -> Iterable[tuple[int, ...]]:
    """Of the arguments of an action, or the values of a property, the first of those that are the same but for members' names."""
    found: dict[tuple[int, ...], tuple[int, ...]] = {}
    for arguments in values:
        names: dict[int, int] = {}
        pairs = zip(action.dimensions, arguments, strict=True)
        found.setdefault(tuple(names.setdefault(n, len(names)) if of == "members" else n for of, n in pairs), arguments)
    return found.values()
