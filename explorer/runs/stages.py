"""What is kept of a question about progress to a run that is complete: its steps, and how far it was answered backwards.

    progress=<digest>/manifest/0000.json   the question: its properties, and the manifest of the run's last level
    progress=<digest>/manifest/0007.json   everything that counts after the seventh job
"""

from collections.abc import Iterator

import msgspec

from .files import Store
from .manifests import NAME, QUESTION, Damaged, File, ManifestChain, Manifests

Files = dict[int, list[File]]
"""Files by shard."""


class BackwardStage(msgspec.Struct, forbid_unknown_fields=True):
    """What is known: the steps of the first `levels` levels, and `back` levels backwards from the goals.

    `taken`: steps by action; `asked`: the bits of the goals whose premise was true in some state.
    """

    levels: int
    back: int
    taken: list[int]
    asked: int
    steps: Files = {}
    open: Files = {}
    reached: Files = {}
    checksum: str = ""
    previous: str = ""

    @property
    def all_files(self) -> Iterator[File]:
        """Every file that counts."""
        for by_shard in (self.steps, self.open, self.reached):
            for files in by_shard.values():
                yield from files

    def is_consistent(self) -> bool:
        """The numbers fit each other, and no file has a name that leads elsewhere."""
        numbers = [self.levels, self.back, self.asked, *self.taken, *(file.rows for file in self.all_files)]
        return min(numbers) >= 0 and all(NAME.fullmatch(file.name) for file in self.all_files)


class Stages(ManifestChain[BackwardStage]):
    """The manifests of one question to a run."""

    kind = BackwardStage

    def __init__(self, run: Manifests, folder: str) -> None:
        super().__init__(run.store.below(folder), f"{run.shown}/{folder}")
        self.run, self.folder = run, folder

    def damaged(self, name: str, sound: int, what: str) -> Damaged:
        """The error of a manifest that is not what was written."""
        return self.run.unsound(f"{self.folder}/{name}", what)


def questions_in(store: Store) -> list[str]:
    """The folders of the questions to a run."""
    return sorted(name for name in store.names("") if name.startswith(QUESTION))
