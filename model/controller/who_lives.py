"""UpdateMetadata: a controller says to all live brokers who lives (N9).

A broker of Kafka knows it from nowhere else, and ignores a command to follow a leader that it does not know as live. Every
connection is in order. So this matters only for what a controller sends before it has said who lives: up to 0.10.1 a new
controller's first roles (`who_lives = said-later`, KAFKA-4443). Later ones name leaders that their controller has named before.
A controller's newest word stands for those on their way: who receives both one after the other does nothing in between.
"""

from ..members import excluding
from ..state import Kafka
from ..vocabulary import Broker, Brokers, ControllerEpoch, Epoch, Partition


def say_who_lives(s: Kafka, controller: ControllerEpoch, brokers: Brokers) -> None:
    """Say to `brokers` who lives."""
    if s.config.news:
        me = s.controller[controller]
        me.named_live[0] = me.live
        me.naming[0] = brokers


def send_early(s: Kafka, controller: ControllerEpoch, partition: Partition, brokers: Brokers) -> None:
    """The published role is sent to `brokers` before the controller has said who lives."""
    if s.config.news:
        command = s.command[partition][s.zookeeper.leader_and_isr[partition].leader_epoch]
        command.early[controller] = brokers


def send_informed(s: Kafka, controller: ControllerEpoch, partition: Partition, epoch: Epoch, brokers: Brokers) -> None:
    """The command is sent to `brokers` after the controller has said who lives."""
    if s.config.news:
        command = s.command[partition][epoch]
        command.early[controller] = command.early[controller] & ~brokers


def drop_news(s: Kafka, broker: Broker, controller: ControllerEpoch) -> None:
    """What the controller has said does not reach the broker."""
    if s.config.news:
        s.controller[controller].naming[0] = excluding(s.controller[controller].naming[0], broker)
