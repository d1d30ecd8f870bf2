"""The published model with the steps that TLC generates twice, so that transitions can be compared.

TLC branches on every disjunction of an action and counts the successor of each branch that holds, also
when both lead to the same state. Two actions of the specification have disjuncts that overlap:

- becoming a follower by the last matching record (KIP-279 and the unfenced mutant) has a disjunct for an
  empty log, where the other one holds too;
- shrinking the ISR with leader epochs (KIP-320 and the unfenced mutant) has a disjunct for a follower in
  another epoch and one for a follower that is behind, and a follower may be both.

Each twin below is enabled exactly where TLC sees the second branch, and does what the action does. Twins
add transitions and no states.
"""

from collections import Counter
from dataclasses import replace

from highwater.model.language import MEMBERS, Rule, actions
from highwater.model.published.kip_320 import are_in_one_epoch, fenced_leader_shrink_isr
from highwater.model.published.truncation import become_follower_kip_279
from highwater.properties.registry import PUBLISHED


def become_follower_again(s, follower, epoch):
    """The second branch of an empty follower."""
    if s.replica[follower].leo > 0:
        return False

    return become_follower_kip_279(s, follower, epoch)


def shrink_isr_again(s, leader, follower):
    """The second branch of a follower that is both in another epoch and behind."""
    if are_in_one_epoch(s, leader, follower):
        return False
    if s.replica[follower].leo >= s.replica[leader].leo:
        return False

    return fenced_leader_shrink_isr(s, leader, follower)


TWINS = actions(
    {"leader": MEMBERS, "follower": MEMBERS, "epoch": "epochs"},
    [
        Rule("become_follower_again", "truncation", [None, None, become_follower_again, None, None, become_follower_again]),
        Rule("leader_shrink_isr_again", "replication", [None, None, shrink_isr_again]),
    ],
)

AS_TLC = replace(PUBLISHED, name="published-as-tlc", actions=(*PUBLISHED.actions, *TWINS))


def as_tlc_counts(counts):
    """Transitions by action as TLC counts them, from pairs of action and count; actions without any are left out."""
    total = Counter()
    for name, count in counts:
        total[name.removesuffix("_again")] += count
    return +total
