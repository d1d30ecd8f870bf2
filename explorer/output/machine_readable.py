"""JSON and JUnit XML beside the report for people."""

import argparse
import json
import os
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Sequence
from typing import Any, cast

from ...model.language.errors import UsageError
from ...properties.left_out import left_out, unmodelled
from ...traces.trace import version_of
from ...traces.visible import visible
from ...traces.words import plural
from ..files import probe, write_file
from ..harness.places import for_reviewers
from ..request import means_nothing
from ..trace_files import text_of
from ..verdict import INCOMPLETE, NEVER, NOT_APPLICABLE, VIOLATED, Expected, Finding, Outcome
from .documents_explored import About, ActionCounted, Checked, ExpectedEntry, FindingEntry, Head, LeftOutEntry
from .streams import attempt, kept


def about(model: Any, revision: str, config: Any) -> About:
    """What a JSON document is about."""
    return {"model": model.name, "model_version": version_of(model), "revision": revision, "config": config.shown()}


def head_of(model: Any, revision: str, config: Any, engine: str) -> Head:
    """What the JSON document of one engine begins with."""
    return {**about(model, revision, config), "engine": engine}


def as_json(outcome: Outcome, model: Any) -> Checked:
    """The JSON document of an outcome."""
    return {
        **head_of(model, outcome.revision, outcome.config, outcome.engine),
        "verdict": outcome.verdict,
        "complete": outcome.complete,
        "stopped_by": outcome.stopped or None,
        "complete_levels": outcome.whole_levels,
        "distinct_states": outcome.distinct_states,
        "states_outside_constraint": outcome.outside,
        "transitions": outcome.transitions,
        "depth": outcome.depth,
        "levels": outcome.levels,
        "seconds": round(outcome.seconds, 4),
        "cpu_seconds": round(outcome.cpu_seconds, 4),
        "compile_seconds": round(outcome.compile_seconds, 4),
        "initial_seconds": round(outcome.initial_seconds, 4),
        "explored": outcome.begun or None,
        "resumed_states": outcome.resumed,
        "bytes_per_state": round(outcome.bytes_per_state, 2),
        "threads": outcome.threads,
        "symmetry": outcome.symmetry,
        "promises": outcome.promises,
        "says_nothing_of": [cast(LeftOutEntry, row._asdict()) for row in left_out(outcome.model, outcome.config)],
        "unmodelled": unmodelled(outcome.model, outcome.revision),
        "absent": list(outcome.model.absent),
        "exact": outcome.exact,
        "collision_probability": outcome.collision_probability,
        "expected": expected_as_json(outcome.expected),
        "remarks": outcome.remarks,
        "properties": [finding_as_json(f, model) for f in outcome.reported],
        "actions": [cast(ActionCounted, vars(action)) for action in outcome.actions],
    }


def expected_as_json(expected: Expected | None) -> ExpectedEntry | None:
    """What was expected of a run that was not to fit."""
    if expected is None:
        return None
    return {
        "states": expected.states, "low": expected.low, "high": expected.high, "levels": expected.levels,
        "ended_by": expected.ended_by,
    }  # fmt: skip


def finding_as_json(finding: Finding, model: Any) -> FindingEntry:
    """One property's entry; of a violation also why: the sentence, and the witnesses by name."""
    entry: FindingEntry = {
        "name": finding.property.name,
        "kind": finding.property.kind,
        "verdict": finding.verdict,
        "depth": finding.depth,
        "steps": finding.steps,
        "trace": finding.trace_path,
    }
    if finding.lost_states is not None:
        entry["lost_states"] = finding.lost_states
    found = finding.explained(model)
    if found is not None:
        entry |= {"why": found.why.sentence, "witness": dict(found.why.witness), "explanation": list(found.lines())[1:]}
        entry["actions"] = {name: action.origin for name, action in found.actions().items()}
        entry |= {"violated_at": found.why.step, "since": found.why.since, "scenario": found.scenario or None}
    return entry


def as_junit(outcomes: Sequence[Outcome]) -> str:
    """JUnit XML: one suite per outcome, one case per property."""
    root = ElementTree.Element("testsuites", name="highwater")
    for outcome in outcomes:
        model = outcome.model
        title, place = f"{model.name} {outcome.revision}", f"{model.name}.{outcome.revision}"
        suite = ElementTree.SubElement(root, "testsuite", name=title, time=f"{outcome.seconds:.3f}")
        facts = ElementTree.SubElement(suite, "properties")
        for name in ("seconds", "cpu_seconds", "compile_seconds", "distinct_states", "stopped"):
            ElementTree.SubElement(facts, "property", name=name, value=str(getattr(outcome, name)))
        counts = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
        for finding in outcome.reported:
            case = ElementTree.SubElement(suite, "testcase", name=finding.property.name, classname=place)
            case.set("time", f"{outcome.seconds if not counts['tests'] else 0:.3f}")  # one run for all: the first case has it
            counts["tests"] += 1
            if finding.verdict in (VIOLATED, NEVER):
                counts["failures"] += 1
                where = f" after {plural(finding.steps, 'step')}" if finding.steps is not None else ""
                found = finding.explained(model)
                message = for_reviewers(found.why.sentence, model.plugins) if found else f"{finding.verdict}{where}"
                failure = ElementTree.SubElement(case, "failure", message=message, type=finding.property.kind)
                said = [for_reviewers(line, model.plugins) for line in found.lines()] if found else []
                trace = text_of(finding.trace, model) if finding.trace else ""
                rest = [finding.property.claim, f"{finding.verdict}{where}", finding.trace_path or "", "", trace]
                failure.text = "\n".join([*said, *rest])
            elif finding.verdict == NOT_APPLICABLE:
                counts["skipped"] += 1
                why = means_nothing(finding.property, outcome.config)
                ElementTree.SubElement(case, "skipped", message=f"{finding.verdict}: {why}")
            elif finding.verdict == INCOMPLETE:
                counts["errors"] += 1
                why = f"{outcome.ended_by or 'a violation'} ended the exploration before this was decided"
                ElementTree.SubElement(case, "error", message=why, type=INCOMPLETE)
        for name, count in counts.items():
            suite.set(name, str(count))
    ElementTree.indent(root)
    return visible(ElementTree.tostring(root, encoding="unicode", xml_declaration=True)) + "\n"


def takes_standard_output(options: argparse.Namespace) -> bool:
    """Whether standard output is for a program, so that the report for people must not stand there."""
    return "-" in (options.json, options.junit, options.sarif)


def write_json(document: Any, where: str) -> None:
    """Write JSON to a file, or to standard output for `-`."""
    write_text(json.dumps(document, indent=1) + "\n", where)


def write_text(text: str, where: str) -> None:
    """Write a text to a file, or to standard output for `-`."""
    if where == "-":
        sys.stdout.write(text)
    else:
        write_file(where, text)


def conclude(code: int, where: str | None, document: Callable[[], Any], *writes: Callable[[], None]) -> int:
    """Write what was asked for, the JSON document last; the exit code of the run."""
    return kept(code, attempt(*writes, *([lambda: write_json(document(), where)] if where else [])))


def validate_outputs(*paths: str | None, folder: str | None = None) -> None:
    """UsageError before a long run if its result could not be written, or if one output would replace another.

    `folder`: where traces will be; it is made when the first is written, others are not.
    """
    if folder:
        probe(folder, is_folder=True)
    for path in paths:
        if path is not None and path != "-":
            probe(path, makes_folders=False)
    if paths.count("-") > 1:
        raise UsageError("two outputs go to standard output; name a file for one of them")
    written = [os.path.realpath(path) for path in paths if path and path != "-"]
    for trace in written:
        if written.count(trace) > 1 and (os.path.isfile(trace) or not os.path.exists(trace)):  # a device takes both
            raise UsageError(f"two outputs go to {trace}, and the second would replace the first; name different files")
