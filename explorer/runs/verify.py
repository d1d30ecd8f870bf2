"""Reads everything that a run directory counts, and says whether it is what was written."""

from dataclasses import dataclass, field

from ...model.language.errors import reason_of
from .files import Store, checksum
from .manifests import Damaged, File, Level, Manifests, SortedRun
from .stages import Stages, questions_in


@dataclass
class Verified:
    """What was read. `wrong`: a sentence for each file that is not what was written; `sound`: the last level that rests on
    none of them."""

    shown: str
    about: dict[str, object]
    levels: int = 0
    states: int = 0
    files: int = 0
    wrong: list[str] = field(default_factory=list)
    sound: int = 0


def verify(store: Store, shown: str) -> Verified:
    """Read every manifest and every file. UsageError when there is no run at all."""
    manifests = Manifests(store, shown)
    manifests.require_run(levels=0)
    try:
        result = Verified(shown, manifests.identity())
    except Damaged as error:
        return Verified(shown, {}, wrong=[str(error)])
    levels: list[Level] = []
    try:
        levels.extend(manifests.each_level())
    except Damaged as error:
        result.wrong.append(str(error))
    result.levels = result.sound = len(levels)
    result.states = sum(level.states for level in levels)
    for number, level in reversed(list(enumerate(levels, 1))):
        files = level.files if number < len(levels) else list(level.all_files)  # visited sets of earlier levels are gone
        for file in files:
            result.files += 1
            what = difference(store, file)
            if what:
                result.wrong.append(f"{shown}/{file.name}: {what}")
                result.sound = min(result.sound, number - 1 if file in level.files else number)
    visited = levels[-1].runs if levels else {}
    counted = sum(run.rows for runs in visited.values() for run in runs)
    if visited and counted != result.states:
        result.wrong.append(f"{shown}: the visited sets hold {counted:,} states, and the levels {result.states:,}")
    for folder in questions_in(store):
        verify_question(Stages(manifests, folder), result)
    return result


def verify_question(stages: Stages, result: Verified) -> None:
    """Read what is kept of a question about progress; no level rests on it."""
    try:
        last = stages.read_levels()[-1:]
    except Damaged as error:
        result.wrong.append(str(error))
        return
    for file in (file for stage in last for file in stage.all_files):
        result.files += 1
        what = difference(stages.run.store, file)
        if what:
            result.wrong.append(str(stages.run.unsound(file.name, what)))


def difference(store: Store, file: File | SortedRun) -> str:
    """How a file is not what was written; empty when it is."""
    try:
        return "" if checksum(store.chunks(file.name)) == file.digest else "its digest is another one"
    except OSError as error:
        return reason_of(error)
