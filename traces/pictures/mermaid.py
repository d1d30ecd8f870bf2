"""A sequence diagram in Mermaid, which GitHub and others draw where Markdown has it."""

from collections.abc import Mapping
from typing import Any

from .diagram import Document


def mermaid(document: Document) -> str:
    """The diagram: a line for each message, in the order in which they are received, and a note where a property is violated."""
    about, states = document["#meta"], document["states"]
    names = {part: part.replace(" ", "") for part in about["parts"]}
    lines = ["sequenceDiagram"]
    lines += [f"    participant {name} as {plain(part)}" for part, name in names.items()]
    ends: list[list[str]] = [[] for _ in states]
    for number, state in enumerate(states):
        for message in state["#meta"]["messages"]:
            if message["from"] in names and message["to"] in names:
                ends[number if message["received"] is None else message["received"]].append(arrow(message, number, names))
    span = f"{names[about['parts'][0]]},{names[about['parts'][-1]]}" if names else ""
    for number in range(len(states)):
        lines += [f"    {line}" for line in ends[number]]
        for message in about["violations"]:
            if message["step"] == number and span:
                lines.append(f"    Note over {span}: step {number}: {plain(message['why'])}")
    if about["mismatch"] and span:
        lines.append(f"    Note over {span}: {plain(about['mismatch'])}")
    return "\n".join(lines) + "\n"


def arrow(message: Mapping[str, Any], sent: int, names: Mapping[str, str]) -> str:
    """One message: dashed, with a cross, when it is never received."""
    if message["received"] is None:
        return f"{names[message['from']]}--x{names[message['to']]}: {sent} {plain(message['label'])}, never received"
    numbers = str(sent) if message["received"] == sent else f"{sent}-{message['received']}"
    return f"{names[message['from']]}->>{names[message['to']]}: {numbers} {plain(message['label'])}"


def plain(text: str) -> str:
    """Text without what Mermaid takes for its own: it ends statements at `;` and comments at `#`."""
    return text.replace("#", "#35;").replace(";", "#59;").replace("<", "#lt;").replace(">", "#gt;").replace("\n", " ")
