"""Reads everything that a run directory counts, and says whether it is what was written."""

from dataclasses import dataclass, field

from ...model.language.errors import UsageError, reason_of
from .ended import Ended, end_of
from .files import Store, checksum
from .manifests import TIMES, Damaged, File, Level, Manifests, SortedRun, Unreadable
from .reading import is_missing
from .stages import Stages, questions_in


@dataclass
class Verified:
    """What was read. `wrong`: a sentence for each file that is not what was written; `unread`: for each that cannot be read
    now; `sound`: the last level that rests on none of either; `ended`: how the run ended, where that is recorded."""

    shown: str
    about: dict[str, object]
    levels: int = 0
    states: int = 0
    files: int = 0
    wrong: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    sound: int = 0
    ended: Ended | None = None

    def add(self, error: UsageError) -> None:
        """Note the error of a file."""
        (self.unread if isinstance(error, Unreadable) else self.wrong).append(str(error))


def verify(store: Store, shown: str) -> Verified:
    """Read every manifest and every file. UsageError when there is no run at all."""
    manifests = Manifests(store, shown)
    manifests.require_run(levels=0)
    result, levels = Verified(shown, {}), list[Level]()
    try:
        result.about = manifests.identity()
        levels.extend(manifests.each_level())
    except (Damaged, Unreadable) as error:
        result.add(error)
        if not result.about:
            return result
    result.levels = result.sound = len(levels)
    result.states = sum(level.states for level in levels)
    for number, level in reversed(list(enumerate(levels, 1))):
        files = level.files if number < len(levels) else list(level.all_files)  # visited sets of earlier levels are gone
        for file in files:
            result.files += 1
            if not compare(manifests, file, result):
                result.sound = min(result.sound, number - 1 if file in level.files else number)
    try:
        result.ended = end_of(manifests)
    except (Damaged, Unreadable) as error:
        result.add(error)
    visited = levels[-1].runs if levels else {}
    counted = sum(run.rows for runs in visited.values() for run in runs)
    if visited and counted != result.states:
        result.wrong.append(f"{shown}: the visited sets hold {counted:,} states, and the levels {result.states:,}")
    try:
        questions = questions_in(store)
    except OSError as error:
        result.add(manifests.unreadable("", error))
        return result
    for folder in questions:
        verify_question(Stages(manifests, folder), result)
    return result


def compare(manifests: Manifests, file: File | SortedRun, result: Verified) -> bool:
    """Whether a file is what was written; what is wrong is noted."""
    try:
        what = difference(manifests.store, file)
    except OSError as error:
        result.add(manifests.unreadable(file.name, error))
        return False
    if what:
        result.wrong.append(f"{manifests.shown}/{file.name}: {what}")
    return not what


def verify_question(stages: Stages, result: Verified) -> None:
    """Read what is kept of a question about progress; no level rests on it."""
    try:
        last = stages.read_levels()[-1:]
    except (Damaged, Unreadable) as error:
        result.add(error)
        return
    for file in (file for stage in last for file in stage.all_files):
        result.files += 1
        compare(stages.run, file, result)


def difference(store: Store, file: File | SortedRun) -> str:
    """How a file is not what was written; empty when it is. OSError when it cannot be read now."""
    try:
        is_right = any(checksum(store.chunks(file.name)) == file.digest for _ in range(TIMES))
    except OSError as error:
        if not is_missing(error):
            raise
        return reason_of(error)
    return "" if is_right else "its digest differs"
