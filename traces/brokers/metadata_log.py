"""The metadata log of KRaft: batches of records as they are on disk and on the wire, and a partition as the log has it."""

import contextlib
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kafka.record import MemoryRecords, MemoryRecordsBuilder

from .isr_requests import PartitionState
from .schemas import Schemas
from .wire import Reader, Writer, decode

FRAME = 1
"""The version of the frame around each record: key and version of the record follow it."""

Record = tuple[str, int, Mapping[str, Any]]
"""A record's name, version and values."""


@dataclass(frozen=True)
class Written:
    """One record of the log. `milliseconds`: when its batch was written."""

    offset: int
    milliseconds: int
    name: str
    values: Mapping[str, Any]


def batch_of(schemas: Schemas, records: Sequence[Record], offset: int, epoch: int, now: int) -> bytes:
    """Records as one batch. All bear one time stamp: a broker ends itself when the stamps of a batch differ."""
    builder = MemoryRecordsBuilder(magic=2, compression_type=0, batch_size=1 << 20)
    for name, version, values in records:
        message = schemas.records[name].message
        writer = Writer(version, version >= message.flexible)
        for number in (FRAME, message.key, version):
            writer.varint(number)
        writer.structure(message.fields, values)
        builder.append(timestamp=now, key=None, value=bytes(writer.out))
    builder.close()
    data = bytearray(builder.buffer())
    struct.pack_into(">q", data, 0, offset)
    struct.pack_into(">i", data, 12, epoch)
    return bytes(data)


def records_in(schemas: Schemas, data: bytes) -> Iterator[Written]:
    """The records of batches, without those of Raft itself."""
    for batch in batches_in(schemas, data):
        yield from batch


def batches_in(schemas: Schemas, data: bytes) -> Iterator[list[Written]]:
    """The records of batches, batch by batch, without those of Raft itself."""
    batches = MemoryRecords(data)
    while (batch := batches.next_batch()) is not None:
        if batch.is_control_batch:
            continue
        found = []
        for record in batch:
            reader = Reader(bytes(record.value), 0, True)
            _, key, version = reader.varint(), reader.varint(), reader.varint()
            schema = schemas.record(key)
            values = decode(schema.message, version, bytes(record.value)[reader.at :])
            found.append(Written(record.offset, record.timestamp, schema.name, values))
        yield found


class LogFile:
    """The metadata log on a node's disk, read further at each look: its first segment, which these clusters never fill."""

    def __init__(self, schemas: Schemas, data: Path) -> None:
        self.schemas, self.file = schemas, data / "__cluster_metadata-0" / f"{0:020}.log"
        self.at, self.records = 0, list[Written]()

    def read(self) -> list[Written]:
        """Every record so far."""
        with contextlib.suppress(FileNotFoundError), self.file.open("rb") as segment:
            segment.seek(self.at)
            data = segment.read()
            end = 0
            while end + 12 <= len(data):
                size = 12 + struct.unpack_from(">i", data, end + 8)[0]
                if size == 12 or end + size > len(data):
                    break  # not written yet
                end += size
            self.records += records_in(self.schemas, data[:end])
            self.at += end
        return self.records


def partition_in(log: Sequence[Written], topic: str, number: int = 0) -> list[PartitionState]:
    """Every state that a partition has had, oldest first."""
    ids = {w.values["TopicId"] for w in log if w.name == "TopicRecord" and w.values["Name"] == topic}
    out: list[PartitionState] = []
    for written in log:
        values = written.values
        if values.get("TopicId") not in ids or values.get("PartitionId") != number:
            continue
        if written.name == "PartitionRecord":
            isr, replicas = tuple(values["Isr"]), tuple(values["Replicas"])
            out.append(PartitionState(values["Leader"], values["LeaderEpoch"], values["PartitionEpoch"], isr, (), replicas))
        elif written.name == "PartitionChangeRecord":
            out.append(out[-1].after(values))
    return out
