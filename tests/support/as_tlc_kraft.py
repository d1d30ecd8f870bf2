"""The model of the published KRaft specifications with the steps that TLC generates twice, so that transitions can be compared.

TLC branches on every disjunction of an action. In two actions the disjuncts overlap:

- a broker reads a change because it leads, or because the change raises the leader epoch, and both may be true;
- a reassignment is valid because it adds, or because it removes, and may do both.

Each twin is enabled exactly where TLC sees the second branch, and does what the action does.
"""

from dataclasses import replace

from highwater.model.language import actions
from highwater.model.members import contains
from highwater.model.published_kraft.controller import perform_reassignment
from highwater.model.published_kraft.metadata import receive_metadata_update
from highwater.model.published_kraft.next import DOMAINS
from highwater.model.published_kraft.state import Role
from highwater.properties.registry import PUBLISHED_KRAFT


def receive_metadata_update_again(s, broker, change):
    """A leader reads a change that raises the leader epoch."""
    known = s.broker[broker].known
    if s.broker[broker].role is not Role.LEADER or change >= s.changes:
        return False
    if not contains(known.replicas, broker) or s.change[change].leader_epoch <= known.leader_epoch:
        return False

    return receive_metadata_update(s, broker, change)


def perform_reassignment_again(s, adding, removing, next_leader):
    """A reassignment adds and removes."""
    if adding == 0 or removing == 0:
        return False

    return perform_reassignment(s, adding, removing, next_leader)


TWINS = actions(DOMAINS, [receive_metadata_update_again, perform_reassignment_again])

AS_TLC_KRAFT = replace(PUBLISHED_KRAFT, name="published-kraft-as-tlc", actions=(*PUBLISHED_KRAFT.actions, *TWINS))
