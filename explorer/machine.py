"""How much memory there is for this process: what the system has available, within the limits of its control groups."""

import os
from collections.abc import Iterator
from pathlib import Path

import psutil

PROC, GROUPS = Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")

MOST_THREADS = 64
"""More are of no use, and a machine may refuse to start them."""


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def threads_for(asked: int | None) -> int:
    """The threads that are asked for, up to MOST_THREADS; or one per core that this process may use."""
    return min(asked or cores(), MOST_THREADS)


def available_memory() -> int:
    """Bytes that this process could get now, in memory: the least that the system and each control group above it allow."""
    return max(0, min([int(psutil.virtual_memory().available), *left_in_groups()]))


def left_in_groups(proc: Path = PROC, groups: Path = GROUPS) -> Iterator[int]:
    """Bytes that are left in each control group that limits this process, of version 2 and of version 1.

    Pages of files that are not in use count as left: the system takes them back.
    """
    try:
        lines = proc.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if not controllers:
            yield from left_above(groups, path, ("memory.max", "memory.current", "inactive_file"))
        elif "memory" in controllers.split(","):
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            yield from left_above(groups / "memory", path, names)


def left_above(root: Path, path: str, names: tuple[str, str, str]) -> Iterator[int]:
    """What is left in a group and in all above it. In a container its own group may be the root that is mounted there."""
    limit, usage, inactive = names
    folder = root / path.lstrip("/")
    for group in (folder, *folder.parents):
        if group == root or root in group.parents:
            most, used = number_in(group / limit), number_in(group / usage)
            if most is not None and used is not None:
                yield most - used + (number_in(group / "memory.stat", inactive) or 0)


def number_in(file: Path, name: str = "") -> int | None:
    """The number that a file holds, or the one behind a name; None where there is none, as for `max`."""
    try:
        words = file.read_text().split()
        return int(words[words.index(name) + 1] if name else words[0])
    except (OSError, ValueError, IndexError):
        return None
