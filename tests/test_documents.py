"""What the documents quote is what files hold, and the commands that they show are the ones that are run."""

import re
from functools import cache
from pathlib import Path

import pytest
from highwater.properties.explained_document import document_of
from highwater.properties.registry import MODELS
from highwater.traces.pictures.poster import poster
from highwater.traces.text import read_file

ROOT = Path(__file__).parents[1]
QUOTE = re.compile(r"<!-- trace: (\S+) (\d+)-(\d+) -->\n(.*?)<!-- end of trace -->", re.S)
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def excerpt(path, first, last):
    """The steps of a golden trace from one number to another, with their comments, indented as code."""
    lines = (ROOT / path).read_text().splitlines()
    starts = [i for i, line in enumerate(lines) if re.match(rf"{first} ", line)]
    ends = [i for i, line in enumerate(lines) if re.match(rf"{last + 1} ", line)]
    begin = starts[0]
    while lines[begin - 1].startswith("#"):
        begin -= 1
    end = ends[0] if ends else len(lines)
    while lines[end - 1].startswith("#") or not lines[end - 1].strip():
        end -= 1
    shown = [re.sub(r" @[0-9a-f]+$", "", line) for line in lines[begin:end]]
    return "\n" + "\n".join(f"    {line}".rstrip() for line in shown) + "\n\n"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.name)
def test_quoted_traces_are_the_golden_ones(path, request):
    text = path.read_text()
    wanted = QUOTE.sub(lambda m: m[0].replace(m[4], excerpt(m[1], int(m[2]), int(m[3]))) if m[4] else m[0], text)
    if request.config.getoption("--rewrite-golden"):
        path.write_text(wanted)
        text = wanted
    assert text == wanted


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.name)
def test_files_that_documents_name_exist(path):
    named = r"`((?:model|properties|explorer|traces|tests|docs)/[\w./-]+\.(?:py|md|trace|json))`"
    for name in re.findall(named, path.read_text()):
        assert (ROOT / name).exists(), name


@cache
def anchors(path):
    """The anchors of a page's headings, as GitHub and the site make them."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-") for text in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.name)
def test_links_lead_somewhere(path):
    for name, anchor in re.findall(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)", path.read_text()):
        there = (path.parent / name).resolve() if name else path
        assert there.exists(), name
        assert not anchor or anchor in anchors(there), f"{name}#{anchor}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.name)
def test_pictures_of_scenarios_are_drawn_anew(path, request):
    """A picture docs/pictures/NAME.svg is of the golden trace NAME."""
    for name in re.findall(r"\]\((?:docs/)?pictures/([\w.-]+)\.svg\)", path.read_text()):
        trace = read_file(str(ROOT / "traces" / "golden" / f"{name}.trace"))
        drawn = poster(document_of(trace, MODELS[trace.model], choices=False))
        picture = ROOT / "docs" / "pictures" / f"{name}.svg"
        if request.config.getoption("--rewrite-golden"):
            picture.parent.mkdir(exist_ok=True)
            picture.write_text(drawn)
        assert picture.read_text() == drawn, f"{picture} is old: pytest tests/test_documents.py --rewrite-golden"


def test_every_picture_is_shown_somewhere():
    shown = "".join(path.read_text() for path in DOCUMENTS)
    for picture in (ROOT / "docs" / "pictures").glob("*.svg"):
        assert f"pictures/{picture.name})" in shown, picture.name


def test_ci_runs_the_readmes_test_command():
    commands = re.findall(r"^    (python3 -m venv .*)$", (ROOT / "README.md").read_text(), re.M)
    assert len(commands) == 2
    assert f"{commands[1]} || exit 1" in (ROOT / ".ci" / "run").read_text().splitlines()
