"""V3 C: directories are deleted, on StopReplica and on a LeaderAndIsr request with the flag INIT."""

from ..members import contains
from .roles import delete_replica


def stop_replica(s, partition, broker, controller):
    """A broker obeys StopReplica: it stops fetching and checkpointing, and deletes the directory.

    The command has no leader epoch: only the controller epoch tells an old one (D4).

    Design: V3 C, on_StopReplicaCommand (C6, B2).   Kafka: ReplicaManager.stopReplicas.
    Modifies: replica[partition][broker], broker[broker].
    """
    if not contains(s.controller[controller].stopping[partition], broker):
        return False
    if not obeys_deletion(s, partition, broker, controller):
        return False

    s.broker[broker].controller_epoch = max(s.broker[broker].controller_epoch, controller)
    delete_replica(s, s.replica[partition][broker])
    return True


def delete_unnamed(s, partition, broker, controller):
    """A broker obeys INIT, a new controller's first request: what is not named in it is deleted.

    A partition that was created after that controller read the store is not named; if the request is
    late, and old ones are obeyed, a new replica is deleted (Q19).

    Design: V3 C.3 (C2, D4).   Kafka: none; later versions compare the assignment at startup.
    Modifies: replica[partition][broker], broker[broker].
    """
    if not contains(s.controller[controller].init_sent, broker) or s.controller[controller].init_names[partition]:
        return False
    if not obeys_deletion(s, partition, broker, controller):
        return False

    s.broker[broker].controller_epoch = max(s.broker[broker].controller_epoch, controller)
    delete_replica(s, s.replica[partition][broker])
    return True


def obeys_deletion(s, partition, broker, controller):
    """There is a directory, the broker is up, and the controller is not an earlier one."""
    if not s.broker[broker].up or not s.replica[partition][broker].exists:
        return False
    return not s.config.controller_epoch or controller >= s.broker[broker].controller_epoch
