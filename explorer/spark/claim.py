"""One run directory, one writer, in a store that has no locks: a file with the owner's name, which the owner renews.

The lock is taken by creating the file where there is none. A later run takes it over, and says so, when its owner was a process
of this machine and is gone, or when it was not renewed for as long as its lease, by the store's clock. An owner that was stopped
for longer notices it at its next level: it writes a manifest only while the lock is its own.
"""

import json
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Protocol

from ...model.language.errors import UsageError, reason_of
from ..runs.lock import NAME, holder_in, is_dead, who

LEASE = 180.0
"""Seconds without a renewal after which a lock is nobody's."""

RENEWALS = 6
"""How often it is renewed in that time."""

_over: set[bytes] = set()
"""Locks that this process took for runs which are over, and that may be there still: a store can fail when one is removed, show
another content of it, or create it and not say so."""


class Claimable(Protocol):
    """What a store must do for it; everything raises OSError."""

    lock: bytes

    @property
    def uri(self) -> str:
        """Where it is."""

    def read(self, name: str) -> bytes:
        """A whole small file."""

    def create(self, name: str, data: bytes) -> None:
        """Write a file that is not there; where there is one, FileExistsError or nothing."""

    def replace(self, name: str, before: bytes, data: bytes) -> None:
        """Write a file whose content is `before`; where it is another one, OSError or nothing."""

    def modified(self, name: str) -> float:
        """When the file was written, in seconds by the store's clock."""

    def remove(self, name: str) -> None:
        """Remove a file; nothing when it is not there."""


@contextmanager
def claimed_by_me(store: Claimable, shown: str, remarks: list[str]) -> Iterator[None]:
    """Within the block this process alone writes to the directory. UsageError when another one does.

    `remarks` gets a sentence when a lock was taken over, and when it cannot be removed at the end: the run is whole all the same.
    """
    take(store, shown, remarks)
    over = threading.Event()
    thread = threading.Thread(target=renew, args=(store, over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        release(store, remarks)


def release(store: Claimable, remarks: list[str]) -> None:
    """Remove the lock, if it is still this process's own. What a store shows can have changed on the way: it is read twice."""
    _over.add(store.lock)
    try:
        if any(store.read(NAME) == store.lock for _ in range(2)):
            store.remove(NAME)
    except OSError as error:
        gone = f"the next run takes it over, at the latest after {LEASE:.0f} s; or remove it"
        remarks.append(f"the lock {store.uri}/{NAME} could not be removed ({reason_of(error)[:200]}): {gone}")
    store.lock = b""


def take(store: Claimable, shown: str, remarks: list[str]) -> None:
    """Take the lock, or take it over."""
    mine = json.dumps({**who(), "token": uuid.uuid4().hex}).encode()
    try:
        _take(store, shown, mine, remarks)
    except BaseException:
        _over.add(mine)
        raise
    store.lock = mine


def _take(store: Claimable, shown: str, mine: bytes, remarks: list[str]) -> None:
    """The same; when it raises, `mine` may be in the store all the same."""
    with suppress(FileExistsError):
        store.create(NAME, mine)
    found = store.read(NAME)
    if found != mine:
        gone = "its process is gone" if is_dead(found) else ""
        why = "its run is over" if found in _over else gone or expiry(store)
        if why:
            remarks.append(f"the lock of {holder_in(found)} was taken over: {why}")
            with suppress(FileExistsError):  # another process was faster
                store.replace(NAME, found, mine)
            found = store.read(NAME)
    if found != mine:
        hint = f"when that process is gone, wait {LEASE:.0f} s, or remove {store.uri}/{NAME}, and continue with --resume"
        raise UsageError(f"{shown} is in use by {holder_in(found)}; {hint}")


def expiry(store: Claimable) -> str:
    """Why a lock is nobody's any more by its age; empty while it is somebody's."""
    trial = f"{NAME}.{uuid.uuid4().hex}"
    store.create(trial, b"")
    try:
        age = store.modified(trial) - store.modified(NAME)
    finally:
        store.remove(trial)
    return f"it was not renewed for {age:.0f} s" if age > LEASE else ""


def renew(store: Claimable, over: threading.Event) -> None:
    """Renew the lock while it is this process's own. A renewal that fails is made up for by the next."""
    while not over.wait(LEASE / RENEWALS):
        try:
            store.replace(NAME, store.lock, store.lock)
        except FileExistsError:
            return  # taken over: the next manifest is refused
        except OSError:
            continue
