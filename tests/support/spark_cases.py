"""Which runs on Spark are held against local ones: both models, three revisions of each, symmetry, 1, 3 and 8 shards."""

from itertools import product

from support.kafka import TINY
from support.on_spark import request

KAFKA = {**TINY, "max_records": 2, "log_size": 2, "session_expiries": 1, "crashes": 1}
REVISIONS = {"published": ("high-watermark", "kip-101", "kip-320"), "kafka": ("high-watermark", "kip-279", "kip-320")}
SHARDS = (1, 3, 8)

ALL = [
    (model, revision, symmetry, shards)
    for model, revisions in REVISIONS.items()
    for revision, symmetry, shards in product(revisions, (False, True), SHARDS)
]

FEW = [
    ("published", "high-watermark", False, 1), ("published", "kip-101", True, 8), ("published", "kip-320", False, 8),
    ("kafka", "high-watermark", True, 8), ("kafka", "kip-279", False, 8), ("kafka", "kip-320", True, 3),
]  # fmt: skip
"""Each revision, every other one under symmetry; each number of shards."""


OWN_CODE = ("kafka", "kip-320")
"""What runs with code of its own, which has lanes; the others with code that all configurations share."""


def asked(model, revision, symmetry=False, **options):
    settings = KAFKA if model == "kafka" else None
    return request(model, revision, settings, symmetry=symmetry, **{"generic": (model, revision) != OWN_CODE, **options})


def narrow(model, symmetry):
    """Some levels are narrower and run in the driver, some are wider and run on Spark."""
    return {"published": 900, "kafka": 2500}[model] // (2 if symmetry else 1)
