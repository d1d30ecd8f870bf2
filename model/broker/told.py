"""What a broker has been told, whoever told it: by requests of a controller, or by a log of metadata (KRaft).

Actions that both have in common look here, and not at a request.
"""


def names_new_replicas(s, partition, epoch):
    """What the broker was told of this epoch names only RAR as the partition's replicas, not AR + RAR (F2)."""
    if s.config.quorums:
        return 0
    return s.command[partition][epoch].moved
