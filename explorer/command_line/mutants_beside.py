"""What `highwater guards` found of the same guards, to be shown beside what Z3 says of them.

Z3 asks whether the other guards imply one, in every state that the claims allow; the mutant shows what comes about when it
is taken out, in the states that are reached. A guard that is needed for Z3 and implied for the mutant may rule out states
that are never reached, or the sizes are too small to show it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...model.language.errors import UsageError
from ..symbolic.guards import Guard

Entry = dict[str, Any]


def read_mutants(path: str) -> list[Entry]:
    """The guards in the file that `highwater guards --json` wrote."""
    how = "write one with: highwater guards --json FILE"
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}; {how}") from None
    except (ValueError, RecursionError):
        raise UsageError(f"{path} is not JSON; {how}") from None
    if not isinstance(found, list) or not all(is_entry(one) for one in found):
        raise UsageError(f"{path} does not hold what becomes of broken rules; {how}")
    return [one for one in found if one["kind"] == "guard"]


def is_entry(one: object) -> bool:
    """Whether this is one rule's entry."""
    texts = ("function", "place", "kind", "rule", "verdict")
    return isinstance(one, dict) and all(isinstance(one.get(name), str) for name in texts)


def beside(guards: Sequence[Guard], mutants: Sequence[Entry]) -> dict[Guard, Entry]:
    """For each guard its mutant, if there is one: by action and text, or as the only one left on its line.

    Z3 reads guards with the configuration put in, the mutants have them as they are written.
    """
    out: dict[Guard, Entry] = {}
    for guard in guards:
        same = [m for m in on_line(guard, mutants) if m["rule"] == guard.test]
        if same:
            out[guard] = same[0]
    for guard in guards:
        left = [m for m in on_line(guard, mutants) if m not in out.values()]
        left = [m for m in left if words(guard.test) <= words(m["rule"])]
        alone = [g for g in guards if (g.action, g.line) == (guard.action, guard.line) and g not in out]
        if alone == [guard] and len(left) == 1:
            out[guard] = left[0]
    return out


def words(text: str) -> set[str]:
    """The names in a test: those of a guard are among its mutant's, which has the configuration's names besides."""
    return set(re.findall(r"[A-Za-z_]\w*", text))


def on_line(guard: Guard, mutants: Sequence[Entry]) -> list[Entry]:
    """The mutants of the guard's action on its line."""
    return [m for m in mutants if m["function"] == guard.action and m["place"].endswith(f":{guard.line}")]


def verdict_beside(entry: Entry | None) -> str:
    """`falls: strong_isr`; nothing when there is no mutant."""
    if entry is None:
        return ""
    return f"{entry['verdict']}: {entry['property']}" if entry.get("property") else entry["verdict"]
