"""The documents of commands that explore, as types: see `documents`."""

from typing import Any, NotRequired, TypedDict

Settings = dict[str, Any]
"""A model's settings by name; choices by the names of their values."""


class About(TypedDict):
    """Which model was asked; `model_version`: a digest of its text."""

    model: str
    model_version: str
    revision: str
    config: Settings


class Head(About):
    """The same, with the engine that answered."""

    engine: str


class ActionCounted(TypedDict):
    """How often an action was enabled, was taken, and found a new state."""

    name: str
    enabled: int
    taken: int
    new_states: int


class FindingEntry(TypedDict):
    """One property. `trace`: the path of its file; `lost_states`: of a property of progress; `expected`: in `matrix`.

    Of a violation also why, who witnesses it and the sentences below that, for each action of the trace its place in design and
    Kafka, the step that violates, the first step of the cause, and the recorded scenario that it is like."""

    name: str
    kind: str
    verdict: str
    depth: int | None
    steps: int | None
    trace: str | None
    lost_states: NotRequired[int]
    why: NotRequired[str]
    witness: NotRequired[Settings]
    explanation: NotRequired[list[str]]
    actions: NotRequired[dict[str, str]]
    violated_at: NotRequired[int]
    since: NotRequired[int | None]
    scenario: NotRequired[str | None]
    expected: NotRequired[str | None]


class LeftOutEntry(TypedDict):
    """A fault that never happens, or steps that are one unless the setting is what it `needs`; and known issues that need it."""

    setting: str
    needs: str
    issues: list[str]


class ExpectedEntry(TypedDict):
    """How many states a run was expected to have, and between which numbers, by the growth of its first `levels`; `ended_by`:
    what would end it before that."""

    states: int
    low: int
    high: int
    levels: int
    ended_by: str


class Checked(Head):
    """`check`. `complete_levels`: those whose states were all checked; `levels`: new states of each; `explored`: where it began,
    if not in the initial states; `resumed_states`: found by the run that this one continued; `collision_probability`: that a
    state was missed because another has its fingerprint; `says_nothing_of`, `unmodelled`, `absent`: what the verdict does not
    speak of; `promises`: of the model, on which the verdict rests; `expected`: where the run was expected not to fit."""

    verdict: str
    complete: bool
    stopped_by: str | None
    complete_levels: int
    distinct_states: int
    states_outside_constraint: int
    transitions: int
    depth: int
    levels: list[int]
    seconds: float
    cpu_seconds: float
    compile_seconds: float
    initial_seconds: float
    explored: str | None
    resumed_states: int
    bytes_per_state: float
    threads: int
    symmetry: bool
    promises: list[str]
    says_nothing_of: list[LeftOutEntry]
    unmodelled: list[str]
    absent: list[str]
    exact: bool
    collision_probability: float
    expected: ExpectedEntry | None
    remarks: list[str]
    properties: list[FindingEntry]
    actions: list[ActionCounted]


class MatrixDocument(TypedDict):
    """`matrix`: one entry for each model and revision; `differences`: a sentence for each verdict that was not expected."""

    revisions: list[Checked]
    differences: list[str]


class WalkEntry(TypedDict):
    """One property; `steps`: of the shrunk trace; `seed`: of the walk that found it."""

    name: str
    kind: str
    verdict: str
    depth: int | None
    steps: int | None
    trace: str | None
    seed: int | None
    why: str | None
    witness: Settings | None


class Walked(Head):
    """`walk`."""

    verdict: str
    complete: bool
    walks: int
    length: int
    seed: int
    transitions: int
    seconds: float
    properties: list[WalkEntry]
    actions: list[ActionCounted]


class FuzzedDocument(Head):
    """`fuzz`. `violated`: a property; `known`: the corpus had it; `rules`: steps of a run, at most."""

    verdict: str
    complete: bool
    runs: int
    rules: int
    seed: int | None
    transitions: int
    seconds: float
    violated: str | None
    steps: int | None
    known: bool
    trace: str | None
    why: str | None
    witness: Settings | None
    notes: list[str]


class ReplayedDocument(TypedDict):
    """`replay`. `ran`: steps that could be taken; `mismatch`: why the next could not; `doubt`: why a trace about progress does
    not show it; `broken`: violated properties, each with its step; `witnessed`: the step that shows what the trace is about."""

    model: str
    revision: str
    property: str | None
    steps: int
    ran: int
    verdict: str
    mismatch: str | None
    doubt: str | None
    broken: dict[str, int]
    witnessed: int | None
    why: str | None
    witness: Settings | None
    explanation: list[str]


class RuleEntry(TypedDict):
    """`guards`: a rule, what was done to it, what was violated then, and at which size; of a survivor how many states `more`."""

    function: str
    place: str
    kind: str
    rule: str
    verdict: str
    property: str | None
    steps: int | None
    size: Settings | None
    more: int


class VariedRepair(TypedDict):
    """A repair of the catalogue, and whether it was varied."""

    name: str
    setting: str
    value: Any
    sentence: str
    row: str
    source: str
    release: str
    where: str
    only_adds: bool
    when_named: bool
    before: Any
    since: str
    until: str
    varied: bool


class MinimalSet(TypedDict):
    """`repairs`: a minimal set without one of its repairs, and the counterexample that it then has."""

    set: list[str]
    depth: int | None
    steps: int | None
    trace: str | None
    verdict: str


class WithoutRepair(TypedDict):
    """The shortest of the counterexamples that `each` minimal set has without one repair."""

    depth: int | None
    steps: int | None
    trace: str | None
    each: list[MinimalSet]


class WithAll(TypedDict):
    """With every repair, where no set of them is enough."""

    verdict: str
    depth: int | None
    trace: str | None


class SetCounts(TypedDict):
    """Sets of repairs that were `explored`, `shown` violated by a trace, left out `above` a minimal set, `inapplicable`."""

    explored: int
    shown: int
    above: int
    inapplicable: int


class RepairedEntry(SetCounts):
    """One property."""

    name: str
    minimal_sets: list[list[str]]
    without: dict[str, WithoutRepair]
    with_all: WithAll | None
    complete: bool


class Repaired(About):
    """`repairs`. `method`: what the words of the counts mean."""

    repairs: list[VariedRepair]
    sets: int
    not_applicable: list[str]
    explorations: int
    method: dict[str, str]
    properties: list[RepairedEntry]
    complete: bool
    seconds: float


class SweptProperty(TypedDict):
    """One property at one point."""

    name: str
    kind: str
    verdict: str
    depth: int | None


class PointEntry(TypedDict):
    """One point of the grid; `file`: of the table. What follows `explored` is there when it was."""

    varied: Settings
    file: str
    explored: bool
    complete: NotRequired[bool]
    stopped_by: NotRequired[str | None]
    refused: NotRequired[str | None]
    promises: NotRequired[list[str]]
    states: NotRequired[int]
    transitions: NotRequired[int]
    depth: NotRequired[int]
    seconds: NotRequired[float]
    properties: NotRequired[list[SweptProperty]]


class Swept(TypedDict):
    """`sweep`; `table`: the folder or URI of the Parquet files."""

    table: str
    points: list[PointEntry]


class OnMachine(TypedDict):
    """What a run takes on this machine; memory and disk in bytes."""

    how: str
    seconds: float
    core_hours: float
    memory: int
    disk: int


class OnExecutors(TypedDict):
    """A simulated run; `phases`: seconds of each; `failed`: executors; `broken`: what does not fit."""

    executors: int
    cores: int
    seconds: float
    phases: dict[str, float]
    bytes_to_the_driver: int
    shards: int
    failed: int
    broken: str | None


class Estimated(About):
    """`estimate`: distinct states, and between which numbers they are expected; `largest`: states of the largest configuration
    that was explored for it; `steps`: between the configuration and the nearest of those."""

    states: int | None
    low: int | None
    high: int | None
    transitions: int | None
    levels: int | None
    largest: int | None
    steps: int | None
    here: list[OnMachine]
    executors: list[OnExecutors]
