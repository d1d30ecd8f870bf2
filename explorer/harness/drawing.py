"""A counterexample in a step summary: why it is one, and a sequence diagram."""

import re

from ...model.language.actions import Model
from ...properties.explain import Explanation
from ...properties.explained_document import document_of
from ...traces.pictures.mermaid import mermaid
from ...traces.visible import visible
from .places import for_reviewers


def drawn(found: Explanation, model: Model) -> list[str]:
    """Why a violation is one, and its trace as a sequence diagram, which GitHub draws."""
    diagram = for_reviewers(mermaid(document_of(found.trace, model, choices=False)), model.plugins)
    sentence, *more = [markdown(for_reviewers(line, model.plugins)) for line in found.lines()]
    return ["", f"**{sentence}**", "", *(f"- {line}" for line in more), "", "```mermaid", diagram.rstrip("\n"), "```"]


def markdown(text: str) -> str:
    """Text with the special characters of Markdown and HTML escaped."""
    return re.sub(r"([\\`*_{}\[\]<>|])", r"\\\1", visible(text))
