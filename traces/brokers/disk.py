"""What a broker keeps on disk, and the record batches of producers: read and built by kafka-python.

A record's value is its batch's number in the model, so that a log on disk can be compared with a log of the model:
`(batch, epoch)` by offset. Message format 1 (0.10) has no epoch on disk, and keeps a batch together by compression.
"""

import struct
from dataclasses import dataclass, field
from pathlib import Path

from kafka.errors import KafkaError
from kafka.record import MemoryRecords, MemoryRecordsBuilder

NO_EPOCH = -1
GZIP = 1
ROOM = 1 << 16
STAMP = 1_500_000_000_000
"""The time stamp of every record: a fixed one, so that runs write the same bytes."""


@dataclass(frozen=True)
class Entry:
    """One record on disk."""

    offset: int
    batch: int
    epoch: int
    base: int


@dataclass
class Directory:
    """A replica's folder: its records, its leader epochs with their starts, its checkpointed high watermark."""

    exists: bool = False
    entries: list[Entry] = field(default_factory=list)
    epochs: dict[int, int] = field(default_factory=dict)
    checkpoint: int | None = None
    damage: str = ""

    @property
    def end(self) -> int:
        """The log end offset, as far as the records on disk tell it."""
        return self.entries[-1].offset + 1 if self.entries else 0


def build_batch(number: int, count: int, magic: int) -> bytes:
    """A producer's batch of `count` records."""
    compression = GZIP if magic < 2 and count > 1 else 0
    builder = MemoryRecordsBuilder(magic=magic, compression_type=compression, batch_size=ROOM)
    for _ in range(count):
        builder.append(timestamp=STAMP, key=None, value=str(number).encode())
    builder.close()
    return bytes(builder.buffer())


def read_directory(data: Path, topic: str, partition: int) -> Directory:
    """What the log folder `data` of a broker holds of a partition."""
    folder = data / f"{topic}-{partition}"
    found = Directory(checkpoint=read_checkpoint(data).get((topic, partition)))
    if folder.is_dir():
        found.exists = True
        found.epochs = read_epochs(folder)
        for segment in sorted(folder.glob("*.log")):
            read_records(segment.read_bytes(), segment.name, found)
    return found


def cut_log(data: Path, topic: str, partition: int, end: int) -> None:
    """Cut a log and its epochs on disk to this end, as a power loss does with what was not flushed; indexes are built anew."""
    folder = data / f"{topic}-{partition}"
    kept = [(epoch, start) for epoch, start in sorted(read_epochs(folder).items()) if start < end]
    lines = ["0", str(len(kept)), *(f"{epoch} {start}" for epoch, start in kept)]
    (folder / "leader-epoch-checkpoint").write_text("\n".join(lines) + "\n")
    for segment in folder.glob("*.log"):
        held = segment.read_bytes()
        at = 0
        while at + 12 <= len(held):
            base, size = struct.unpack_from(">qi", held, at)
            if base >= end or size <= 0:
                break
            at += 12 + size
        segment.write_bytes(held[:at])
        for index in (".index", ".timeindex"):
            segment.with_suffix(index).unlink(missing_ok=True)


def read_records(data: bytes, source: str, found: Directory) -> None:
    """Add records as they stand on disk and on the wire; what cannot be read is named as damage."""
    records = MemoryRecords(data)
    try:
        while (batch := records.next_batch()) is not None:
            epoch = batch.leader_epoch if batch.magic >= 2 else NO_EPOCH
            kept = list(batch)
            base = kept[0].offset if kept else batch.base_offset
            found.entries += [Entry(record.offset, int(record.value), epoch, base) for record in kept]
    except (KafkaError, ValueError, TypeError) as error:
        found.damage = f"{source}: {error}"


def read_epochs(folder: Path) -> dict[int, int]:
    """The leader-epoch checkpoint: where each epoch starts."""
    return {int(epoch): int(start) for epoch, start in rows(folder / "leader-epoch-checkpoint", 2)}


def read_checkpoint(data: Path) -> dict[tuple[str, int], int]:
    """The checkpointed high watermarks of a broker, by partition."""
    lines = rows(data / "replication-offset-checkpoint", 3)
    return {(topic, int(partition)): int(offset) for topic, partition, offset in lines}


def write_checkpoint(data: Path, offsets: dict[tuple[str, int], int]) -> None:
    """The file that a broker would have left that wrote these high watermarks last."""
    lines = ["0", str(len(offsets)), *(f"{topic} {partition} {offset}" for (topic, partition), offset in offsets.items())]
    (data / "replication-offset-checkpoint").write_text("\n".join(lines) + "\n")


def rows(file: Path, width: int) -> list[list[str]]:
    """The rows of a checkpoint file, below its version and its count of rows. A file that is absent has no rows."""
    for _ in range(20):  # it is replaced by renaming: between two reads it may change
        try:
            lines = file.read_text().split("\n")
        except OSError:
            return []
        found = [line.split(" ") for line in lines[2:] if line]
        if len(lines) > 1 and lines[1].isdigit() and len(found) == int(lines[1]):
            return [row for row in found if len(row) == width]
    return []
