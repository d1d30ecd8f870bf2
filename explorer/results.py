"""What the functions of `library` answer: results that are true or false, and that print the report of their command."""

import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from html import escape

from rich.console import Console

from ..model.language.actions import Model
from ..model.language.errors import UsageError
from ..properties.explained_document import document_of
from ..traces.pictures.poster import poster
from ..traces.trace import Trace
from .command_line.fuzz import print_result
from .command_line.walk import print_walks
from .local.random_walk import Walks
from .output.proof_report import print_proof
from .output.report import print_outcome, shortest
from .output.tables import console_for
from .request import Request
from .stateful.session import FuzzResult
from .symbolic.proof import VERDICTS, Proof
from .symbolic.solving import PROVED
from .trace_files import text_of
from .verdict import HOLDS, INCOMPLETE, VIOLATED, Finding, Outcome

WIDTH = 100


class Shown(ABC):
    """What is printed as a report, and drawn in a notebook with its counterexample.

    `verdict`: in a word. `verdicts`: that of each property, by name.
    """

    verdict: str
    verdicts: dict[str, str]

    def __init__(self, model: Model, revision: str) -> None:
        self.model, self.revision = model, revision

    @property
    def tried(self) -> bool:
        """Whether anything was looked at: time may be over before that."""
        return True

    @abstractmethod
    def trace(self, name: str = "") -> Trace | None:
        """The counterexample to a property, or the shortest of all; None where there is none."""

    @abstractmethod
    def report(self, out: Console) -> None:
        """Print what people read."""

    @abstractmethod
    def counted(self) -> str:
        """How much was seen, for `repr`."""

    def steps(self, name: str) -> int | None:
        """The length of the trace of a property; None when there is none."""
        found = self.trace(name)
        return None if found is None else len(found.steps)

    def __str__(self) -> str:
        return printed(self.report)

    def __repr__(self) -> str:
        return f"<{self.model.name} {self.revision}: {self.verdict}, {self.counted()}>"

    def _repr_html_(self) -> str:
        trace = self.trace()
        picture = poster(document_of(trace, self.model, choices=False)) if trace else ""
        return f"<pre>{escape(str(self))}</pre>{picture}"


class Result(Shown):
    """What `check` found. It is true when the verdict is `holds`.

    `states`, `transitions`, `depth`: counts, the initial states at depth 1. `complete`: everything reachable was explored.
    `outside`: the states outside the model's constraint.
    """

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.model, outcome.revision)
        self.outcome = outcome
        self.verdict, self.complete = outcome.verdict, outcome.complete
        self.verdicts = {finding.property.name: finding.verdict for finding in outcome.reported}
        self.states, self.transitions, self.depth = outcome.distinct_states, outcome.transitions, outcome.depth
        self.outside = outcome.outside

    def __bool__(self) -> bool:
        return self.verdict == HOLDS

    def steps(self, name: str) -> int | None:
        """The length of the shortest trace that violates or witnesses a property; None when there is none."""
        return self._finding(name).steps

    def trace(self, name: str = "") -> Trace | None:
        """The counterexample to a property, or the shortest of all; None when there is none."""
        found = self._finding(name) if name else shortest(self.outcome)
        return found.trace if found else None

    def _finding(self, name: str) -> Finding:
        named = {finding.property.name: finding for finding in self.outcome.reported}
        validate_known(name, named)
        return named[name]

    def report(self, out: Console) -> None:
        """The report of `highwater check`."""
        trace = self.trace()
        print_outcome(out, self.outcome, self.model, text_of(trace, self.model) if trace else "", False, False, None)

    def counted(self) -> str:
        """How many states there are."""
        return f"{self.states:,} states"


class Walked(Shown):
    """What `walk` found. It is true when no walk violated a property, which proves nothing."""

    def __init__(self, walks: Walks, subject: Request, length: int, seed: int) -> None:
        super().__init__(subject.model, subject.revision)
        self.outcome, self.subject, self.length, self.seed = walks, subject, length, seed
        self.walks, self.transitions = walks.walks, walks.steps
        self.verdict = VIOLATED if walks.broken else INCOMPLETE
        self.verdicts = {claim.name: VIOLATED if claim.name in walks.broken else INCOMPLETE for claim in subject.applicable}

    def __bool__(self) -> bool:
        return not self.outcome.broken

    @property
    def tried(self) -> bool:
        """Whether there was time to walk."""
        return self.walks > 0

    def trace(self, name: str = "") -> Trace | None:
        """The shrunk walk that violates a property, or the shortest of all; None when there is none."""
        if name:
            validate_known(name, self.verdicts)
            return self.outcome.broken.get(name)
        return min(self.outcome.broken.values(), key=lambda finding: len(finding.steps), default=None)

    def report(self, out: Console) -> None:
        """The report of `highwater walk`."""
        print_walks(out, self.outcome, self.subject, self.length, self.seed, {})

    def counted(self) -> str:
        """How much was walked."""
        return f"{self.walks:,} walks"


class Fuzzed(Shown):
    """What `fuzz` found. It is true when nothing was violated, which proves nothing."""

    def __init__(self, found: FuzzResult, subject: Request) -> None:
        super().__init__(subject.model, subject.revision)
        self.outcome, self.subject = found, subject
        self.runs, self.transitions = found.runs, found.steps
        self.verdict = VIOLATED if found.violated else INCOMPLETE
        self.verdicts = {claim.name: VIOLATED if claim.name == found.violated else INCOMPLETE for claim in subject.applicable}

    def __bool__(self) -> bool:
        return not self.outcome.violated

    @property
    def tried(self) -> bool:
        """Whether there was time to take a step."""
        return self.transitions > 0 or not self

    def trace(self, name: str = "") -> Trace | None:
        """The shrunk behaviour that violates a property; None when there is none."""
        if name:
            validate_known(name, self.verdicts)
        return self.outcome.trace if name in ("", self.outcome.violated) else None

    def report(self, out: Console) -> None:
        """The report of `highwater fuzz`."""
        print_result(out, self.outcome, self.subject, vary=False)

    def counted(self) -> str:
        """How much was played."""
        return f"{self.runs:,} behaviours"


class Proved(Shown):
    """What `prove` found. It is true when everything is proved: in every reachable state, at any depth, at these sizes."""

    def __init__(self, proof: Proof) -> None:
        super().__init__(proof.request.model, proof.request.revision)
        self.outcome, self.verdict = proof, VERDICTS[proof.verdict]
        progress = [claim for claim, _ in proof.request.progress]
        self.verdicts = {claim.name: self.verdict for claim in (*proof.request.properties, *progress)}

    def __bool__(self) -> bool:
        return self.outcome.verdict == PROVED

    def trace(self, name: str = "") -> Trace | None:
        """None: a counterexample to induction is two states, which the report shows; they need not be reachable."""
        return None

    def report(self, out: Console) -> None:
        """The report of `highwater prove`."""
        print_proof(out, self.outcome)

    def counted(self) -> str:
        """What was proved together."""
        return ", ".join([*self.verdicts, *(lemma.name for lemma in self.outcome.request.lemmas)])


def printed(report: Callable[[Console], None]) -> str:
    """A report as text."""
    out = io.StringIO()
    report(console_for(file=out, width=WIDTH))
    return out.getvalue().rstrip()


def validate_known(name: str, known: Iterable[str]) -> None:
    """UsageError when nothing was asked of this property."""
    if name not in known:
        raise UsageError(f"{name!r:.60} was not checked; there are {', '.join(known)}")
