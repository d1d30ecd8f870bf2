"""SARIF 2.1.0: each violated property is a result, its counterexample a code flow through the actions' source lines."""

import inspect
import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from ...model.language.actions import Model
from ...properties.property import Property
from ...traces.words import plural
from ..extras import own_version, repository
from ..verdict import INCOMPLETE, NEVER, NOT_APPLICABLE, VIOLATED, Finding, Outcome
from .changed_code import Spot, spot_of_finding
from .places import Place, for_reviewers, place_in_repository

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"


def as_sarif(outcomes: Sequence[Outcome], code: int) -> str:
    """One run for all outcomes; a rule per property that was decided, a notification for each other one."""
    rules: dict[str, dict[str, Any]] = {}
    results, notes = [], []
    for outcome in outcomes:
        for finding in outcome.reported:
            if finding.verdict in (NOT_APPLICABLE, INCOMPLETE):
                notes.append(note_on(outcome, finding))
                continue
            rules.setdefault(finding.property.name, rule_of(finding.property))
            if finding.verdict in (VIOLATED, NEVER):
                results.append(result_of(outcome.model, outcome.revision, finding))
    complete = all(outcome.complete or outcome.violated for outcome in outcomes)
    return document(rules, results, notes, complete, code)


def document(
    rules: Mapping[str, dict[str, Any]], results: Sequence[dict[str, Any]], notes: Sequence[Any], complete: bool, code: int
) -> str:
    """The document: the rules by name, what was found, what was not decided, and how the run ended."""
    for result in results:
        if result["ruleId"] in rules:
            result["ruleIndex"] = list(rules).index(result["ruleId"])
    driver = {
        "name": "highwater",
        "version": own_version(),
        **({"informationUri": repository()} if repository() else {}),
        "rules": list(rules.values()),
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SOURCE": {"description": {"text": "the folder of the repository"}}},
        "invocations": [{"executionSuccessful": complete, "exitCode": code, "toolExecutionNotifications": notes}],
        "results": results,
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def note_on(outcome: Outcome, finding: Finding) -> dict[str, Any]:
    """That a property was not decided, and why: a reader must not take the absence of a result for success."""
    if finding.verdict == NOT_APPLICABLE:
        level, why = "note", f"was not checked: it needs {finding.property.lacks(outcome.config)}"
    else:
        level, why = "warning", f"is not decided: {outcome.ended_by or 'a violation'} ended the run"
    return {"level": level, "message": {"text": f"{outcome.model.name} {outcome.revision}: {finding.property.name} {why}"}}


def rule_of(claim: Property) -> dict[str, Any]:
    """The property as a rule."""
    text = inspect.cleandoc(claim.function.__doc__ or claim.name)
    return {
        "id": claim.name,
        "name": "".join(word.capitalize() for word in claim.name.split("_")),
        "shortDescription": {"text": claim.claim or claim.name},
        "fullDescription": {"text": text},
        "defaultConfiguration": {"level": "error"},
        "properties": {"kind": claim.kind},
    }


def result_of(model: Model, revision: str, finding: Finding) -> dict[str, Any]:
    """One violation: the message, where the property stands, and the steps that lead there."""
    name = f"{model.name} {revision}"
    if finding.verdict == NEVER:
        message = f"{name}: {finding.property.name} was never witnessed"
    else:
        message = f"{name}: {finding.property.name} is violated after {plural(finding.steps or 0, 'step')}"
    found = finding.explained(model)
    spot = spot_of_finding(finding.property.function, model, revision, finding.trace)
    said = "".join(f"{place}. " for place in (found.why.sentence if found else "", spot.ran) if place)
    result: dict[str, Any] = {
        "ruleId": finding.property.name,
        "level": "error",
        "message": {"text": for_reviewers(f"{said}{message}. {finding.property.claim}".strip(), model.plugins)},
        "partialFingerprints": {"highwater/v1": f"{model.name}/{revision}/{finding.property.name}"},
    }
    result |= located(spot.place, spot)
    if finding.trace is not None and finding.trace.steps:
        result["codeFlows"] = [{"message": {"text": message}, "threadFlows": [{"locations": flow_of(finding, model)}]}]
    about: dict[str, Any] = {"trace": finding.trace_path} if finding.trace_path else {}
    if found:
        sentence, *more = [for_reviewers(line, model.plugins) for line in found.lines()]
        about |= {"why": sentence, "witness": dict(found.why.witness), "explanation": more}
    if about:
        result["properties"] = about
    return result


def located(place: Place | None, spot: Spot) -> dict[str, Any]:
    """Where a result is, and what else it is about."""
    out: dict[str, Any] = {"locations": [{"physicalLocation": physical(place)}]} if place is not None else {}
    if spot.related:
        out["relatedLocations"] = [
            {"id": number, "physicalLocation": physical(sentence), "message": {"text": text}}
            for number, (sentence, text) in enumerate(spot.related, 1)
        ]
    return out


def flow_of(finding: Finding, model: Model) -> list[dict[str, Any]]:
    """The steps of the counterexample, those of actions in the repository at their lines."""
    assert finding.trace is not None
    config = model.configure(finding.trace.revision, **finding.trace.settings)
    out = []
    for number, step in enumerate(finding.trace.steps, 1):
        function = model.action(step.action).version(config)
        location: dict[str, Any] = {"message": {"text": f"{number} {step.label}"}}
        place = place_in_repository(function)
        if place is not None:
            location["physicalLocation"] = physical(place)
        last = number == len(finding.trace.steps)
        out.append({"executionOrder": number, "importance": "essential" if last else "important", "location": location})
    return out


def physical(place: Place) -> dict[str, Any]:
    """A place in the repository."""
    return {"artifactLocation": {"uri": quote(place[0]), "uriBaseId": "SOURCE"}, "region": {"startLine": place[1]}}
