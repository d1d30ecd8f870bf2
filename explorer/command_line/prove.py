"""`highwater prove`: a property at any depth, by induction, or its first violation within a few steps."""

import argparse
from dataclasses import replace

from rich.text import Text

from ...model.language.errors import LanguageError, UsageError, hint
from ...properties.catalogue import claims_of, where_listed
from ...properties.lemmas import assumable, known_for
from ...properties.property import Property
from ...properties.ranked import Ranking
from ...traces.words import plural
from ..files import probe
from ..output.machine_readable import conclude, validate_outputs
from ..output.proof_report import bounded_as_json, print_bounded, print_proof, proof_as_json
from ..output.report import console
from ..request import Request
from ..runs.files import folder_here
from ..symbolic.any_size import prove_any_size
from ..symbolic.bounded import check_bounded
from ..symbolic.candidates import PREFIX
from ..symbolic.houdini import Found, find_lemmas
from ..symbolic.proof import Proof, ProofRequest, prove
from ..symbolic.relation import Relation
from ..symbolic.terms import Unreadable
from ..verdict import EXIT_INCOMPLETE, EXIT_VIOLATED
from .parsing import Parser, add_json, add_subject, add_threads, positive, request_of, seconds, threads_of

SUMMARY = """Prove a property by induction: the initial states satisfy it, and every action preserves it.

A proof covers every state at any depth. When an action does not preserve the property, a counterexample to
induction is shown: two states and the action between them. The first satisfies every claim but need not be
reachable; if it is not, a lemma is missing that excludes it. Lemmas that are known for the property are assumed
and proved with it. A property of progress is proved by a ranking: numbers that decrease until the goal is reached.
With --bounded K, search for a real violation instead."""

EXAMPLE = "highwater prove --model published --revision kip-320 --property hw_within_log"

KNOWN, ALL, NONE = "known", "all", "none"


def add_flags(parser: Parser) -> None:
    """The flags of `prove`."""
    add_subject(parser)
    how = parser.add_argument_group("how to prove")
    how.add_argument(
        "--with", dest="lemmas", metavar="LEMMA", nargs="+", action="extend", default=[],
        help=f"prove it together with these lemmas; {KNOWN}: those known to suffice (default), {ALL}: every lemma of the"
        f" model, {NONE}: the claim alone",
    )  # fmt: skip
    how.add_argument(
        "--houdini", action="store_true",
        help="look for lemmas: candidates made of the model's predicates and variables, less those that a reached state (of"
        " --run-dir, or of random walks) or a step refutes",
    )  # fmt: skip
    how.add_argument("--guards", action="store_true", help="for each guard, say whether the claims imply it")
    how.add_argument("--all-instances", action="store_true", help="check every broker, not one of each kind")
    how.add_argument("--timeout", metavar="S", type=seconds, default=60.0, help="time limit of each question to Z3 (60)")
    how.add_argument("--run-dir", metavar="DIR", help="look up counterexamples to induction in the states of this run")
    how.add_argument(
        "--any-size", action="store_true",
        help="for any number of brokers, offsets and epochs: loops are read as quantifiers; given sizes are ignored",
    )  # fmt: skip
    how.add_argument("--proofs", metavar="DIR", help="with --cvc5: write its proofs there, in Alethe, with their questions")
    how.add_argument("--cvc5", action="store_true", help="with --any-size: ask cvc5 too (needs the extra proofs)")
    how.add_argument("--bounded", metavar="K", type=positive, help="search K steps from the initial states instead")
    add_threads(parser)
    add_json(parser)
    parser.add_argument("--quiet", action="store_true", help="print the verdict without counterexamples")


def run(options: argparse.Namespace) -> int:
    """Prove, report, and answer the exit code."""
    subject = request_of(options, progress=True)
    if not subject.named:
        raise UsageError(f"--property is missing: name the property to prove; {where_listed(subject.model)}")
    validate_outputs(options.json)
    if options.bounded is not None:
        if subject.progress:
            raise UsageError(f"{subject.progress[0].name} is a property of progress: a bounded search cannot decide it")
        return run_bounded(options, subject)
    if subject.progress and options.guards:
        raise UsageError(f"--guards needs properties of kind always or step, and {subject.progress[0].name} is neither")
    if options.proofs and not (options.any_size and options.cvc5):
        raise UsageError("--proofs writes what cvc5 proves: give --any-size and --cvc5, too")
    if options.proofs:
        probe(options.proofs, is_folder=True)
    if options.any_size:
        validate_any_size(options, subject)
    lemmas, note = lemmas_named(subject, options.lemmas) if options.lemmas else lemmas_by_default(subject)
    request = ProofRequest(
        model=subject.model, revision=subject.revision, config=subject.config, properties=subject.properties, lemmas=lemmas,
        timeout=options.timeout, workers=threads_of(options), all_instances=options.all_instances, guards=options.guards,
        run_directory=options.run_dir and str(folder_here(options.run_dir)), progress=rankings_for(subject),
    )  # fmt: skip
    if options.houdini:
        found = find_lemmas(request)
        request, note = replace(request, lemmas=found.lemmas), found_words(found)
    proof = for_any_size(request, options) if options.any_size else prove(request)
    if options.json != "-":
        if note:
            console().print(Text(note, style="dim"))
        print_proof(console(), proof, quiet=options.quiet)
    return conclude(proof.exit_code, options.json, lambda: proof_as_json(proof))


def found_words(found: Found) -> str:
    """What Houdini found, with the text of each lemma that no person wrote."""
    own = [lemma for lemma in found.lemmas if lemma.name.startswith(PREFIX)]
    texts = [f"  {claim.name}({', '.join(claim.parameters)}): {claim.function.__doc__}" for claim in own]
    head = (
        f"{plural(found.candidates, 'candidate')} hold in {plural(found.states, 'reached state')}; together {found.kept} are"
        f" inductive; the proof needs {len(found.lemmas)}, {len(own)} of them found:"
    )
    many, follow = found.written
    last = [f"of the {plural(many, 'lemma')} written for these properties {follow} follow from what was found"] if many else []
    return "\n".join([head, *texts, *last])


def for_any_size(request: ProofRequest, options: argparse.Namespace) -> Proof:
    """A proof with the sizes left open; UsageError, with the place, where the model says what has no formula then."""
    try:
        return prove_any_size(request, options.cvc5, folder_here(options.proofs) if options.proofs else None)
    except (LanguageError, Unreadable) as error:
        told = f"this model cannot be proved for any size: {str(error).rstrip(',')}; without --any-size it can be, at its sizes"
        raise UsageError(told) from None


def validate_any_size(options: argparse.Namespace, subject: Request) -> None:
    """UsageError for what is about sizes."""
    others = {
        "--guards": options.guards, "--run-dir": options.run_dir, "--all-instances": options.all_instances,
        "--houdini": options.houdini,
    }  # fmt: skip
    for flag in (flag for flag, given in others.items() if given):
        raise UsageError(f"{flag} is about the sizes that are given, and --any-size about all of them: leave one out")
    if subject.progress:
        raise UsageError(f"{subject.progress[0].name} is a property of progress: leave out --any-size to prove it by its ranking")


def rankings_for(subject: Request) -> list[tuple[Property, Ranking]]:
    """The properties of progress, each with its ranking; UsageError if there is none."""
    out = []
    for claim in subject.progress:
        if claim.ranking is None:
            some = [other.name for other in claims_of(subject.model).values() if other.ranking]
            known = ", ".join(some) or "no property"
            raise UsageError(
                f"{claim.name} cannot be proved: it has no ranking (measures that decrease until its goal is reached)."
                f" In this model {known} has one; to explore instead, use highwater check"
            )
        out.append((claim, claim.ranking))
    return out


def names_of(subject: Request) -> list[str]:
    """What is to be proved."""
    return [claim.name for claim in (*subject.properties, *subject.progress)]


def lemmas_by_default(subject: Request) -> tuple[list[Property], str]:
    """The lemmas that are known for the properties and expected to hold in the revision, and a sentence on them."""
    names = ", ".join(names_of(subject))
    some = [
        p for p in known_for(subject.model, names_of(subject))
        if p.applies(subject.config) and p.expected_to_hold(subject.revision, subject.model) and p not in subject.properties
    ]  # fmt: skip
    if not some:
        return [], f"no lemmas are known for {names}: proving the claim alone"
    return some, f"using the {len(some)} lemmas known for {names}; --with none proves the claim alone"


def lemmas_named(subject: Request, names: list[str]) -> tuple[list[Property], str]:
    """The lemmas named by `--with`, used without being reported."""
    known, chosen = assumable(subject.model), {}
    for name in (part for given in names for part in given.split(",") if part):
        if name == KNOWN:
            some = known_for(subject.model, names_of(subject))
            if not some:
                raise UsageError(f"no set of lemmas is known for {', '.join(names_of(subject))}; name lemmas, or {ALL}")
            some = [claim for claim in some if claim.applies(subject.config)]
        elif name == NONE:
            some = []
        elif name == ALL:
            some = [lemma for lemma in subject.model.lemmas if lemma.applies(subject.config)]
        elif name in known:
            some = [known[name]]
        else:
            lemmas = ", ".join(lemma.name for lemma in subject.model.lemmas)
            raise UsageError(f"the model {subject.model.name} has no lemma {name!r:.60}; {hint(name, known, f'it has {lemmas}')}")
        chosen.update({answer.name: answer for answer in some})
    return list(chosen.values()), ""


def run_bounded(options: argparse.Namespace, subject: Request) -> int:
    """Bounded search for each property: 12 when one is violated, else 20, for nothing is known beyond the bound."""
    if options.lemmas or options.guards or options.run_dir or options.houdini:
        raise UsageError("--bounded searches from the initial states: leave out --with, --houdini, --guards and --run-dir")
    relation = Relation(subject.model, subject.config, subject.properties)
    found = [check_bounded(relation, claim, options.bounded, options.timeout) for claim in subject.properties]
    if options.json != "-":
        print_bounded(console(), found, subject, quiet=options.quiet)
    code = EXIT_VIOLATED if any(answer.depth is not None for answer in found) else EXIT_INCOMPLETE
    return conclude(code, options.json, lambda: bounded_as_json(found, subject, options.bounded))
