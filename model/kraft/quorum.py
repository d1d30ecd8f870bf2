"""The log of metadata: what the controller appends, and in what state of the cluster it can (KR1).

The controller is one: that a quorum keeps its log and another member may lead it is Raft's affair. It appends all records of a
decision at once, and decides by the end of its log.
"""



def active(s):
    """Brokers that are neither fenced nor in controlled shutdown, at the end of the log.

    Kafka: ClusterControlManager.isActive.
    """
    return s.zookeeper.broker_ids & ~s.metadata[0].leaving


def has_room(s):
    """The window has room for a change: else it waits until all running brokers have applied the first one."""
    return s.metadata[0].length < s.config.window


def append_change(s, bounced):
    """The log has a change more, and says what the controller has decided; `bounced` have registered again with it."""
    log = s.metadata[0]
    log.length += 1
    change = log.change[log.length]
    change.active = active(s)
    change.bounced = bounced
    for partition in range(s.config.partitions):
        node = s.zookeeper.leader_and_isr[partition]
        change.image[partition].leader = node.leader
        change.image[partition].leader_epoch = node.leader_epoch
        change.image[partition].version = node.version
        change.image[partition].isr = node.isr


