"""How a run ended: one small file, written once its outcome is known, with a checksum as a manifest has it.

    outcome.json   the verdict, that of each property, what ended the exploration, and the manifest after which it was written

A run that is resumed afterwards commits another manifest, so that what an earlier end says is not taken for that of the last.
"""

from contextlib import suppress

import msgspec

from ...traces.words import plural
from ..verdict import VIOLATED, Finding, Outcome
from .files import checksum
from .manifests import TIMES, Damaged, Manifests, first_line
from .reading import is_missing

NAME = "outcome.json"


class Ended(msgspec.Struct, forbid_unknown_fields=True):
    """How a run ended. `properties`: name, verdict, and after how many steps it was seen; `stopped`: the bound that ended it;
    `after`: the checksum of the last manifest."""

    verdict: str
    properties: list[tuple[str, str, int | None]]
    complete: bool
    stopped: str
    whole_levels: int
    states: int
    transitions: int
    after: str
    checksum: str = ""

    def sentence(self) -> str:
        """The verdict, the violation that takes the fewest steps, and how far the exploration went."""
        found = sorted((steps or 0, name) for name, verdict, steps in self.properties if verdict == VIOLATED)
        more = f", and {len(found) - 1} more" if len(found) > 1 else ""
        first = f"{found[0][1]} after {plural(found[0][0], 'step')}{more}; " if found else ""
        how = self.stopped or "the exploration ended there"
        how = f"incomplete: {how}" if self.stopped and first else how
        whole = f"every level to depth {self.whole_levels} is complete"
        return f"{self.verdict}: {first}{'everything reachable was explored' if self.complete else f'{how}; {whole}'}"


def record_end(manifests: Manifests, outcome: Outcome) -> None:
    """Write how a run ended. Where that cannot be, it is a remark: the verdict is there all the same."""
    findings: list[Finding] = [*outcome.findings, *([outcome.deadlock] if outcome.deadlock else [])]
    properties = [(finding.property.name, finding.verdict, finding.steps) for finding in findings]
    ended = Ended(
        outcome.verdict, properties, outcome.complete, outcome.stopped, outcome.whole_levels, outcome.distinct_states,
        outcome.transitions, manifests.last,
    )  # fmt: skip
    content = msgspec.to_builtins(ended)
    del content["checksum"]
    rest = msgspec.json.format(msgspec.json.encode(content), indent=1).removeprefix(b"{\n") + b"\n"
    try:
        manifests.store.remove(NAME)  # stores and file systems of Hadoop put nothing in the place of another
        manifests.store.write(NAME, first_line(checksum([rest])) + b"\n" + rest)
    except OSError as error:
        outcome.remarks.append(f"how it ended could not be written into the run directory: {error}")


def end_of(manifests: Manifests) -> Ended | None:
    """How the run ended, whose manifests were read; None where that is not recorded. Damaged when it is not what was written."""
    for _ in range(TIMES):
        try:
            data = manifests.store.read(NAME)
        except OSError as error:
            if is_missing(error):
                return None
            raise manifests.unreadable(NAME, error) from None
        head, _, rest = data.partition(b"\n")
        if head == first_line(checksum([rest])):
            with suppress(msgspec.MsgspecError):
                ended = msgspec.json.decode(data, type=Ended)
                return ended if ended.after == manifests.last else None
    raise Damaged(f"{manifests.shown}/{NAME} was damaged or changed (its checksum differs); --resume writes it again")
