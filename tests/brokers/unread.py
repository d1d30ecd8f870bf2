"""What a paused process has not read yet: Linux knows it of every TCP socket (`/proc/net/tcp`)."""

import os
from pathlib import Path

LISTENING = "0A"


def sockets_of(pid):
    """The inodes of a process's sockets."""
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        target = os.readlink(entry)
        if target.startswith("socket:["):
            yield target[8:-1]


def unread_bytes(pid, port):
    """The bytes that wait in the process's sockets for it, of connections that it made to this port."""
    mine, total = set(sockets_of(pid)), 0
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            _, _, remote, state, queues, _, _, _, _, inode = line.split()[:10]
            if inode in mine and state != LISTENING and int(remote.rpartition(":")[2], 16) == port:
                total += int(queues.rpartition(":")[2], 16)
    return total
