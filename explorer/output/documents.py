"""What each command writes with `--json`, as types: the type checker compares them with what is written, and
`highwater schema COMMAND` prints them as JSON Schema.

Times are seconds. Depths count levels, and the initial states are level 1; `steps` are one fewer. What does not apply, or was not
asked for, is null.
"""

from typing import Any, TypedDict

from .documents_explored import (
    Checked,
    Estimated,
    FuzzedDocument,
    Head,
    MatrixDocument,
    Repaired,
    ReplayedDocument,
    RuleEntry,
    Settings,
    Swept,
    Walked,
)


class Asked(TypedDict):
    """A question of a proof, and its answer."""

    name: str
    verdict: str


class ProvedAction(Asked):
    """Whether an action keeps the goals. `breaks`: those that it does not; `vacuous`: it is never taken where the lemmas hold."""

    seconds: float
    breaks: list[str]
    lemmas_used: list[str]
    vacuous: bool


class Induction(TypedDict):
    """A counterexample to induction: a state in which all lemmas hold, and a step after which a goal does not; `told`: in words.
    With a run directory: the level on which the first state was met, and after how many steps the run violates the goal."""

    goal: str
    step: str
    met_on_level: int | None
    violated_in_run_after: int | None
    told: list[str]


class RankedEntry(Asked):
    """Progress by a ranking."""

    measures: list[str]
    helpful: list[str]
    seconds: float
    questions: int
    fails_at: list[str]
    counterexamples: list[list[str]]


class AnySize(TypedDict):
    """How many of the questions lie in the decidable fragment, and the places whose values are taken for anything."""

    decidable: int
    questions: int
    unread: list[str]


class GuardEntry(TypedDict):
    """A guard, and what is violated, or not, without it."""

    action: str
    line: int
    test: str
    guard: str


class Proved(Head):
    """`prove`. `indices`, `refusals`: places of the model where an index is in range and nothing is refused."""

    verdict: str
    promises: list[str]
    properties: list[str]
    lemmas: list[str]
    seconds: float
    initial: list[Asked]
    actions: list[ProvedAction]
    counterexamples: list[Induction]
    indices: dict[str, str]
    refusals: dict[str, str]
    progress: list[RankedEntry]
    any_size: AnySize | None
    guards: list[GuardEntry]


class BoundedEntry(TypedDict):
    """One property, up to so many levels; `steps`: labels of a shortest counterexample."""

    name: str
    verdict: str
    depth: int | None
    complete_to: int
    seconds: float
    steps: list[str]


class ProvedBounded(Head):
    """`prove --bounded`."""

    steps: int
    properties: list[BoundedEntry]


Failover = TypedDict(
    "Failover",
    {
        "failover": str, "reads": int, "writes": int, "notices": int, "requests": int,
        "remote calls": int, "writes in sequence": int, "seconds": float,
    },
)  # fmt: skip
Failover.__doc__ = "Operations of a failover: the cheapest or the dearest."


class Costs(TypedDict):
    """`cost`."""

    model: str
    revision: str
    settings: Settings
    failovers: list[Failover]


class PropertyAtEnd(TypedDict):
    """A property at the end of a run; `steps`: after how many it was violated or witnessed."""

    name: str
    verdict: str
    steps: int | None


class EndedRun(TypedDict):
    """How a run ended. `stopped_by`: the bound that ended it, else null."""

    verdict: str
    sentence: str
    complete: bool
    stopped_by: str | None
    properties: list[PropertyAtEnd]


class VerifiedRun(TypedDict):
    """`verify`. `wrong`, `unread`: a sentence for each file that is damaged, or cannot be read now; `sound`: the last level that
    rests on none of them; `ended`: how the run ended, null where that is not recorded."""

    shown: str
    about: Settings
    levels: int
    states: int
    files: int
    wrong: list[str]
    unread: list[str]
    sound: int
    ended: EndedRun | None
    verdict: str


class FunctionEntry(TypedDict):
    """`source`: a function as a revision runs it; `kafka`: the classes and methods that it is about."""

    name: str
    action: bool
    file: str
    line: int
    kafka: list[str]
    text: str


class Found(TypedDict):
    """`where`: a place of the model."""

    name: str
    place: str
    what: str


class ReleaseRow(TypedDict):
    """`releases`: a revision, the releases that it describes, and what it violates at the default sizes."""

    releases: str
    under: str
    model: str
    revision: str
    violated: list[str]


class ReleaseDifference(TypedDict):
    """A repair that the release has and the revision has not, or the other way round."""

    repair: str
    source: str
    has: bool
    what: str


class KnownViolation(TypedDict):
    """A scenario that the release violates, and the command that finds a shortest counterexample."""

    scenario: str
    property: str
    command: str


class LackedRepair(TypedDict):
    """A later repair."""

    repair: str
    source: str
    first_release: str
    what: str


class ReleaseDocument(TypedDict):
    """`releases VERSION`; `checked_by`: the flags of `check` that choose it."""

    release: str
    under: str
    model: str
    revision: str
    releases_of_the_revision: str
    what_it_changed: str
    checked_by: str
    settings: Settings
    differences: list[ReleaseDifference]
    violated_at_default_sizes: list[str]
    known_violations: list[KnownViolation]
    lacks: list[LackedRepair]


class PerformedDifference(TypedDict):
    """A fact on which model and broker differ, as each has it."""

    part: str
    fact: str
    model: str
    broker: str


class Performed(TypedDict):
    """`perform`: one trace on real brokers. `known`: a reason that is known for the difference; `ends`: how processes ended;
    `acknowledged`: by record, what its producer was told."""

    release: str
    revision: str
    steps: int
    ran: int
    verdict: str
    refused: str | None
    mismatch: str | None
    differences: list[PerformedDifference]
    known: str | None
    ends: list[str]
    acknowledged: dict[str, int]
    seconds: float


class PerformedWalks(TypedDict):
    """`perform --walks`; `refused`, `differences`: how many walks, by reason; `unexplained`: their seeds."""

    release: str
    brokers: int
    walks: int
    steps: int
    agreed: int
    refused: dict[str, int]
    differences: dict[str, int]
    unexplained: list[int]


class ObservedRun(TypedDict):
    """`observe`. `explained`: events that the best attempt explains; `next`: what it does not; `steps`: a behaviour that fits."""

    verdict: str
    events: int
    explained: int
    next: list[str]
    states: int
    steps: list[str]
    stopped_by: str | None


Entry = dict[str, str | int | None]
"""`list`: an entry's fields are the headings of its table."""

Figures = dict[str, list[dict[str, Any]]]
"""`bench`: the entries of each table."""

DOCUMENTS: dict[str, tuple[Any, ...]] = {
    "bench": (Figures,),
    "check": (Checked,),
    "cost": (Costs,),
    "estimate": (Estimated,),
    "fuzz": (FuzzedDocument,),
    "guards": (list[RuleEntry],),
    "list": (list[Entry],),
    "matrix": (MatrixDocument,),
    "observe": (ObservedRun,),
    "perform": (Performed, list[Performed], PerformedWalks),
    "prove": (Proved, ProvedBounded),
    "releases": (list[ReleaseRow], list[ReleaseDocument]),
    "repairs": (Repaired,),
    "replay": (ReplayedDocument,),
    "source": (list[FunctionEntry],),
    "sweep": (Swept,),
    "verify": (VerifiedRun,),
    "walk": (Walked,),
    "where": (list[Found],),
}
"""By command; more than one where it depends on the question."""
