"""KIP-320 as first tried: a new follower cuts nothing; each fetch names the last record's epoch.

The leader refuses a fetch whose last record is not its own, and the follower then cuts its log back to
where both agree. Leader epochs are not compared: a stale leader may be the one that answers.
"""

from ..epoch_cache import end_of_epochs_up_to, largest_epoch_up_to
from ..fetching import is_accepted, is_fetching_from, leads
from ..log import epoch_named, truncate
from ..vocabulary import NO_EPOCH
from .exchange import fetch_from_end


def begin(s, partition, follower):
    """Fetch at once."""
    fetch_from_end(s.replica[partition][follower])


def truncate_on_divergence(s, partition, follower, leader):
    """A fetch shows that the logs differ: the follower cuts back by one epoch, towards the common log.

    The leader's refusal names its largest epoch up to the follower's last, and where that ends.

    Design: published specification, FollowerTruncate; KIP-595 (T7).   Kafka: AbstractFetcherThread.truncateOnFetchResponse.
    Modifies: replica[partition][follower].
    Reads: broker[leader].up, replica[partition][leader] (the leader's refusal, which names its last common epoch: request
        and answer are one step).
    """
    if not is_fetching_from(s, partition, follower, leader):
        return False
    if not leads(s, partition, leader):
        return False  # Without it, a broker that does not lead refuses the fetch, as an unfenced stale leader does.
    me = s.replica[partition][follower]
    their = s.replica[partition][leader]
    if is_accepted(s, their, me.leo, me.leader_epoch, epoch_named(s, me)):
        return False
    if s.config.fenced and me.leader_epoch != their.leader_epoch:
        return False  # Without it, a refusal because of the epoch also says where the logs differ.

    epoch = largest_epoch_up_to(s, their, epoch_named(s, me))
    if epoch == NO_EPOCH:
        truncate(s, me, their.log_start)
    else:
        end = end_of_epochs_up_to(s, their, epoch_named(s, me))
        end = min(end_of_epochs_up_to(s, me, epoch), end)
        truncate(s, me, end)
    return True
