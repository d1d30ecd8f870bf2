"""Kafka's wire protocol, as far as a controller and a gate need it: frames, fields, request and response headers.

A message is a tuple of fields in the order of the wire. Each field names the versions that have it; from the version
`flexible` on, strings and arrays have compact lengths and every structure ends with tagged fields (KIP-482).
The client libraries no longer have the requests of a controller (Kafka 4 has none), so they are declared in `requests`.
"""

from __future__ import annotations

import socket
import struct
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

ENDLESS = 99
"""The last version of a field that no version dropped."""

NUMBERS = {
    "int8": ">b", "int16": ">h", "uint16": ">H", "int32": ">i", "uint32": ">I", "int64": ">q", "float64": ">d", "bool": ">?",
}  # fmt: skip
NEEDED = object()
"""The default of a field that has none: its value must be given."""

LARGEST_FRAME = 64 << 20


class WireError(Exception):
    """Bytes that are not what the protocol says."""


@dataclass(frozen=True)
class Field:
    """One field: a kind (a number, `uuid`, `string` and `bytes`, which may be null), or the fields of an array's elements.

    `array`: elements of the kind stand in an array. Versions are `first` to `last`, both included. From the version
    `tagged` on it is a tagged field of number `tag`, which is written only if it has a value (KIP-482).
    """

    name: str
    kind: str | tuple[Field, ...]
    first: int = 0
    last: int = ENDLESS
    array: bool = False
    tag: int = -1
    tagged: int = ENDLESS
    default: Any = NEEDED

    def is_tagged(self, version: int) -> bool:
        """Among the tagged fields at the end of the structure, instead of in its place."""
        return self.tag >= 0 and version >= self.tagged


@dataclass(frozen=True)
class Message:
    """A request or a response: its key, its fields, and the first flexible version."""

    key: int
    fields: tuple[Field, ...]
    flexible: int = ENDLESS


def fields(text: str, **structures: tuple[Field, ...]) -> tuple[Field, ...]:
    """Fields as `leader int32, isr [int32], partitions [Partition] 0-1, topics [Topic] 2+`: name, kind, and versions if not all.

    Brackets are an array; `structures` are the elements of arrays by name.
    """
    out = []
    for field in text.split(","):
        name, kind, versions = (*field.split(), "0+")[:3]
        first, _, last = versions.rstrip("+").partition("-")
        element = kind.strip("[]")
        out.append(Field(name, structures.get(element, element), int(first), int(last or ENDLESS), array=element != kind))
    return tuple(out)


def topics(partitions: str) -> tuple[Field, ...]:
    """A topic and its partitions, whose fields these are."""
    return fields("topic string, partitions [Partition]", Partition=fields(partitions))


class Writer:
    """Bytes of one version of a message."""

    def __init__(self, version: int, flexible: bool) -> None:
        self.version, self.flexible, self.out = version, flexible, bytearray()

    def number(self, kind: str, value: int) -> None:
        """A number of a fixed size."""
        self.out += struct.pack(NUMBERS[kind], value)

    def varint(self, value: int) -> None:
        """An unsigned number in groups of seven bits."""
        while value > 0x7F:
            self.out.append(value & 0x7F | 0x80)
            value >>= 7
        self.out.append(value)

    def length(self, count: int, kind: str) -> None:
        """The length of a string (`int16`), of bytes or of an array (`int32`); -1 for none."""
        if self.flexible:
            self.varint(count + 1)
        else:
            self.number(kind, count)

    def text(self, value: str | None) -> None:
        """A string, or none."""
        data = b"" if value is None else value.encode()
        self.length(-1 if value is None else len(data), "int16")
        self.out += data

    def structure(self, fields: Sequence[Field], values: Mapping[str, Any]) -> None:
        """The fields that this version has, and the tagged fields that have a value."""
        tagged = []
        for field in fields:
            if not field.first <= self.version <= field.last:
                continue
            if field.is_tagged(self.version):
                tagged += [field] if field.name in values else []
            elif field.name in values or field.default is NEEDED:
                self.field(field, values[field.name])
            else:
                self.field(field, field.default)
        if self.flexible:
            self.varint(len(tagged))
            for field in sorted(tagged, key=lambda f: f.tag):
                inner = Writer(self.version, True)
                inner.field(field, values[field.name])
                self.varint(field.tag)
                self.varint(len(inner.out))
                self.out += inner.out

    def field(self, field: Field, value: Any) -> None:
        """One field, or every element of an array."""
        if not field.array:
            self.value(field.kind, value)
            return
        self.length(-1 if value is None else len(value), "int32")
        for element in value or ():
            self.value(field.kind, element)

    def value(self, kind: str | tuple[Field, ...], value: Any) -> None:
        """A single value, or a structure."""
        if isinstance(kind, tuple):
            self.structure(kind, value)
        elif kind == "string":
            self.text(value)
        elif kind == "bytes":
            self.length(-1 if value is None else len(value), "int32")
            self.out += value or b""
        elif kind == "uuid":
            self.out += value.bytes
        else:
            self.number(kind, value)


class Reader:
    """The other way; WireError where the bytes end too soon."""

    def __init__(self, data: bytes, version: int, flexible: bool) -> None:
        self.data, self.at, self.version, self.flexible = data, 0, version, flexible

    def take(self, count: int) -> bytes:
        """So many bytes."""
        if count < 0 or self.at + count > len(self.data):
            raise WireError(f"a message of {len(self.data)} bytes ends before offset {self.at + count}")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, kind: str) -> int:
        """A number of a fixed size."""
        form = NUMBERS[kind]
        return int(struct.unpack(form, self.take(struct.calcsize(form)))[0])

    def varint(self) -> int:
        """An unsigned number in groups of seven bits."""
        value = shift = 0
        while shift < 35:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
        raise WireError("a variable-length number does not end")

    def length(self, kind: str) -> int:
        """The length of a string, of bytes or of an array."""
        return self.varint() - 1 if self.flexible else self.number(kind)

    def structure(self, fields: Sequence[Field]) -> dict[str, Any]:
        """The values of the fields that this version has."""
        known = [f for f in fields if f.first <= self.version <= f.last]
        values = {f.name: self.field(f) for f in known if not f.is_tagged(self.version)}
        if self.flexible:
            tagged = {f.tag: f for f in known if f.is_tagged(self.version)}
            values |= {f.name: f.default for f in tagged.values()}
            self.tags(tagged, values)
        return values

    def tags(self, known: Mapping[int, Field], values: dict[str, Any]) -> None:
        """The tagged fields, of which those that are known are read."""
        for _ in range(self.varint()):
            tag = self.varint()
            inner = Reader(self.take(self.varint()), self.version, True)
            if tag in known:
                values[known[tag].name] = inner.field(known[tag])

    def text(self) -> str | None:
        """A string, or none."""
        count = self.length("int16")
        return None if count < 0 else self.take(count).decode()

    def field(self, field: Field) -> Any:
        """One field, or every element of an array."""
        if not field.array:
            return self.value(field.kind)
        return [self.value(field.kind) for _ in range(max(0, self.length("int32")))]

    def value(self, kind: str | tuple[Field, ...]) -> Any:
        """A single value, or a structure."""
        if isinstance(kind, tuple):
            return self.structure(kind)
        if kind == "string":
            return self.text()
        if kind == "bytes":
            return self.take(max(0, self.length("int32")))
        if kind == "uuid":
            return uuid.UUID(bytes=self.take(16))
        return self.number(kind)


def encode(message: Message, version: int, values: Mapping[str, Any]) -> bytes:
    """The body of a message."""
    writer = Writer(version, version >= message.flexible)
    writer.structure(message.fields, values)
    return bytes(writer.out)


def decode(message: Message, version: int, data: bytes) -> dict[str, Any]:
    """The values in a body; WireError when it does not end where its bytes end."""
    reader = Reader(data, version, version >= message.flexible)
    values = reader.structure(message.fields)
    if reader.at != len(data):
        raise WireError(f"{len(data) - reader.at} bytes remain after a message")
    return values


def request_frame(message: Message, version: int, correlation: int, client: str, values: Mapping[str, Any]) -> bytes:
    """A whole request: length, header, body. A client's name never has a compact length."""
    header = struct.pack(">hhih", message.key, version, correlation, len(client)) + client.encode()
    if version >= message.flexible:
        header += b"\x00"
    return framed(header + encode(message, version, values))


def request_body(message: Message, version: int, payload: bytes) -> bytes:
    """The body of a request's payload: what follows key, version, correlation id, the client's name and tagged fields."""
    reader = Reader(payload, version, False)
    reader.take(8)
    reader.text()
    if version >= message.flexible:
        reader.tags({}, {})
    return payload[reader.at :]


def framed(payload: bytes) -> bytes:
    """A payload behind its length."""
    return struct.pack(">i", len(payload)) + payload


def response_body(request: Message, version: int, payload: bytes) -> tuple[int, bytes]:
    """The correlation id and the body of a response's payload."""
    reader = Reader(payload, version, version >= request.flexible)
    correlation = reader.number("int32")
    if reader.flexible:
        reader.tags({}, {})
    return correlation, payload[reader.at :]


def read_frame(connection: socket.socket) -> bytes | None:
    """The next payload of a connection; None at its end. OSError passes through."""
    head = read_exactly(connection, 4)
    if head is None:
        return None
    length = struct.unpack(">i", head)[0]
    if not 0 <= length <= LARGEST_FRAME:
        raise WireError(f"a frame of {length} bytes")
    return read_exactly(connection, length)


def read_exactly(connection: socket.socket, count: int) -> bytes | None:
    """So many bytes; None when the connection ends before."""
    parts = []
    while count:
        data = connection.recv(min(count, 1 << 16))
        if not data:
            return None
        parts.append(data)
        count -= len(data)
    return b"".join(parts)
