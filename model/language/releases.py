"""Which release a revision describes, and in which repairs it differs from one.

A revision names the releases that it is for (`Revision.releases`), and a model all that there are (`Model.releases`). To add a
row, or to say that a row covers more, is to change the row alone.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from .actions import Model
from .errors import UsageError, hint
from .repairs import Repair, chains
from .revisions import Span, Unmodelled, numbers


class Difference(NamedTuple):
    """A repair that the release has and the revision lacks, or that only the revision has (`lacking`: the revision lacks it)."""

    repair: Repair
    lacking: bool


BRANCHES = ("trunk", "main", "master", "dev", "head")


def of_a_fork(model: Model, text: str) -> str:
    """What someone is to take who names the version of a fork, `4.1.0-acme2`, or a branch; empty for other names."""
    version = re.match(r"v?(\d+\.\d+(?:\.\d+)*)[-+_.]\w", text.strip())
    plugin = "and a plugin for what differs (docs/adding-a-revision.md)"
    if version:
        return f"for a fork of {version[1]} take that, {plugin}"
    if text.strip().lower() in BRANCHES:
        newest = model.releases[-1]
        return f"a branch is no release; take {newest}, the newest that was read, or the one that it was forked from, {plugin}"
    return ""


def release_of(model: Model, text: str) -> str:
    """The release that is meant: of `3.9` and `3.9.x` the last patch; UsageError when there is none."""
    wanted = re.sub(r"^kafka[-_ ]?|^v|\.x$", "", text.strip().lower())
    found = [release for release in model.releases if release == wanted or release.startswith(f"{wanted}.")]
    if not found:
        if not model.releases:
            raise UsageError(f"the model {model.name} is not about releases; its revisions are {', '.join(model.revisions)}")
        known, better = f"{model.releases[0]} to {model.releases[-1]}", hint(wanted, model.releases, "see highwater releases")
        better = of_a_fork(model, text) or better
        raise UsageError(f"there is no release {text!r:.40} among those from {known}; {better}")
    return found[-1]


def touches(bug: Unmodelled, model: Model, revision: str) -> bool:
    """Whether a release that the revision describes had a bug of which the model says nothing."""
    described = [span for span in model.revisions[revision].releases if span.under == bug.span.under]
    return any(release in span and release in bug.span for span in described for release in model.releases)


def rows_of(model: Model, release: str) -> Iterator[tuple[str, Span]]:
    """The revisions that describe a release: one for each way of coordination that it has."""
    for name, revision in model.revisions.items():
        yield from ((name, span) for span in revision.releases if release in span)


def row_of(model: Model, text: str) -> tuple[str, str, Span]:
    """The release, the revision that describes it, and for which releases that is; UsageError when no revision does."""
    release = release_of(model, text)
    for name, span in rows_of(model, release):
        return release, name, span
    covered = [(span, name) for name, revision in model.revisions.items() for span in revision.releases]
    earlier = [(span, name) for span, name in covered if numbers(span.last) < numbers(release)]
    last = ""
    if earlier:
        span, name = max(earlier, key=lambda repair: numbers(repair[0].last))
        last = f": {name} is for {span} under {span.under}, and what it says need not be true of {release}"
    known = f"highwater releases {release} says which model does"
    raise UsageError(f"no revision of the model {model.name} describes Kafka {release}{last}; {known}")


def has(release: str, repair: Repair) -> bool:
    """Whether a release has a repair. `2.0.1, 2.1.0` is: in 2.0 since 2.0.1, and in everything since 2.1.0."""
    if repair.release == "none" or (repair.until and numbers(release) >= numbers(repair.until)):
        return False
    firsts = repair.release.split(", ")
    mine, last = numbers(release), numbers(firsts[-1])
    return mine >= last or any(mine[:-1] == numbers(first)[:-1] and mine >= numbers(first) for first in firsts)


def differences(model: Model, release: str, revision: str) -> list[Difference]:
    """The repairs in which a release differs from the revision that describes it.

    Of those that the release does not have, only what the revision says itself, and what came with some release: a default
    may be a repair of what came later.
    """
    config, said = model.defaults(revision), model.revisions[revision].settings
    out, shown = [], config.shown()
    for chain in chains(model.repairs, config, [repair.name for repair in model.repairs]):
        values: list[Any] = [chain.value(level) for level in range(chain.top + 1)]
        mine = values.index(shown[chain.setting])
        wanted = max((level for level, repair in enumerate(chain.repairs, 1) if has(release, repair)), default=0)
        out += [Difference(repair, True) for repair in chain.repairs[mine:wanted]]
        for repair in chain.repairs[wanted:mine]:  # `since`: the release has what this repairs, though an earlier one did not
            regressed = repair.since and numbers(release) >= numbers(repair.since) and not has(release, repair)
            out += [Difference(repair, False)] if chain.setting in said or regressed else []
    return out


def settings_of_release(model: Model, release: str, revision: str) -> dict[str, Any]:
    """The settings that turn the revision that describes a release into the release, as far as repairs tell them apart."""
    found = differences(model, release, revision)
    out: dict[str, Any] = {repair.setting: repair.value for repair, lacking in found if lacking}  # of a chain the last
    for chain in chains(model.repairs, model.defaults(revision)):
        wrong = [repair for repair, lacking in found if not lacking and repair.setting == chain.setting]
        if wrong:
            out[chain.setting] = chain.value(chain.repairs.index(wrong[0]))
    return out
