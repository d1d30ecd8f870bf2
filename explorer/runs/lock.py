"""One run directory, one writer: a lock of the file system, which ends with the process, however that ends.

The file says which process holds the lock, for the message that a second process gets; its content does not decide anything.
"""

import errno
import fcntl
import getpass
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from ...model.language.errors import UsageError

NAME = "lock"

SAME = 2.0
"""Seconds between two readings of when the same process began, at most."""


def who() -> dict[str, str | int | float]:
    """This process, for people."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = str(os.getuid())
    since = time.strftime("%Y-%m-%d %H:%M:%S")
    born = psutil.Process().create_time()
    place = {"host": socket.gethostname(), "machine": machine()}
    return {"process": os.getpid(), "user": user, "since": since, "born": born, **place}


def machine() -> str:
    """Where a process's number is its own: this machine since it began, and this container; empty where that is unknown."""
    try:
        since = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{socket.gethostname()} {since} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return ""


def is_dead(data: bytes) -> bool:
    """Whether the holder of a lock was a process of this machine, and is certainly gone."""
    try:
        found = json.loads(data)
        if not found["machine"] or found["machine"] != machine():
            return False
        process = psutil.Process(int(found["process"]))
        return bool(process.status() == psutil.STATUS_ZOMBIE or abs(process.create_time() - float(found["born"])) > SAME)
    except psutil.NoSuchProcess:
        return True
    except (ValueError, KeyError, TypeError, OverflowError, psutil.Error):
        return False


def holder_in(data: bytes) -> str:
    """Who holds a lock, in words, as far as its file says it."""
    try:
        found = json.loads(data)
        return f"process {int(found['process'])} of {found['user']:.40} on {found['host']:.60} since {found['since']:.20}"
    except (ValueError, KeyError, TypeError):
        return "another process"


@contextmanager
def locked(folder: Path, shown: object) -> Iterator[None]:
    """Within the block this process alone writes to the folder, which must exist. UsageError when another one does."""
    descriptor = os.open(folder / NAME, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    try:
        take(descriptor, fcntl.LOCK_EX, shown)
        os.ftruncate(descriptor, 0)
        os.write(descriptor, json.dumps(who()).encode())
        yield
    finally:
        os.close(descriptor)


@contextmanager
def unwritten(folder: Path, shown: object) -> Iterator[None]:
    """Within the block no process writes to the folder, which need not be writable. UsageError when one does."""
    try:
        descriptor = os.open(folder / NAME, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        yield
        return
    try:
        take(descriptor, fcntl.LOCK_SH, shown)
        yield
    finally:
        os.close(descriptor)


def take(descriptor: int, kind: int, shown: object) -> None:
    """Take a lock; UsageError names the process that has it."""
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
            raise
        holder = holder_in(os.read(descriptor, 4096))
        raise UsageError(f"{shown} is in use by {holder}; wait until that run has ended, or name another directory") from None
