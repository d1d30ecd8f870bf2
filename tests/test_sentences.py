"""Sentences of the documents that say stops, needs, is enough, is safe, keeps or has none: what decided each, and at which sizes.

They are listed in tests/claims.toml, as `sentence`. A claim about the protocol has the sizes at which it was decided, the next
sizes at which it was tried, and what came out. `no_claim` says of the others what they are about. `runs` are tried again by the
long tests: settings beside the revision's defaults, and the verdict, with the length of a shortest counterexample in steps.
"""

import re
import tomllib
from pathlib import Path

import pytest
from highwater.explorer.budget import Bounds
from highwater.explorer.local.check import check
from highwater.explorer.request import Request
from highwater.explorer.verdict import VIOLATED
from highwater.properties.catalogue import properties_of
from highwater.properties.registry import MODELS
from support.words import PART

ROOT = Path(__file__).parents[1]
SENTENCES = tomllib.loads((ROOT / "tests" / "claims.toml").read_text())["sentence"]
DOCUMENTS = ["README.md", *(f"docs/{name}.md" for name in ("findings", "repairs", "progress", "known-bugs", "tutorial"))]
WORDS = re.compile(r"\b(stops|stopped|needs|(is|are) enough|(is|are) safe|keeps|(has|have) none)\b")
RUNS = [(sentence["text"], run) for sentence in SENTENCES for run in sentence.get("runs", [])]


def plain(text):
    """A text without line breaks."""
    return " ".join(text.split())


def paragraphs(text):
    """Paragraphs, items of lists, headings and cells of tables, without what is generated, code or a comment."""
    block, quoted = [], False
    for line in re.sub(r"<!--.*?-->", "", PART.sub("", text), flags=re.S).split("\n"):
        quoted ^= line.startswith("```")
        begins = not line.strip() or re.match(r"#|- |\* |\d+\. |\||```|    ", line)
        if begins and block:
            yield plain(" ".join(block))
            block = []
        if line.startswith("|"):
            yield from map(str.strip, re.split(r"(?<!\\)\|", line)[1:-1])
        elif line.strip() and not quoted and not line.startswith(("    ", "```")):
            block.append(line)
    yield plain(" ".join(block))


def saying(document):
    """Its sentences that have one of the words."""
    for text in paragraphs((ROOT / document).read_text()):
        yield from (part for part in re.split(r"(?<=[.:;?!])\s+(?=[A-Z`*\[(!])", text) if WORDS.search(part))


@pytest.mark.parametrize("document", DOCUMENTS)
def test_no_sentence_is_missing_from_the_list(document):
    listed = [plain(sentence["text"]) for sentence in SENTENCES if sentence["document"] == document]
    missing = [one for one in saying(document) if not any(text in one for text in listed)]
    assert missing == [], (
        "list it in tests/claims.toml, with the sizes at which it was decided and the next ones at which it was tried"
    )


def test_every_listed_sentence_is_in_its_document():
    for one in SENTENCES:
        assert plain(one["text"]) in plain((ROOT / one["document"]).read_text()), one["text"]
        assert any(plain(one["text"]) in sentence for sentence in saying(one["document"])), one["text"]


def test_a_claim_has_its_sizes_and_what_came_out_at_the_next():
    for sentence in SENTENCES:
        if "no_claim" in sentence:
            assert len(sentence["no_claim"]) > 8, sentence["text"]
        else:
            assert all(len(sentence[name]) > 8 for name in ("decided", "next", "result")), sentence["text"]


@pytest.mark.long
@pytest.mark.parametrize(("text", "run"), RUNS, ids=lambda value: value if isinstance(value, str) else value["revision"])
def test_what_a_sentence_rests_on_is_found_again(text, run):
    model = MODELS[run.get("model", "kafka")]
    config = model.configure(run["revision"], **run["settings"])
    (claim,) = (one for one in properties_of(model) if one.name == run["property"])
    request = Request(model, run["revision"], config, [claim], bounds=Bounds(seconds=run.get("seconds", 1200)))
    (found,) = check(request).findings
    verdict = f"{found.verdict} {found.depth - 1}" if found.verdict == VIOLATED else found.verdict
    assert verdict == run["found"], text
