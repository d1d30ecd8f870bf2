"""`highwater step`: walk a model by hand, line by line."""

import argparse
import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

from rich.console import Console
from rich.text import Text

from ...model.language.errors import UsageError, hint
from ...properties.catalogue import properties_of
from ...properties.explain import explain
from ...properties.property import SOMETIMES, Property
from ...traces.action_notes import texts_of
from ...traces.replay import TraceMismatch
from ...traces.trace import Trace, record
from ...traces.words import plural
from ..budget import Bounds
from ..files import write_file
from ..local.check import check
from ..output.progress_line import ProgressLine
from ..output.report import console
from ..plain.stepping import Near, Stepper
from ..request import Request, revision_named
from ..trace_files import model_of, text_of
from ..verdict import EXIT_HOLDS, VIOLATED, WITNESSED
from .parsing import Parser, add_subject, positive, request_of, seconds
from .start_from import trace_until, validate_flags_with
from .step_web import StepPages, serve

SUMMARY = """Walk the model by hand: choose among the enabled steps, go back, try another path, ask why an action is not enabled.

The walk begins in the model's first initial state or at the end of a trace: TRACE, or TRACE:STEP for its first steps
(TRACE:0 for its initial state). Commands are read line by line, so a file or another program may give them; `help` lists
them. --web shows the same as a page in a browser."""

EXAMPLE = "highwater step KAFKA-6361:14"

HELP = """NUMBER               take the enabled step of this number
LABEL                take the enabled step with this name and these arguments
undo, jump N         go back one step, or to after step N
branches, go N       the ends of all paths walked so far; go to one
initial [N]          how many initial states there are; begin anew in the N-th
why                  why what is violated here is violated
why not ACTION       which guard refuses an action: 'why not fetch', 'why not fetch follower=1 leader=0'
nearest [PROPERTY]   a shortest path from here to a violation, or to a witness
source [ACTION]      the text of an action, or of the last step's, as this revision runs it
follow               take the steps that the last `nearest` found
state, steps         the whole state; the steps to it
save FILE            write the path to here as a trace
?, help              this list
quit                 leave (the end of the input leaves too)"""


def add_flags(parser: Parser) -> None:
    """The flags of `step`."""
    parser.add_argument("trace", metavar="TRACE[:STEP]", nargs="?", help="begin at the end of a trace or scenario")
    add_subject(parser)
    parser.add_argument("--web", action="store_true", help="show the walk in a browser on this machine")
    parser.add_argument("--port", metavar="N", type=positive, default=0, help="port of --web (default: a free one)")
    parser.add_argument("--seconds", metavar="S", type=seconds, default=3.0, help="time for `nearest` in plain Python (3)")
    parser.add_argument("--compiled-seconds", metavar="S", type=seconds, default=60.0, help="then for the compiled engine (60)")


def run(options: argparse.Namespace) -> int:
    """Read commands until the end."""
    if options.trace:
        validate_flags_with(options, "a trace")
    trace = trace_until(options.trace) if options.trace else first_trace(options)
    model = model_of(options.models, trace, options.trace or trace.model)
    trace = replace(trace, revision=revision_named(model, trace.revision))
    config = model.configure(trace.revision, **trace.settings)
    claims = [claim for claim in properties_of(model) if claim.applies(config)]
    held = [claim for claim in claims if claim.by_default]
    try:
        stepper = Stepper(trace, model, held)
    except TraceMismatch as mismatch:
        raise UsageError(f"the trace does not fit the model: {mismatch}") from None
    if options.web:
        serve(StepPages(lambda: Stepper(trace, model, held), claims, options.seconds), options.port)
        return EXIT_HOLDS
    session = Session(stepper, claims, console(), options.seconds, options.compiled_seconds)
    session.show()
    for line in lines():
        if not session.obey(line.strip()):
            break
    return EXIT_HOLDS


def lines() -> Iterator[str]:
    """The lines of standard input; at a terminal with a prompt, and with what was typed before."""
    if not sys.stdin.isatty():
        yield from sys.stdin
        return
    with suppress(EOFError, ImportError):
        importlib.import_module("readline")
        while True:
            yield input("> ")


def first_trace(options: argparse.Namespace) -> Trace:
    """A trace without steps, of what the flags say."""
    request = request_of(options, checks=False)
    return record(request.model, request.revision, request.config, 0, ())


class Session:
    """One walk in lines of text."""

    def __init__(self, stepper: Stepper, claims: list[Property], out: Console, plain: float, compiled: float) -> None:
        self.stepper, self.out, self.plain, self.compiled = stepper, out, plain, compiled
        self.claims = {claim.name: claim for claim in claims}
        self.found: tuple[str, ...] = ()

    def obey(self, line: str) -> bool:
        """Do what a line says; False when it says to leave."""
        word, _, rest = line.partition(" ")
        commands: dict[str, Callable[[str], None]] = {
            "undo": lambda rest: self.move(self.stepper.undo),
            "jump": lambda rest: self.move(lambda: self.stepper.jump(whole(rest))),
            "go": lambda rest: self.move(lambda: self.stepper.go(whole(rest))),
            "branches": self.branches, "why": self.why_not, "nearest": self.nearest, "follow": self.follow,
            "source": self.source,
            "state": lambda rest: self.say(self.stepper.facts()), "steps": self.steps, "save": self.save,
            "help": lambda rest: self.say(HELP.splitlines()), "?": lambda rest: self.say(HELP.splitlines()),
            "initial": self.initial,
        }  # fmt: skip
        if word in ("quit", "exit"):
            return False
        try:
            if word in commands:
                commands[word](rest.strip())
            elif word:
                self.move(lambda: self.stepper.choose(int(line) if line.isdecimal() and len(line) < 10 else line))
        except UsageError as error:
            known = [*commands, "quit", *(action.name for action in self.stepper.model.actions)]
            said = str(error)
            if word not in known and not word.isdecimal():
                said = f"there is no command {word!r:.40}; {hint(word, known, 'help lists the commands')}"
            self.out.print(Text(said, style="yellow"))
        return True

    def move(self, act: Callable[[], None]) -> None:
        """Go somewhere, and show it."""
        act()
        self.show()

    def show(self) -> None:
        """Where it stands: the last step with what it changed, what is violated, and what is enabled."""
        stepper = self.stepper
        steps = stepper.steps
        first = f"0 {stepper.place}" + ("; `initial N` begins in another" if stepper.beginnings > 1 else "")
        self.out.print(Text(f"{len(steps)} {steps[-1].label}" if steps else first, style="cyan"))
        self.say(stepper.changes())
        for name in stepper.violated():
            self.out.print(Text(f"  ! {name} is violated here", style="bold red"))
        choices = stepper.enabled()
        self.out.print(Text(f"enabled: {plural(len(choices), 'step')}" if choices else "nothing is enabled here", style="dim"))
        self.say(f"{number:3} {choice.label}" for number, choice in enumerate(choices, 1))

    def say(self, lines: Iterator[str] | list[str]) -> None:
        """Print lines as they are."""
        for line in lines:
            self.out.print(Text(f"  {line}"), soft_wrap=True)

    def branches(self, rest: str) -> None:
        """The ends of all paths."""
        for node, steps in self.stepper.branches():
            here = ", here" if node == self.stepper.at else ""
            self.say([f"{node}: {plural(len(steps), 'step')}{here}; the last is {steps[-1].label if steps else 'none'}"])

    def steps(self, rest: str) -> None:
        """The path here."""
        self.say([f"{number} {step.label}" for number, step in enumerate(self.stepper.steps, 1)])

    def initial(self, rest: str) -> None:
        """Begin in another initial state, or say how many there are."""
        if rest:
            self.move(lambda: self.stepper.begin(whole(rest) - 1))
        else:
            count = self.stepper.number_of_beginnings
            self.say(["there is 1 initial state" if count == "1" else f"there are {count}"])

    def why_not(self, rest: str) -> None:
        """Which guard refuses an action; without one, why what is violated here is violated."""
        text = rest.removeprefix("not").strip()
        violated = self.stepper.violated()
        if not rest and violated:
            for name in violated:
                self.say(list(explain(self.stepper.trace(name), self.stepper.model, self.claims[name]).lines()))
            return
        if not text:
            here = "" if rest else "nothing is violated here; "
            raise UsageError(f"{here}why not what? Name an action, such as: why not fetch follower=1 leader=0")
        self.say(self.stepper.why_not(text))

    def source(self, rest: str) -> None:
        """The text of an action."""
        steps, model = self.stepper.steps, self.stepper.model
        name = rest or (steps[-1].action if steps else "")
        known = [action.name for action in model.actions]
        if name not in known:
            raise UsageError(f"there is no action {name!r:.60}; {hint(name, known)}" if name else "name an action: source fetch")
        self.say(texts_of(model, self.stepper.config, (name,)).get(name, f"{name} never happens here").splitlines())

    def nearest(self, rest: str) -> None:
        """Search, first in plain Python, then compiled."""
        rest = rest or self.stepper.property or (next(iter(self.claims)) if len(self.claims) == 1 else "")
        if not rest:
            raise UsageError(f"nearest to what? Name one of {', '.join(self.claims)}")
        if rest not in self.claims:
            raise UsageError(f"there is no property {rest!r:.60} here; {hint(rest, self.claims, 'see list properties')}")
        claim = self.claims[rest]
        verb = WITNESSED if claim.kind == SOMETIMES else VIOLATED
        near = self.stepper.nearest(claim, self.plain)
        labels = None if near.steps is None else tuple(choice.label for choice in near.steps)
        if labels is None and not near.complete:
            near, labels = self.search(claim, near)
        self.found = labels or ()
        if labels is not None:
            after = f"{rest} is {verb} after {plural(len(labels), 'step')} from {self.stepper.place}"
            self.say([f"{after} (`follow` takes them):", *labels])
        elif near.complete:
            stepper = self.stepper
            text = f"{rest} is not {verb} in any of the {plural(near.states, 'state')} that can be reached from {stepper.place}"
            more = "" if stepper.beginnings == 1 and not stepper.steps else "; highwater check begins in every initial state"
            self.say([f"{text}{more}"])
        else:
            seen = f"{rest} is not {verb} in the {plural(near.states, 'state')} explored in the time limit"
            self.say([f"{seen}; highwater check --from searches further"])

    def search(self, claim: Property, near: Near) -> tuple[Near, tuple[str, ...] | None]:
        """The compiled engine, from this state; the labels of the steps that it found."""
        stepper = self.stepper
        self.say([f"nothing within {plural(near.states, 'state')} in plain Python; the compiled engine continues from here"])
        there = replace(stepper.model, initial_states=lambda config: [stepper.state.copy()])
        request = Request(
            there, stepper.revision, stepper.config, [claim], until_found=True, trace_witnesses=True, generic=True,
            bounds=Bounds(seconds=self.compiled),
        )  # fmt: skip
        with ProgressLine() as progress:
            outcome = check(request, progress)
        trace = outcome.findings[0].trace
        labels = None if trace is None else tuple(step.label for step in trace.steps)
        return Near(None, outcome.distinct_states, outcome.complete), labels

    def follow(self, rest: str) -> None:
        """Take the steps that were found."""
        if not self.found:
            raise UsageError("there is nothing to follow: run `nearest PROPERTY` first")
        for label in self.found:
            self.stepper.choose(label)
        self.found = ()
        self.show()

    def save(self, rest: str) -> None:
        """Write the path here."""
        if not rest:
            raise UsageError("save it where? Name a file, such as: save mine.trace")
        violated = self.stepper.violated()
        trace = self.stepper.trace(violated[0] if violated else "")
        write_file(rest, text_of(trace, self.stepper.model))
        self.say([f"{plural(len(trace.steps), 'step')} in {rest}"])


def whole(text: str) -> int:
    """A number as the user typed it."""
    if not text.isdecimal() or len(text) > 9:
        raise UsageError(f"{text[:40]!r} is not a number")
    return int(text)
