"""`pytest --rewrite-golden tests/test_your_release.py` writes docs/your-release.md: where each release stands."""

from pathlib import Path

import pytest
from highwater.model.language.releases import rows_of, settings_of_release
from highwater.model.language.settings import in_words
from highwater.properties.registry import MODELS
from highwater.properties.standing import known_violations, standings

PAGE = Path(__file__).parents[1] / "docs" / "your-release.md"
FAMILIES = [model for model in MODELS.values() if model.releases]

HEAD = """# Where your release stands

Written by `pytest --rewrite-golden tests/test_your_release.py`; do not edit. `highwater releases 3.9.1` prints it for any
release.

A revision of the model describes the releases of a row. Where a release has other repairs than its revision, `--release` sets
them; the last column says which. *Nothing* is violated at the default sizes only (README). What is known beyond them is below,
with a command that finds a shortest counterexample. A release that has both is checked under ZooKeeper; `--model kraft` is KRaft.

| releases | under | revision | violated at the default sizes | `--release` adds |
| --- | --- | --- | --- | --- |
"""


def rows():
    """Neighbouring releases with one revision and one set of repairs: the model, the first, and the last."""
    out = []
    for model in FAMILIES:
        for release in model.releases:
            for name, span in rows_of(model, release):
                row = (span.under, name, tuple(settings_of_release(model, release, name).items()))
                if out and out[-1][0] is model and out[-1][3:] == row:
                    out[-1] = (model, out[-1][1], release, *row)
                else:
                    out.append((model, release, release, *row))
    return out


def page():
    """The whole page."""
    sections = []
    for model, first, last, under, _, _ in rows():
        standing = next(s for s in standings(model, last) if s.under == under)
        span = first if first == last else f"{first} to {last}"
        known = [f"{k.scenario}: `{k.property}`\n\n      {k.command}\n" for k in known_violations(model, standing)]
        lacks = [f"`{r.name}` ({r.source}, {r.release.replace('none', 'in no release')})" for r in standing.lacks
                 if not r.when_named]  # fmt: skip
        sections += [f"\n## {span}, {under}\n", *(f"- {text}" for text in known)]
        sections += [f"Repairs that it lacks: {', '.join(lacks) or 'none'}. `highwater releases {last}` has all."]
    return HEAD + "\n".join([*table(), *sections]) + "\n"


def table():
    """The rows of the page, without what takes long: the known violations."""
    found = []
    for model, first, last, under, name, own in rows():
        standing = next(s for s in standings(model, last) if s.under == under)
        told = ", ".join(f"`{p}`" for p in standing.expected) or "nothing"
        span = first if first == last else f"{first} to {last}"
        found.append(f"| {span} | {under} | `{name}` | {told} | {in_words(dict(own)) or 'nothing'} |")
    return found


def test_the_table_of_the_page_is_true(request):
    text = PAGE.read_text()
    shown = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith(("| releases", "| ---"))]
    if request.config.getoption("--rewrite-golden"):
        PAGE.write_text(text.replace("\n".join(shown), "\n".join(table())))
        shown = table()
    assert shown == table(), "pytest --rewrite-golden tests/test_your_release.py, and with -m long for the known violations"


@pytest.mark.long
def test_the_page_is_as_written(request):
    text = page()
    if request.config.getoption("--rewrite-golden"):
        PAGE.write_text(text)
    assert PAGE.read_text() == text, "pytest --rewrite-golden tests/test_your_release.py"
