"""What a paused process has not read yet: Linux knows it of every TCP socket (`/proc/net/tcp`)."""

import contextlib
import os
from pathlib import Path

LISTENING = "0A"


def sockets_of(pid):
    """The inodes of a process's sockets."""
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            target = os.readlink(entry)
            if target.startswith("socket:["):
                yield target[8:-1]


def connections():
    """(local port, remote port, bytes received and not read, inode) of every connection; inode 0: not accepted yet."""
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            _, local, remote, state, queues, _, _, _, _, inode = line.split()[:10]
            if state != LISTENING:
                ports_and_unread = [int(text.rpartition(":")[2], 16) for text in (local, remote, queues)]
                yield *ports_and_unread, inode


def unread_bytes(pid, port):
    """The bytes that wait in the process's sockets for it, of connections that it made to this port."""
    mine = set(sockets_of(pid))
    return sum(unread for _, remote, unread, inode in connections() if inode in mine and remote == port)


def unread_bytes_from(pid, port):
    """The bytes that the process has sent to this port and that nobody there has read, also where nobody has accepted yet."""
    mine, every = set(sockets_of(pid)), list(connections())
    from_here = {local for local, remote, _, inode in every if inode in mine and remote == port}
    return sum(unread for local, remote, unread, _ in every if local == port and remote in from_here)
