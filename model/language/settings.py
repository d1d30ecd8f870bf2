"""Settings: the configuration of a model, declared like its state.

    class Config(Settings):
        brokers = size(3, 1, 7, "brokers, each with a replica of every partition")
        crashes = budget("brokers that stop and lose what was in memory")
        fetch = choice(Fetch)
        epochs = derived(lambda c: c.max_epoch + 1)

Every setting is an integer to compiled code; a choice (`choices`) is `s.config.fetch is Fetch.IN_FLIGHT` in a model, and
`in-flight` to people. A configuration is immutable, comparable and hashable.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, overload

from .choices import Choice, as_value, doc_of, texts_of
from .errors import UsageError, hint

VALUE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,59}")
"""The name of a value of a choice, as traces have it (`traces.text`)."""


class Setting:
    """One setting: its default, its bounds (both included), its meaning and what sort of thing it is."""

    def __init__(self, group: str, default: int, low: int, high: int, doc: str) -> None:
        for number in (default, low, high):
            if not isinstance(number, int):
                raise UsageError(f"a {group} ({doc!s:.60}) has whole numbers as default and bounds, not {number!r:.40}")
        if not low <= default <= high:
            raise UsageError(f"the default of a {group} ({doc!s:.60}), {default}, does not lie between {low} and {high}")
        self.group, self.default, self.low, self.high, self.doc = group, int(default), low, high, doc

    def parse(self, name: str, value: Any) -> int:
        """The integer for what a person wrote."""
        if isinstance(value, str) and value.strip().removeprefix("-").isdecimal() and len(value) < 21:
            value = int(value)
        if isinstance(value, bool) and self.group == "switch":
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise UsageError(f"{name} must be a whole number from {self.low} to {self.high}, not {value!r:.40}")
        if not self.low <= value <= self.high:
            shown = str(value) if abs(value) < 10**12 else "a number of many digits"
            raise UsageError(f"{name} must lie between {self.low} and {self.high}, not {shown}")
        return value

    def show(self, value: int) -> Any:
        """What a person reads for `value`."""
        return value

    def typed(self, value: int) -> int:
        """What a model reads for the number `value`."""
        return value


class Named(Setting):
    """A setting whose values have names. `rows`: of its last values, the versions of rules that they bring (`Rule.under`).

    `members`: the values that are members of a class; a plugin may bring others.
    """

    def __init__(self, names: Sequence[str], doc: str, group: str = "switch", members: Sequence[Choice] = ()) -> None:
        self.names = names_of_values(names, doc)
        super().__init__(group, 0, 0, len(names) - 1, doc)
        self.members = tuple(members)
        self.default = self.typed(0)
        self.rows: tuple[Mapping[str, Callable[..., Any]], ...] = ()

    def extended(self, rows: Mapping[str, Mapping[str, Callable[..., Any]]]) -> "Named":
        """The same with further values: for each its row, the version of a rule by the rule's name."""
        wider = Named((*self.names, *rows), self.doc, self.group, self.members)
        wider.rows = (*self.rows, *rows.values())
        return wider

    def parse(self, name: str, value: Any) -> int:
        if isinstance(value, Choice) and any(value is member for member in self.members):
            return value
        if value in self.names:
            return self.typed(self.names.index(value))
        raise UsageError(f"{name} must be one of {', '.join(self.names)}, not {value!r:.40}")

    def show(self, value: int) -> Any:
        return self.names[value]

    def typed(self, value: int) -> int:
        """The member of this number, if it is one."""
        return self.members[value] if value < len(self.members) else value


def names_of_values(names: Sequence[str], doc: str) -> tuple[str, ...]:
    """The names of a choice's values; UsageError unless each can stand in a trace and on the command line."""
    about = f"a choice ({doc!s:.60})"
    if isinstance(names, str) or not isinstance(names, Sequence) or not names:
        raise UsageError(f"{about} takes a list of names, such as ['all', 'leader'], not {names!r:.40}")
    for name in names:
        if not isinstance(name, str) or not VALUE.fullmatch(name):
            raise UsageError(f"{about} has a value {name!r:.40}: a name has up to 60 letters of ASCII, digits, '_', '.' and '-'")
        if names.count(name) > 1:
            raise UsageError(f"{about} has two values {name!r:.40}; give them different names")
    return tuple(names)


class Derived:
    """A number computed from the settings, for use as a dimension or a bound."""

    def __init__(self, compute: Callable[[Any], int]) -> None:
        self.compute = compute


def size(default: int, low: int, high: int, doc: str) -> int:
    """How large the cluster or its history may grow."""
    return as_value(Setting("size", default, low, high, doc))


def budget(doc: str, default: int = 0, high: int = 9) -> int:
    """How often a fault may happen in one behaviour; 0 switches it off and costs no state."""
    return as_value(Setting("fault", default, 0, high, doc))


def switch(doc: str, default: int = 0) -> int:
    """Something that is on (1) or off (0)."""
    return as_value(Setting("switch", default, 0, 1, doc))


C = TypeVar("C", bound=Choice)


@overload
def choice(values: type[C], doc: str = "", group: str = "switch") -> C: ...


@overload
def choice(values: Sequence[C], doc: str, group: str = "switch") -> C: ...


@overload
def choice(values: Sequence[str], doc: str, group: str = "switch") -> int: ...


def choice(values: Any, doc: str = "", group: str = "switch") -> Any:
    """A setting whose values are the members of a class; the first is the default. Its docstring says what is chosen.

    Instead of a class, its first members; or names, which are numbers to the model.
    """
    if isinstance(values, type) and issubclass(values, Choice):
        return Named(texts_of(values), doc or doc_of(values), group, tuple(values))
    if isinstance(values, tuple) and values and all(isinstance(value, Choice) for value in values):
        return Named(texts_of(values), doc, group, values)
    return Named(values, doc, group)


N = TypeVar("N", bound=int)


def derived(compute: Callable[[Any], N]) -> N:
    """A number that follows from the settings."""
    return as_value(Derived(compute))


LENGTH = "length_"


def length_named(dimension: str | int) -> str:
    """The setting that says how many there are; of a number, the name of one that always is that number."""
    return f"{LENGTH}{dimension}" if isinstance(dimension, int) else dimension


def with_lengths(config: type["Settings"], dimensions: Iterable[str]) -> type["Settings"]:
    """The settings with a derived number for each length that is a number."""
    wanted = [dimension for dimension in dimensions if is_length(dimension) and dimension not in config.computed]
    space: dict[str, Any] = {name: derived(partial(int_of, name)) for name in wanted}
    more = {"__doc__": config.__doc__, "__module__": config.__module__, "__qualname__": config.__qualname__}
    return type(config.__name__, (config,), {**space, **more}) if wanted else config


def is_length(name: str) -> bool:
    """Whether a dimension is a number."""
    return name.startswith(LENGTH) and name.removeprefix(LENGTH).isdecimal()


def int_of(name: str, config: Any) -> int:
    """The number that a length is."""
    return int(name.removeprefix(LENGTH))


def always(value: int, config: Any) -> int:
    """The value that a setting is fixed to."""
    return value


class Settings:
    """Base of a model's configuration. A class below another may fix settings of it (`derived`, or a table `fixed` of values), or
    make one of what is fixed.

    `Config(brokers=2)` takes integers or what people write; unknown names, wrong types and values out of
    range raise UsageError.
    """

    fixed: ClassVar[Mapping[str, int]] = {}
    settings: ClassVar[dict[str, Setting]] = {}
    computed: ClassVar[dict[str, Derived]] = {}

    def __init_subclass__(cls) -> None:
        for name, value in vars(cls).items():
            if isinstance(value, (Setting, Derived)) and (name in Settings.__dict__ or name in ("named", "read")):
                raise UsageError(f"a setting cannot be called {name!r:.40}: every configuration has that; give it another name")
        settings = {n: v for n, v in vars(cls).items() if isinstance(v, Setting)}
        computed = {n: v for n, v in vars(cls).items() if isinstance(v, Derived)}
        computed |= {name: Derived(partial(always, value)) for name, value in vars(cls).get("fixed", {}).items()}
        fixed = {n: v for n, v in computed.items() if n in cls.settings}  # first: others may be computed from them
        cls.computed = {**fixed, **{n: d for n, d in cls.computed.items() if n not in settings}, **computed}
        cls.settings = {**{n: s for n, s in cls.settings.items() if n not in computed}, **settings}
        if not hasattr(cls, "members"):  # of a model without members nothing is renamed
            cls.computed["members"] = Derived(lambda c: 1)

    def __init__(self, /, **given: Any) -> None:
        for name in given:
            if name not in self.settings:
                raise UsageError(f"there is no setting {name!r:.40}; {hint(name, self.settings)}")
        for name, setting in self.settings.items():
            self.__dict__[name] = setting.parse(name, given[name]) if name in given else setting.default
        for name, derivation in self.computed.items():
            self.__dict__[name] = derivation.compute(self)
        self.check()

    def check(self) -> None:
        """Raise UsageError when settings do not fit each other; a model overrides this."""

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a configuration is immutable: use with_({name}=...)")

    if not TYPE_CHECKING:  # a misspelt setting is found by the type checker

        def __getattr__(self, name: str) -> int:
            if is_length(name):
                return int_of(name, self)
            raise AttributeError(f"there is no setting {name}")

    def with_(self, **changes: Any) -> Any:
        """This configuration with some settings changed."""
        return type(self)(**{**self.shown(), **changes})

    def shown(self) -> dict[str, Any]:
        """Every setting as people write it."""
        return {name: s.show(self.__dict__[name]) for name, s in self.settings.items()}

    def sizes(self) -> dict[str, Any]:
        """The sizes, and the faults that can happen, as people write them."""
        groups = {name: setting.group for name, setting in self.settings.items()}
        shown = self.shown().items()
        return {n: v for group in ("size", "fault") for n, v in shown if groups[n] == group and (v or group == "size")}

    def numbers(self) -> Iterator[tuple[str, int]]:
        """What compiled code can read: settings and derived numbers."""
        for name, value in self.__dict__.items():
            yield name, int(value) if isinstance(value, Choice) else value

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(tuple(self.__dict__.values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in self.shown().items())})"


class NoSettings(Settings):
    """The configuration of a model that has nothing to set."""


def in_words(settings: Mapping[str, Any]) -> str:
    """`brokers 2, crashes 1`."""
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in settings.items())


def changed(config: Settings, base: Settings) -> Mapping[str, Any]:
    """The settings in which `config` differs from `base`, as people write them."""
    there = base.shown()
    return {name: value for name, value in config.shown().items() if value != there[name]}


class Watched:
    """A configuration that notes what is read of it: `named` as it stands, `read` with the settings behind derived numbers.

    What runs with it and never reads a setting runs the same whatever that setting is. `given` replaces settings, as integers.
    """

    def __init__(self, config: Settings, given: Mapping[str, int] | None = None) -> None:
        self._config, self._given, self.settings = config, given or {}, config.settings
        self.named, self.read = set[str](), set[str]()

    def __getattr__(self, name: str) -> int:
        self.named.add(name)
        derivation = type(self._config).computed.get(name)
        if derivation is not None:
            return derivation.compute(self)
        self.read.add(name)
        return self.settings[name].typed(self._given[name]) if name in self._given else getattr(self._config, name)
