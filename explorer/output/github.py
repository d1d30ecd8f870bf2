"""For GitHub Actions: an annotation for each violation, and a summary of the step."""

import os
from collections.abc import Iterator, Sequence

from ...model.language.errors import UsageError, reason_of
from ..harness.annotations import command, field, message
from ..harness.changed_code import spot_of_finding
from ..harness.drawing import drawn, markdown
from ..harness.places import for_reviewers
from ..request import sizes
from ..verdict import INCOMPLETE, NEVER, NOT_APPLICABLE, VIOLATED, Outcome
from .report import counted, explanation, how_it_ended, shortest

SIGNS = {VIOLATED: "❌", NEVER: "❌", INCOMPLETE: "❔", NOT_APPLICABLE: ""}


def annotate(outcomes: Sequence[Outcome], differences: Sequence[str] = ()) -> None:
    """Print the annotations, and append the summary to the file that GITHUB_STEP_SUMMARY names.

    `differences`: where verdicts are not those that were expected, in words.
    """
    for line in (*annotations_of(outcomes), *(f"::error title=unexpected verdict::{message(text)}" for text in differences)):
        print(line)
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if path:
        try:
            with open(path, "a", encoding="utf-8") as file:
                file.write(summary(outcomes))
        except OSError as error:
            why = f"the step summary {path} cannot be written: {reason_of(error)}"
            raise UsageError(f"{why}; check GITHUB_STEP_SUMMARY") from None


def annotations_of(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """A workflow command for each finding that fails, at the place in the repository that it is about, if there is one."""
    for outcome in outcomes:
        for finding in outcome.reported:
            if finding.verdict in (VIOLATED, NEVER):
                spot = spot_of_finding(finding.property.function, outcome.model, outcome.revision, finding.trace)
                title = f"{outcome.model.name} {outcome.revision}: {finding.property.name} is {finding.verdict}"
                found = finding.explained(outcome.model)
                said = found.why.sentence if found else finding.property.claim
                text = for_reviewers("\n".join(filter(None, [said, spot.ran])), outcome.model.plugins)
                yield command(spot.place, title, "\n".join(filter(None, [text, finding.trace_path])))
                yield from (command(place, title, text, "notice") for place, text in spot.related if text == spot.ran)
        if not outcome.complete and not outcome.violated:
            title = f"{outcome.model.name} {outcome.revision}: incomplete"
            yield f"::warning title={field(title)}::{message(how_it_ended(outcome))}"


def summary(outcomes: Sequence[Outcome]) -> str:
    """Markdown: a table per outcome."""
    parts = []
    for outcome in outcomes:
        lines = [f"### {outcome.model.name} {outcome.revision}: {outcome.verdict}", ""]
        lines += [
            f"{markdown(explanation(outcome))}; at {sizes(outcome.model, outcome.revision, outcome.config)}",
            "",
            counted(outcome),
            "",
            "| property | verdict | steps | trace |",
            "| --- | --- | --- | --- |",
        ]
        for finding in outcome.reported:
            if finding.verdict != NOT_APPLICABLE:
                trace = f"`{finding.trace_path}`" if finding.trace_path else ""
                sign, steps = SIGNS.get(finding.verdict, "✅"), "" if finding.steps is None else finding.steps
                lines.append(f"| {finding.property.name} | {sign} {finding.verdict} | {steps} | {trace} |")
        first = shortest(outcome)
        found = first.explained(outcome.model) if first is not None else None
        parts.append("\n".join([*lines, *(drawn(found, outcome.model) if found else [])]) + "\n\n")
    return "".join(parts)
