"""The notation of each family."""

from dataclasses import replace

from ...model.language.notation import Notation
from . import messages
from .designs import describe_designs, describe_published, describe_strategies
from .kafka import describe_kafka, describe_kraft
from .published_kraft import describe_published_kraft
from .scene import kafka_scene, published_scene
from .witness import DESIGN_WORDS, KRAFT_WORDS, WORDS, tell_kafka, tell_published
from .words import FOREMOST, SHORT_FOR, UNLABELLED, ends, gone, in_cell

SHARED = Notation(
    actors=dict.fromkeys(("leader", "broker", "follower"), "broker") | {"controller": "controller"},
    backstage=("in flight", "promised", "requests"),
    columns=("broker", "replica"),
    foremost=FOREMOST,
    unlabelled=UNLABELLED,
    gone=gone,
    ends=ends,
    in_cell=in_cell,
    sides=("leader", "follower"),
    labels=messages.LABELS,
    short_for=SHORT_FOR,
)

UNDER_KRAFT = replace(SHARED, describe=describe_kraft, words=WORDS, witness=tell_kafka, scene=kafka_scene)

UNDER_ZOOKEEPER = replace(
    UNDER_KRAFT, describe=describe_kafka, pending=messages.pending, receives=messages.RECEIVES, kept=messages.COMMANDS,
    at_once=messages.AT_ONCE,
)  # fmt: skip

AS_PUBLISHED = replace(
    SHARED,
    describe=describe_published,
    actors=dict.fromkeys(("leader", "broker", "follower"), "replica"),
    at_once={name: ("quorum", "quorum", "step", name) for name in ("controller_shrink_isr", "controller_elect_leader")},
    witness=tell_published,
    scene=published_scene,
)

KRAFT_AS_PUBLISHED = replace(SHARED, describe=describe_published_kraft, words=KRAFT_WORDS)

STRATEGIES = replace(SHARED, describe=describe_strategies)

DESIGNS = replace(
    SHARED, describe=describe_designs, words=DESIGN_WORDS,
    at_once={"expire_session": ("store", "broker", "session", "session expired")},
)  # fmt: skip
