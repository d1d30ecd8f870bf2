"""docs/claims.md: one line for each claim of the documents, written from tests/claims.toml.

`pytest --rewrite-golden tests/test_claims_page.py` writes it. A line has what the document says, the verdict, the sizes and the
trace or the number that decides it; what no entry decides yet is listed too.
"""

import re
import tomllib
from pathlib import Path

from test_coverage import REQUIREMENTS, golden

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "claims.md"
CLAIMS = tomllib.loads((ROOT / "tests" / "claims.toml").read_text())["claim"]
MAX_TRACES = 4

HEAD = """# The claims of the documents, and their results

Written by `pytest --rewrite-golden tests/test_claims_page.py` from `tests/claims.toml`; do not edit. Each claim is decided under
the design that makes it, or under a later revision that is named, where that design violates it for another reason: by a complete
exploration at the sizes given here, or by the named test. The result `true` says nothing
about larger sizes. *Violated 10* means that a shortest counterexample has 10 steps. V3 is the replication design, ZH the
controller analysis, 279 is KIP-279: see [sources](sources.md). If a property decides a claim, the sizes are two brokers,
logs of one offset, one record, leader epochs 0 and 1 and no faults, except for the settings given. The revision `v3` also allows
unclean elections, unless they are set to 0.

| claim | source | what the document says | verdict | decided by |
| --- | --- | --- | --- | --- |
"""


def number_of(one):
    """The order of the claims."""
    return int(one[1:])


def found(text):
    """`violated 11` counts levels; people count steps."""
    return re.sub(r"violated (\d+)", lambda m: f"violated {int(m[1]) - 1}", text)


def sizes(claim):
    """The settings of an entry, in words."""
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in claim.get("settings", {}).items())


def deciding(claim, traces):
    """The property, the number, the test and the golden traces that decide an entry."""
    parts = []
    if "property" in claim:
        parts.append(f"`{claim['property']}` {found(claim['found'])} under {claim['revision']} ({sizes(claim)})")
    if "true_from" in claim:
        but_not = f", but not in {claim['but_not']}" if "but_not" in claim else ""
        parts.append(f"at these sizes true from {claim['true_from']} on{but_not}")
    if "number" in claim:
        parts.append(claim["number"])
    if "test" in claim:
        parts.append(f"`{claim['test'].removeprefix('tests/')}`")
    found_by_name = [re.sub(r".*/|\.trace`$", "", path) for path in traces.get(claim["id"], [])]
    names = claim.get("traces", found_by_name)
    parts += [f"`{name}`" for name in names[:MAX_TRACES]]
    return "; ".join(parts)


def line(claim, traces):
    """The row of one entry."""
    why = f" {claim['why']}" if "why" in claim else ""
    return f"| {claim['id']} | {claim['document']} | {claim['says']} | **{claim['verdict']}**.{why} | {deciding(claim, traces)} |"


def undecided():
    """Claims that no entry of the file decides."""
    known = {claim["id"] for claim in CLAIMS}
    asked = {one: what for one, what in {**REQUIREMENTS["covered"], **REQUIREMENTS.get("not_yet", {})}.items() if one[0] == "Q"}
    return {one: what for one, what in asked.items() if one not in known}


def page():
    """The whole page."""
    traces = golden()
    rows = [line(claim, traces) for claim in sorted(CLAIMS, key=lambda claim: number_of(claim["id"]))]
    missing = sorted(undecided().items(), key=lambda pair: number_of(pair[0]))
    open_ones = [f"| {one} | | {what} | not decided yet | |" for one, what in missing]
    return HEAD + "\n".join([*rows, *open_ones]) + "\n"


def test_the_page_is_as_written(request):
    if request.config.getoption("--rewrite-golden"):
        PAGE.write_text(page())
    assert PAGE.read_text() == page(), "pytest --rewrite-golden tests/test_claims_page.py"


def test_an_entry_has_what_a_reader_asks_for():
    for claim in CLAIMS:
        assert re.fullmatch(r"Q\d+", claim["id"]) and claim["says"].endswith((".", "!")), claim["id"]
        assert {"document", "verdict"} <= set(claim), claim["id"]
        assert "property" in claim or "test" in claim, f"{claim['id']} names nothing that decides it"
        for name in claim.get("traces", []):
            assert (ROOT / "traces" / "golden" / f"{name}.trace").exists(), name


def test_a_covered_claim_is_decided():
    assert set(undecided()) <= set(REQUIREMENTS.get("not_yet", {}))
