"""The path back from a state, level by level, by the fingerprint of the parent."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from ...traces.trace import LostPath
from ..compiling.arrays import WORD_BITS
from ..runs.files import shard_of
from ..runs.manifests import File
from .batch import END, owners
from .folder import Folder, keys_of, opened_states, words_of
from .masks import places_of

ROWS = 1 << 14
"""States of a row group that are read at a time."""


def way_back(
    folder: Folder, levels: Sequence[Sequence[File]], fingerprint: int, width: int, shards: int
) -> tuple[tuple[int, ...], list[int]]:
    """(key of the initial state, codes) of the path to a state of the last of these levels."""
    codes: list[int] = []
    key: tuple[int, ...] = ()
    for files in reversed(levels):
        words = tuple(fingerprint >> WORD_BITS * place & END - 1 for place in reversed(range(width)))
        shard = int(owners(np.array([words], np.uint64), shards)[0])
        own = [file for file in files if shard_of(file.name) in (str(shard), "driver")]
        parent, code, key = next((row for row in (find(folder, file, words) for file in own) if row), ((), 0, ()))
        if not parent:
            raise LostPath("a state's parent is not in the level before it")
        codes.append(code)
        fingerprint = int.from_bytes(np.array(parent, ">u8").tobytes(), "big")
    return key, codes[-2::-1]


def find(folder: Folder, file: File, words: tuple[int, ...]) -> tuple[tuple[int, ...], int, tuple[int, ...]] | None:
    """The parent, the code and the key of a state in a sorted file: only the row group that can hold it is read, up to it."""
    wanted = np.array([words], np.uint64)
    with opened_states(folder, file) as parquet:
        for group in range(parquet.num_row_groups):
            column = parquet.metadata.row_group(group).column(0).statistics
            if column is not None and not column.min <= words[0] <= column.max:
                continue
            for part in parquet.iter_batches(ROWS, row_groups=[group], use_threads=False):
                table = pa.Table.from_batches([part])
                row = int(places_of(wanted, words_of(table, "fingerprint"))[0])
                if row >= 0:
                    found = table.slice(row, 1)
                    parent = tuple(int(word) for word in words_of(found, "parent")[0])
                    return parent, int(found.column("action")[0].as_py()), tuple(int(word) for word in keys_of(found)[0])
    return None
