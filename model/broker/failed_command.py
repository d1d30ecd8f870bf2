"""A broker gives a request of the controller up half-way (KAFKA-9769, N8).

To create the log of a new replica a broker reads its topic's configuration from the store. If the store fails, the request
fails as a whole. Here the partition is one of those before: it has obeyed, but for its fetcher.
"""

from ..history import remember_generation
from ..members import NO_BROKER, contains, excluding
from ..release_choices import FailedCommand
from ..state import Kafka
from ..vocabulary import Broker, ControllerEpoch, Epoch, Partition
from .become_follower import keeps_fetching
from .high_watermark import checkpoint_at_leader_change
from .roles import obeys, stop_fetching, stop_serving
from .who_lives import hear_before, names_unknown_leader


def remember_command(s: Kafka, partition: Partition, broker: Broker, epoch: Epoch, controller: ControllerEpoch) -> bool:
    """A broker remembers whom the command names as leader, and its epoch, and does not begin to fetch.

    The controller gets an error, and does not send the request again. Sent again it would be dropped: its epoch is not larger
    than the one that is remembered (C5). So the replica is no follower until the next decision. Its last fetcher, which goes on
    to ask a leader that leads no more, is stopped here. A partition that is skipped, since 2.7, has a command that is lost.

    Design: none; a bug (N8, C4, C5).   Kafka: ReplicaManager.makeFollowers (up to 2.6.3; KAFKA-9769).
    Modifies: replica[partition][broker], broker[broker], generation[partition], isr_write, fetch_response,
        late_response, fetch_request[partition], command[partition], controller[controller], spent.
    Reads: command[partition], earlier_command[partition] (which of the requests over one connection comes first);
        controller[controller].naming, controller[controller].named_live (what it has sent before over the same connection).
    """
    if s.spent.failed_commands >= s.config.failed_commands:
        return False  # budget
    if s.config.failed_command is not FailedCommand.REMEMBERED:
        return False
    command = s.command[partition][epoch]
    if not contains(command.sent[controller], broker):
        return False
    if command.leader == broker or command.leader == NO_BROKER:
        return False
    if names_unknown_leader(s, partition, broker, epoch, controller):
        return False
    if keeps_fetching(s, s.replica[partition][broker], command.leader, epoch):
        return False  # its fetcher goes on
    if not obeys(s, partition, broker, epoch, controller):
        return False

    s.spent.failed_commands += 1
    hear_before(s, partition, broker, epoch, controller)
    s.broker[broker].controller_epoch = max(s.broker[broker].controller_epoch, controller)
    remember_generation(s, partition, broker, 1)
    stop_serving(s, partition, broker)
    stop_fetching(s, partition, broker)
    me = s.replica[partition][broker]
    checkpoint_at_leader_change(s, me)
    me.exists = 1
    me.leader = command.leader
    me.leader_epoch = epoch
    if not s.config.repeated_commands:
        command.sent[controller] = excluding(command.sent[controller], broker)
    return True
