"""The messages of a release, from the schemas in its own jars: requests, responses, and records of the metadata log.

`kafka-clients` has a JSON file for each request and response, `kafka-metadata` one for each record. Names of fields are
those of the files. Nothing here is written by hand, so one program speaks to every release from 3.9 on.
"""

import json
import re
import uuid
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...model.language.errors import UsageError
from .wire import ENDLESS, NUMBERS, Field, Message

NULL_UUID = uuid.UUID(int=0)
DEFAULTS: Mapping[str, Any] = {"string": "", "bytes": b"", "uuid": NULL_UUID}


@dataclass(frozen=True)
class Schema:
    """A message, and the versions of it that the release speaks."""

    name: str
    message: Message
    first: int
    last: int


@dataclass
class Schemas:
    """Requests and responses by API key, records by name; what the jars of one release have."""

    requests: dict[int, Schema] = field(default_factory=dict)
    responses: dict[int, Schema] = field(default_factory=dict)
    records: dict[str, Schema] = field(default_factory=dict)

    def record(self, key: int) -> Schema:
        """The record with this key."""
        return next(schema for schema in self.records.values() if schema.message.key == key)


def schemas_in(libs: Path) -> Schemas:
    """All schemas in a folder of jars; UsageError where there are none."""
    found = Schemas()
    for text in files_in(libs):
        spec = json.loads(re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE))
        kind = spec.get("type")
        if kind not in ("request", "response", "metadata") or spec["validVersions"] == "none":
            continue
        first, last = span(spec["validVersions"])
        schema = Schema(spec["name"], message_of(spec), first, last)
        if kind == "metadata":
            found.records[schema.name] = schema
        else:
            (found.requests if kind == "request" else found.responses)[schema.message.key] = schema
    if not found.records:
        raise UsageError(f"{libs} has no schemas of metadata records: no jar kafka-metadata-VERSION.jar (Kafka 3.9 or later)")
    return found


def files_in(libs: Path) -> Iterator[str]:
    """The text of every schema."""
    for pattern in ("kafka-clients-*.jar", "kafka-metadata-*.jar"):
        for jar in sorted(libs.glob(pattern)):
            with zipfile.ZipFile(jar) as packed:
                for name in packed.namelist():
                    if re.fullmatch(r"common/(message|metadata)/\w+\.json", name):
                        yield packed.read(name).decode()


def message_of(spec: Mapping[str, Any]) -> Message:
    """A file's content as the codec takes it."""
    shared = {s["name"]: s["fields"] for s in spec.get("commonStructs", [])}
    flexible = span(spec.get("flexibleVersions", "none"))[0]
    return Message(spec["apiKey"], fields_of(spec["fields"], shared), flexible)


def fields_of(specs: Sequence[Mapping[str, Any]], shared: Mapping[str, Any]) -> tuple[Field, ...]:
    """The fields of one structure."""
    out = []
    for spec in specs:
        element = spec["type"].removeprefix("[]")
        array = element != spec["type"]
        inner = spec.get("fields") or shared.get(element)
        kind: str | tuple[Field, ...] = "bytes" if element == "records" else element
        if inner is not None:
            kind = fields_of(inner, shared)
        first, last = span(spec["versions"])
        tagged = span(spec.get("taggedVersions", "none"))[0]
        out.append(Field(spec["name"], kind, first, last, array, int(spec.get("tag", -1)), tagged, default_of(spec, kind, array)))
    return tuple(out)


def default_of(spec: Mapping[str, Any], kind: str | tuple[Field, ...], array: bool) -> Any:
    """The value of a field that is not given."""
    text = spec.get("default")
    if text == "null":
        return None
    if array:
        return []
    if isinstance(kind, tuple):
        return {f.name: f.default for f in kind}
    if kind in DEFAULTS:
        return text or DEFAULTS[kind]
    if kind == "bool":
        return str(text).lower() == "true"
    return int(str(text), 0) if text is not None and kind in NUMBERS else 0


def span(versions: str) -> tuple[int, int]:
    """`3+`, `1-4` or `2` as first and last version; `none` begins after every version."""
    if versions == "none":
        return ENDLESS + 1, ENDLESS
    first, _, last = versions.partition("-")
    if first.endswith("+"):
        return int(first[:-1]), ENDLESS
    return int(first), int(last or first)
