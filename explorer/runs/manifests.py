"""Which files of a run directory count: one manifest for each level, written when all its files are on disk.

    manifest/0000.json   what the run is about
    manifest/0007.json   level 7: its files, the visited sets after it, and what was found and counted so far

The first line of a manifest is a checksum of all that follows, which names the checksum of the manifest before: a manifest
that was changed, exchanged or put in does not fit the chain. Each file stands there with its rows and its digest. A manifest
is never changed; the last ones are removed when a run continues from an earlier level. What no manifest names does not count.
"""

import errno
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import msgspec

from ...model.language.errors import UsageError, reason_of
from ...traces.words import plural
from ..search import Found
from .files import Store, checksum
from .identity import validate_same_run
from .point_names import points_in
from .reading import CHARACTERS, is_missing

FOLDER = "manifest"
NAME = re.compile(r"[\w=-][\w=.-]*(/[\w=-][\w=.-]*)*")
"""What a data file may be called: nothing that leads out of the directory."""


QUESTION = "progress="
"""How the folder of a question about progress begins, see `stages`."""

TIMES = 4
"""How often a file is read before it counts as damaged: what came over a network may be wrong, and the file right."""

SENT = "sent"
"""The folder of successors on their way: made again from the newest level, so no manifest names them."""


class Damaged(UsageError):
    """A file of a run is not what was written."""


class Unreadable(UsageError):
    """A file of a run cannot be read now, which says nothing of what it holds."""


class Unsound(Exception):
    """A fault of a data file, found by its reader: `name: what`. `Manifests.damaged` adds the remedy."""


class File(NamedTuple):
    """States of a level in a data file."""

    name: str
    rows: int
    digest: str


class SortedRun(NamedTuple):
    """Fingerprints of a visited set in a file: sorted rows of `width` words. `root`: the digest of its block digests."""

    name: str
    rows: int
    width: int
    digest: str
    root: str


class Level(msgspec.Struct, forbid_unknown_fields=True):
    """A level, and all that is known after it; `runs` by shard, none where the visited set is not kept; `shards`: their
    number, 0 where it is not known yet."""

    files: list[File]
    states: int
    size: int
    found: dict[str, Found]
    taken: list[int]
    able: list[int]
    new: list[int]
    runs: dict[int, list[SortedRun]] = {}
    shards: int = 0
    checksum: str = ""
    previous: str = ""

    @property
    def all_files(self) -> Iterator[File | SortedRun]:
        """Every file that the level names."""
        yield from self.files
        for runs in self.runs.values():
            yield from runs

    def is_consistent(self) -> bool:
        """The numbers fit each other, and no file has a name that leads elsewhere."""
        counts = [self.states, self.size, self.shards, *self.taken, *self.able, *self.new]
        numbers = [*counts, *(file.rows for file in self.all_files)]
        names = all(NAME.fullmatch(file.name) for file in self.all_files)
        return names and min(numbers) >= 0 and sum(file.rows for file in self.files) == self.states > 0


class Link(Protocol):
    """What one manifest says, in a chain of them: a msgspec.Struct."""

    checksum: str
    previous: str

    def is_consistent(self) -> bool:
        """The numbers fit each other, and no file has a name that leads elsewhere."""


L = TypeVar("L", bound=Link)


class ManifestChain(Generic[L]):
    """The manifests that are kept in a store, each of this `kind`; `shown`: the name of its directory in messages."""

    kind: type[L]

    def __init__(self, store: Store, shown: str) -> None:
        self.store, self.shown = store, shown
        self.last = ""
        self.levels = 0

    def begin(self, identity: dict[str, Any], resume: bool, notes: dict[str, Any], resume_from: int | None = None) -> list[L]:
        """Begin a run in the directory, or resume the one there: the levels that it has committed, up to `resume_from`.

        `notes` are kept beside the identity; another run may have others.
        """
        self.validate_resume(resume)
        numbers = self.numbers()
        if not numbers:
            self._write(0, {**identity, **notes})
            return []
        if resume_from is not None and not 1 <= resume_from < max(2, len(numbers)):
            raise UsageError(f"--resume-from {resume_from}: the run in {self.shown} has {plural(numbers[-1], 'level')}")
        validate_same_run(self.shown, self.identity(), identity)
        return self.read_levels(resume_from)

    def validate_resume(self, resume: bool) -> None:
        """UsageError when there is nothing to resume, or a run that is not to be resumed."""
        there = bool(self.numbers())
        if not there and self._listed(lambda: points_in(self.store)):
            raise UsageError(f"{self.shown} holds the table of a sweep, not a run; name another directory")
        if resume and not there:
            raise UsageError(f"{self.shown} holds no run to resume; leave out --resume to begin one there")
        if there and not resume:
            raise UsageError(f"{self.shown} already holds a run; add --resume to continue it, or name another directory")

    def require_run(self, levels: int = 1) -> None:
        """UsageError when there is no run of that many levels."""
        if len(self.numbers()) <= levels:
            raise UsageError(f"{self.shown} holds no run; name a directory that was given to highwater with --run-dir")

    def numbers(self) -> list[int]:
        """The levels that have a manifest; 0 stands for the run."""
        names = self._listed(lambda: self.store.names(FOLDER))
        return sorted(int(name[:-5]) for name in names if re.fullmatch(r"\d{4,9}\.json", name))

    def _listed(self, names: Callable[[], Iterable[str]]) -> list[str]:
        try:
            return list(names())
        except OSError as error:
            raise self.unreadable("", error) from None

    def identity(self) -> dict[str, Any]:
        """The run's identity."""
        found = msgspec.json.decode(self._checked(0))
        if not isinstance(found, dict):
            raise self.damaged(name_of(0), 0, "it is not a manifest")
        return found

    def read_levels(self, up_to: int | None = None) -> list[L]:
        """The levels; Damaged names the first manifest that does not fit the one before."""
        return list(self.each_level(up_to))

    def each_level(self, up_to: int | None = None) -> Iterator[L]:
        """As `read_levels`, one after the other."""
        last = self.numbers()[-1] if up_to is None else up_to
        self.identity()
        for number in range(1, last + 1):
            yield self._level(number)
            self.levels = number

    def _level(self, number: int) -> L:
        before = self.last
        try:
            level = msgspec.json.decode(self._checked(number), type=self.kind)
        except msgspec.MsgspecError as error:
            raise self.damaged(name_of(number), number - 1, str(error)[:120]) from None
        if level.previous != before:
            raise self.damaged(name_of(number), number - 1, "it does not follow from the manifest before it")
        if not level.is_consistent():
            raise self.damaged(name_of(number), number - 1, "its numbers do not fit each other")
        return level

    def _checked(self, number: int) -> bytes:
        """The text of a manifest whose checksum is right."""
        name = name_of(number)
        for _ in range(TIMES):
            try:
                data = self.store.read(name)
            except OSError as error:
                raise self.misread(name, number - 1, error) from None
            head, _, rest = data.partition(b"\n")
            found = checksum([rest])
            if head == first_line(found):
                break
        else:
            raise self.damaged(name, number - 1, "its checksum differs")
        self.last = found
        return data

    def commit(self, level: L) -> None:
        """Commit the next level."""
        level.previous = self.last
        content = msgspec.to_builtins(level)
        del content["checksum"]
        self._write(self.levels + 1, content)
        self.levels += 1

    def prune(self) -> None:
        """Remove the manifests of later levels than those that were read, the last one first."""
        try:
            for number in reversed(self.numbers()):
                if number > self.levels:
                    self.store.remove(name_of(number))
        except OSError as error:
            raise self.unwritable(error) from None

    def _write(self, number: int, content: dict[str, Any]) -> None:
        rest = msgspec.json.format(msgspec.json.encode(content), indent=1).removeprefix(b"{\n") + b"\n"
        last = checksum([rest])
        try:
            self.store.write(name_of(number), first_line(last) + b"\n" + rest)
        except OSError as error:
            raise self.unwritable(error) from None
        self.last = last

    def unwritable(self, error: Any) -> UsageError:
        """The error of a directory that cannot be written."""
        full = getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT)
        return UsageError(
            f"the run directory {self.shown} cannot be written: {reason_of(error)};"
            f" {'free some space' if full else 'fix that'} or choose another one, then resume: what is committed is kept"
        )

    def misread(self, name: str, sound: int, error: BaseException) -> UsageError:
        """The error of reading a file: damage when it is missing or not what was written."""
        if isinstance(error, OSError) and not is_missing(error):
            return self.unreadable(name, error)
        return self.damaged(name, sound, reason_of(error))

    def unreadable(self, name: str, error: Any) -> Unreadable:
        """The error of a file, or of the directory (""), that cannot be read now."""
        what = (reason_of(error) if isinstance(error, BaseException) else str(error))[:CHARACTERS]
        place = f"{self.shown}/{name}" if name else self.shown
        return Unreadable(f"{place} cannot be read: {what}; this is no damage, nothing is lost: mend that or wait, and try again")

    def unsound(self, name: str, what: str) -> Damaged:
        """The error of a data file; the visited sets can be made again from the levels, and so can the answers of properties."""
        question = re.match(rf"{QUESTION}\w+(?=/)", name)
        if question is not None:
            remove = f"remove {self.shown}/{question[0]} and --resume: what was explored stays"
            return Damaged(f"{self.shown}/{name} was damaged or changed ({what}); {remove}")
        if name.startswith(f"{SENT}/"):
            go_on = "continue with --resume: the newest level is expanded again"
            return Damaged(f"{self.shown}/{name} was damaged or changed ({what}); {go_on}")
        level = re.match(r"level=(\d+)/", name)
        return self.damaged(name, int(level[1]) - 1 if level else self.levels, what)

    def damaged(self, name: str, sound: int, what: str) -> Damaged:
        """The error of a file that is not what was written; `sound`: the last level that does not rest on it."""
        go_on = f"continue from the last undamaged level with --resume-from {sound}" if sound > 0 else "start a new run"
        return Damaged(f"{self.shown}/{name} was damaged or changed ({what}); {go_on}")


class Manifests(ManifestChain[Level]):
    """The manifests of a run: one for each level."""

    kind = Level


def name_of(number: int) -> str:
    """The manifest of a level; 0: of the run."""
    return f"{FOLDER}/{number:04d}.json"


def first_line(checksum: str) -> bytes:
    """How a manifest begins."""
    return f'{{"checksum": "{checksum}",'.encode()
