"""What an exploration found, and how much of the state space it is about."""

import builtins
from dataclasses import dataclass, field
from typing import Any

from ..model.language.actions import Model
from ..model.language.around import OUTSIDE
from ..model.language.steps import FAULT, STRONG, WEAK
from ..properties.explain import Explanation, explain
from ..properties.property import ALWAYS, RECOVERABLE, Property
from ..traces.trace import Trace

HOLDS, VIOLATED, INCOMPLETE = "holds", "violated", "incomplete"
WITNESSED, NEVER, NOT_APPLICABLE = "witnessed", "never witnessed", "not applicable"
NOTHING_CHECKED = "nothing checked"

EXIT_HOLDS, EXIT_DEADLOCK, EXIT_VIOLATED, EXIT_NEVER, EXIT_NONCONFORMANT, EXIT_INCOMPLETE = 0, 11, 12, 15, 17, 20
EXIT_STUCK, EXIT_NOT_INDUCTIVE, EXIT_USAGE, EXIT_MODEL, EXIT_INTERRUPTED, EXIT_CRASH = 13, 16, 2, 75, 130, 255
EXIT_TERMINATED = 143
MEANING = {
    EXIT_HOLDS: "all properties hold, and the exploration was complete",
    EXIT_USAGE: "bad input",
    EXIT_DEADLOCK: "deadlock",
    EXIT_VIOLATED: "a property is violated",
    EXIT_STUCK: "a property of progress is violated",
    EXIT_NEVER: "a `sometimes` property was never witnessed",
    EXIT_NOT_INDUCTIVE: "a property is not inductive",
    EXIT_NONCONFORMANT: "a trace does not fit the model",
    EXIT_INCOMPLETE: "inconclusive: a bound ended the exploration, there was no property to check, or Z3 does not know",
    EXIT_MODEL: "the model itself failed",
    EXIT_INTERRUPTED: "interrupted before there was anything to report",
    EXIT_TERMINATED: "ended by SIGTERM before there was anything to report: no file is written",
    EXIT_CRASH: "a defect of Highwater",
}
"""What each exit code says."""

NO_DEADLOCK = "no_deadlock"
"""What a trace to a deadlock is about: some action is enabled in every state."""


def no_deadlock(s: Any) -> bool:
    """Some action is enabled in every state."""
    return True


NEVER_STUCK = Property(NO_DEADLOCK, ALWAYS, no_deadlock, None, lambda config: True, "")
"""A stand-in, for reports, for the property that a deadlock violates; searches look for that themselves."""


@dataclass
class Finding:
    """The result for one property: its verdict, the depth at which it is violated or witnessed, the trace.

    Depths are levels; the initial state is level 1. A property that was not violated holds only as far as the
    exploration went. `lost_states`: for recoverable properties, the number of states from which the goal cannot be reached.
    """

    property: Property
    verdict: str
    depth: int | None = None
    trace: Trace | None = None
    trace_path: str | None = None
    explanation: Explanation | None = None
    lost_states: int | None = None

    def claim(self) -> Property | None:
        """What its trace is about; None: that nothing is enabled any more."""
        return None if self.property.name == NO_DEADLOCK else self.property

    def explained(self, model: Model) -> Explanation | None:
        """Why it is violated, of a violation that has a trace; worked out when it is first asked for."""
        if self.explanation is None and self.trace is not None and self.verdict == VIOLATED:
            self.explanation = explain(self.trace, model, self.claim())
        return self.explanation

    @builtins.property
    def steps(self) -> int | None:
        """After how many steps it is violated or is witnessed: the length of the shortest trace that shows it."""
        return self.depth - 1 if self.depth is not None else None


MEMORY, DISK = "memory", "the disk"
"""What ends a run that has no bound."""


@dataclass(frozen=True)
class Expected:
    """Said of a run before it goes on, by the growth of its first `levels`: about how many states it has, and between which
    numbers; `ended_by`: what ends it before that; `needs`: what they need of that, in words."""

    states: int
    low: int
    high: int
    levels: int
    ended_by: str
    needs: str

    def __str__(self) -> str:
        return (
            f"by the growth of {self.levels} levels about {self.states:.0e} states are expected"
            f" ({self.low:.0e} to {self.high:.0e}){self.needs}: {self.ended_by} will probably end this run"
        )


@dataclass
class ActionCount:
    """How often one action was enabled, was taken, and found a new state."""

    name: str
    enabled: int = 0
    taken: int = 0
    new_states: int = 0


@dataclass
class Outcome:
    """The result of a run.

    `stopped` names the bound that ended it, and is empty when everything reachable was seen or a violation
    ended it; all states of the first `whole_levels` were checked. `collision_probability`: that some state was
    missed because another has its fingerprint. `resumed`: how many of the states an earlier run had found; `seconds` counts
    only the time since then. `begun`: where the exploration began, if not in the initial states. `kept_in`: the run
    directory, if there is one. `expected`: its size, where it was expected not to fit. `remarks`: sentences on what happened
    beside it, such as a lock that was taken over.
    """

    model: Model
    revision: str
    config: Any
    findings: list[Finding]
    actions: list[ActionCount]
    levels: list[int]
    transitions: int
    complete: bool
    stopped: str = ""
    whole_levels: int = 0
    deadlock: Finding | None = None
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    compile_seconds: float = 0.0
    initial_seconds: float = 0.0
    bytes_per_state: float = 0.0
    collision_probability: float = 0.0
    symmetry: bool = False
    exact: bool = False
    threads: int = 1
    engine: str = "breadth-first"
    looked_for_deadlock: bool = False
    resumed: int = 0
    begun: str = ""
    kept_in: str = ""
    expected: Expected | None = None
    remarks: list[str] = field(default_factory=list)

    @property
    def ended_by(self) -> str:
        """The bound that ended it, and how many of its seconds went to compiling; empty where none did."""
        if not self.stopped.endswith("seconds") or self.engine == "spark":
            return self.stopped
        if not self.levels or not self.compile_seconds:
            return f"{self.stopped}, which passed while its code was compiled,"
        spent = f", of which {self.compile_seconds:.0f} went to compiling," if self.compile_seconds >= 1 else ""
        return f"{self.stopped}{spent}"

    @property
    def distinct_states(self) -> int:
        """States seen, each once."""
        return sum(self.levels)

    @property
    def outside(self) -> int:
        """Of these, the states outside the model's constraint: they were checked, and not expanded."""
        return sum(action.enabled for action in self.actions if action.name == OUTSIDE and self.model.constraint)

    @property
    def depth(self) -> int:
        """The number of levels; the initial state is level 1."""
        return len(self.levels)

    @property
    def promises(self) -> list[str]:
        """What the model promises, and the verdict rests on: nothing in the model could show that it is so.

        Symmetry, where members are renamed. Of properties of progress that are decided: fairness, which steps a system does
        not put off for ever, and faults, which steps and budgets are not.
        """
        kinds = {f.property.kind for f in self.findings if f.property.of_progress and f.verdict in (HOLDS, VIOLATED, NEVER)}
        fair = kinds - {RECOVERABLE} and any(action.fairness in (WEAK, STRONG) for action in self.model.actions)
        budgets = any(setting.group == "fault" for setting in self.model.config.settings.values())
        faults = kinds and (budgets or any(action.fairness == FAULT for action in self.model.actions))
        named = {"symmetry": self.symmetry, "fairness": fair, "faults": faults}
        return [name for name, rests_on in named.items() if rests_on]

    @property
    def reported(self) -> list[Finding]:
        """The findings, and what is known of deadlocks where they were looked for."""
        if not self.looked_for_deadlock:
            return self.findings
        return [*self.findings, self.deadlock or Finding(NEVER_STUCK, HOLDS if self.complete else INCOMPLETE)]

    @property
    def violated(self) -> list[Finding]:
        """The findings that violate a property that must hold."""
        return [f for f in self.findings if f.verdict == VIOLATED]

    @property
    def verdict(self) -> str:
        """`holds` only when everything was explored, something was checked, and all of it holds or was witnessed."""
        if self.violated or self.deadlock is not None:
            return VIOLATED
        if not self.looked_for_deadlock and all(f.verdict == NOT_APPLICABLE for f in self.findings):
            return NOTHING_CHECKED
        if not self.complete:
            return INCOMPLETE
        return NEVER if self.never_witnessed else HOLDS

    @property
    def never_witnessed(self) -> list[Finding]:
        """The findings on states or steps that should be reachable, and are not."""
        return [f for f in self.findings if f.verdict == NEVER]

    def exit_code(self, allow_incomplete: bool = False) -> int:
        """A violation outranks an inconclusive result, which outranks success; safety outranks progress."""
        if any(not f.property.of_progress for f in self.violated):
            return EXIT_VIOLATED
        if self.deadlock is not None:
            return EXIT_DEADLOCK
        if self.violated:
            return EXIT_STUCK
        if self.verdict in (INCOMPLETE, NOTHING_CHECKED):
            return EXIT_HOLDS if allow_incomplete else EXIT_INCOMPLETE
        return {HOLDS: EXIT_HOLDS, NEVER: EXIT_NEVER}[self.verdict]


def collision_probability(states: int, bits: int = 64) -> float:
    """An upper bound of the chance that two of this many states share a fingerprint of this many bits."""
    return min(1.0, states * (states - 1) / 2 / 2.0**bits)
