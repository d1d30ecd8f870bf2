"""The releases that traces are performed on: the versions of its protocol, what it needs, and the revision it is compared with.

`settings` are the model's: what the release does where the revision leaves a choice. A distribution of another patch
level is taken for the row of its minor version.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...model.language.errors import UsageError


@dataclass(frozen=True)
class Release:
    """One row. `versions`: of LeaderAndIsr, UpdateMetadata, StopReplica and Produce, as its own controller sends them.

    `inter_broker`: from 2.7 on a leader asks the controller to change the ISR, unless the brokers are told to speak the
    version before (as in an upgrade): then it writes to ZooKeeper itself, as the model does. `epoch_at_append`: a
    leader's epoch enters its cache with the first record, not when it begins to lead (before 2.0.1). `drops_silent`: a
    leader also drops who has everything but fetches no more (before 2.1). `shims` and `hosts_file`: what the release
    needs to run on a later Java than it was made for. `kraft` and `zookeeper`: which of them its brokers can be coordinated
    by, here. `elr`: the versions of the feature `eligible.leader.replicas` (KIP-966) that it has; the last is the default.
    `built`: what a distribution calls itself that is taken for this release.
    """

    name: str
    scala: str
    revision: str
    versions: tuple[int, int, int, int]
    logging: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    magic: int = 2
    shims: bool = False
    hosts_file: bool = False
    inter_broker: str = ""
    epoch_at_append: bool = False
    drops_silent: bool = False
    kraft: bool = False
    zookeeper: bool = True
    elr: tuple[int, ...] = ()
    built: str = ""

    @property
    def shown(self) -> str:
        """What runs, for people."""
        return f"{self.built} (as {self.name})" if self.built else self.name

    @property
    def line(self) -> str:
        """The minor version: `1.0` of 1.0.2."""
        return minor(self.name)


LOG4J = "org.slf4j:slf4j-log4j12:1.7.25"
RELOAD4J = "org.slf4j:slf4j-reload4j:1.7.36"
LOG4J2 = "org.apache.logging.log4j:log4j-slf4j-impl:2.24.3"

SINCE_2_7: Mapping[str, Any] = {"cut_of_nothing": "dropped", "lost_epoch_file": "rebuilt"}
"""What `kip-320`, the rules of 2.5, does not have (KAFKA-10706)."""

RELEASES = (
    Release("0.10.2.2", "2.11", "high-watermark", (0, 3, 0, 2), magic=1, shims=True, drops_silent=True),
    Release("0.11.0.3", "2.11", "kip-101", (0, 3, 0, 3), shims=True, epoch_at_append=True, drops_silent=True),
    Release("1.0.2", "2.11", "kip-101", (1, 4, 0, 3), epoch_at_append=True, drops_silent=True),
    Release("1.1.1", "2.11", "kip-101", (1, 4, 0, 3), LOG4J, epoch_at_append=True, drops_silent=True),
    Release("2.0.0", "2.11", "kip-279", (1, 4, 0, 3), LOG4J, hosts_file=True, epoch_at_append=True, drops_silent=True),
    Release("2.0.1", "2.11", "kip-279-2.0.1", (1, 4, 0, 3), LOG4J, hosts_file=True, drops_silent=True),
    Release("2.1.1", "2.11", "kip-320-2.1.1", (1, 4, 0, 3), LOG4J, hosts_file=True),
    Release("2.8.2", "2.13", "kip-320", (4, 6, 3, 3), RELOAD4J, SINCE_2_7, inter_broker="2.6"),
    Release("3.9.1", "2.13", "kip-320", (4, 6, 3, 3), RELOAD4J, SINCE_2_7, inter_broker="2.6", kraft=True),
)
KRAFT = tuple(
    Release(name, "2.13", "kip-320-2.8", (-1, -1, -1, 3), LOG4J2, kraft=True, zookeeper=False, elr=elr)
    for name, elr in (("4.0.2", (1, 0)), ("4.1.1", (0, 1)), ("4.2.1", (0, 1)), ("4.3.1", (0, 1)), ("4.4.0", (0, 1)))
)
"""The releases without ZooKeeper: they have none of the three requests of a ZooKeeper controller."""


def minor(version: str) -> str:
    """The first numbers of a version: two, or three of 0.x."""
    parts = version.split(".")
    return ".".join(parts[: 3 if parts[0] == "0" else 2])


def release_named(name: str) -> Release:
    """The release of this version, or the one of its minor version; UsageError when there is none."""
    every = RELEASES + KRAFT
    for release in reversed(every):
        if name == release.name:
            return release
    for release in reversed(every):
        if minor(name) == release.line:
            return release
    known = ", ".join(r.name for r in every)
    raise UsageError(f"traces are not performed on Kafka {name[:20]!r}; known releases: {known}")


def built(version: str, suffix: str) -> Release:
    """A distribution of this version; what is being built, a later minor version of the newest, is taken for the newest."""
    newest, mine = KRAFT[-1], [int(part) for part in version.split(".")]
    later = mine[0] == int(newest.line.split(".")[0]) and mine > [int(part) for part in newest.name.split(".")]
    release = newest if later else release_named(version)
    return release if (release.name, "") == (version, suffix) else replace(release, built=version + suffix)


def release_in(folder: Path) -> Release:
    """The release of an unpacked distribution, from the name of its server's jar."""
    jars = folder / "libs"
    if not jars.is_dir():
        raise UsageError(f"{folder} has no folder libs: it is not an unpacked Kafka distribution (kafka_2.xx-VERSION)")
    for jar in sorted(jars.glob("kafka_2.*.jar")):
        found = re.fullmatch(r"kafka_2\.\d+-(\d+(?:\.\d+)+)(-SNAPSHOT|-rc\d+)?\.jar", jar.name)
        if found:
            return built(found[1], found[2] or "")
    raise UsageError(f"{jars} has no jar kafka_2.xx-VERSION.jar: it is not a Kafka distribution")
