"""Next of the model of strategies on one page, and its revisions."""

from ..language import MEMBERS, Model, Revision, Rule, actions, no_asymmetry
from .by_isr import commit_by_isr, elect_isr_member, expand_isr, shrink_isr
from .by_majority import commit_by_majority, elect_longest_log
from .replication import crash, fetch, follow, produce, restart
from .state import Config, Strategies, initial_states

advance = Rule("advance_high_watermark", "commit", [commit_by_isr, commit_by_majority])
elect = Rule("elect_leader", "commit", [elect_isr_member, elect_longest_log])
shrink = Rule("shrink_isr", "commit", [shrink_isr, None])
expand = Rule("expand_isr", "commit", [expand_isr, None])

DOMAINS = {"broker": MEMBERS, "follower": MEMBERS, "offset": "log_size"}

NEXT = actions(
    DOMAINS,
    [produce, follow, fetch, advance, shrink, expand, elect, crash, restart],
    weak=[follow, fetch, advance, shrink, expand, elect],
    faults=[crash],
)

REVISIONS = (
    Revision("isr", "all of the ISR must have a record; only a replica that has stopped leaves it", {"commit": "isr"}),
    Revision("isr-slow-followers", "the same, and a follower that lags leaves the ISR too",
             {"commit": "isr", "slow_followers": 1},
             violates=("leader_can_serve", "write_can_be_committed", "writes_are_committed_again")),
    Revision("majority", "a majority of all replicas must have a record", {"commit": "majority"}),
)  # fmt: skip

STRATEGIES = Model(
    name="strategies",
    title="What is committed: on all of the ISR, or on a majority",
    state=Strategies,
    config=Config,
    actions=NEXT,
    initial_states=initial_states,
    revisions={r.name: r for r in REVISIONS},
    domains=DOMAINS,
    asymmetry=no_asymmetry,
    capacities={"small": {MEMBERS: 5, "log_size": 3, "epochs": 6}},
)
