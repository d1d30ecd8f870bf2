"""tests/claims.toml: each claim is decided under the design that makes it, and then under the later ones."""

import re
import tomllib
from functools import cache
from pathlib import Path

import pytest
from support.kafka import KAFKA, outcome, tiny, violated

ROOT = Path(__file__).parents[2]
CLAIMS = tomllib.loads((ROOT / "tests" / "claims.toml").read_text())["claim"]
DECIDED = [claim for claim in CLAIMS if "property" in claim]
REVISIONS = list(KAFKA.revisions)


@cache
def levels(revision, settings, depth=None):
    """Which properties are violated, and at which depths; down to this one, or everywhere."""
    return violated(outcome(tiny(revision, **dict(settings)), revision, depth=depth))


def found(claim, revision):
    """The depth at which the claim's property is violated, or None if it holds.

    Where it is said to be violated, the search goes as deep as that, and on only if it is not: v3 has millions of states.
    """
    settings = tuple(claim["settings"].items())
    said = re.fullmatch(r"violated (\d+)", claim["found"]) if revision == claim["revision"] else None
    level = levels(revision, settings, int(said[1])).get(claim["property"]) if said else None
    return level or levels(revision, settings).get(claim["property"])


def name_of(claim):
    return f"{claim['id']} {claim.get('property', '')}".strip()


@pytest.mark.parametrize("claim", DECIDED, ids=name_of)
def test_the_verdict_is_the_one_that_is_written(claim):
    level = found(claim, claim["revision"])
    assert claim["found"] == ("holds" if level is None else f"violated {level}")


@pytest.mark.parametrize("tried", ["neighbours", pytest.param("all", marks=pytest.mark.long)])
@pytest.mark.parametrize("claim", [c for c in DECIDED if "true_from" in c], ids=name_of)
def test_it_is_true_from_the_revision_that_is_named_and_in_none_before(claim, tried):
    """Of all revisions; quickly of that one, the one before it, the last one, and those that are said to be exceptions."""
    first, but_not = REVISIONS.index(claim["true_from"]), claim.get("but_not", ())
    near = {*REVISIONS[max(0, first - 1) : first + 1], REVISIONS[-1], *but_not}
    some = [revision for revision in REVISIONS if tried == "all" or revision in near]
    holds = [revision for revision in some if found(claim, revision) is None]
    assert holds == [revision for revision in some if REVISIONS.index(revision) >= first and revision not in but_not]


@pytest.mark.parametrize("claim", [c for c in CLAIMS if "test" in c], ids=name_of)
def test_the_test_that_decides_it_exists(claim):
    path, _, name = claim["test"].partition("::")
    assert re.search(rf"^def {name}\(", (ROOT / path).read_text(), re.M)
