"""What properties must remember. Not present in an implementation: no guard reads it."""

from .vocabulary import NO_EPOCH, NO_RECORD


def remember_commit(s, partition, leader, old_hw):
    """The leader's high watermark rose from `old_hw`: what it passed is committed from now on."""
    me = s.replica[partition][leader]
    past = s.history[partition]
    for offset in range(s.config.log_size):
        if old_hw <= offset and offset < me.hw:
            if past.record[offset] == NO_RECORD:
                past.record[offset] = me.log[offset].record
                past.commit_epoch[offset] = me.leader_epoch
            elif past.record[offset] != me.log[offset].record:
                past.contradicted = 1


def remember_acknowledged(s, partition, leader, old_leo):
    """acks=leader: what was appended from `old_leo` on is acknowledged at once."""
    me = s.replica[partition][leader]
    past = s.history[partition]
    for offset in range(s.config.log_size):
        if old_leo <= offset and offset < me.leo:
            past.acknowledged[offset] = me.log[offset].record


def remember_leader(s, partition, broker, epoch, unclean):
    """`broker` begins to serve in `epoch`. An unclean leader's log is the truth from now on."""
    me = s.replica[partition][broker]
    past = s.history[partition]
    if epoch > past.served:
        past.served = epoch
        past.server = broker
    for offset in range(s.config.log_size):
        held = offset < me.leo and me.log[offset].record == past.record[offset]
        if unclean and past.record[offset] != NO_RECORD and not held:
            past.record[offset] = NO_RECORD
            past.commit_epoch[offset] = NO_EPOCH
            past.lost = 1


def forget_history(s, partition):
    """The partition is deleted with all that it promised."""
    past = s.history[partition]
    for offset in range(s.config.log_size):
        past.record[offset] = NO_RECORD
        past.commit_epoch[offset] = NO_EPOCH
        past.acknowledged[offset] = NO_RECORD
