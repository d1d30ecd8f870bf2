"""Small configurations of both models, with a few thousand states each."""

from highwater.properties.registry import KAFKA, PUBLISHED

TINY = {"brokers": 2, "log_size": 1, "max_records": 1, "max_epoch": 1}
KAFKA_CASES = [
    ("high-watermark", {**TINY, "log_size": 2, "max_records": 2}),
    ("kip-101", {**TINY, "crashes": 1, "session_expiries": 0, "preferred_elections": 0, "unclean_elections": 1}),
    ("kip-279", {**TINY, "store": "answered"}),
    ("kip-320-first-try", {**TINY, "preferred_elections": 0, "fetch": "in-flight", "consumers": 1}),
    ("kip-320", TINY),
    ("kip-320", {**TINY, "replicas": 1, "reassignments": 1, "preferred_elections": 0, "session_expiries": 0}),
]
PUBLISHED_CASES = [
    ("high-watermark", {"brokers": 2, "log_size": 2, "max_records": 2, "max_epoch": 1}),
    ("kip-101", {"brokers": 2, "log_size": 1, "max_records": 1, "max_epoch": 2}),
    ("kip-279", {"brokers": 1, "log_size": 2, "max_records": 2, "max_epoch": 2}),
    ("kip-320-first-try", {"brokers": 2, "log_size": 2, "max_records": 2, "max_epoch": 1}),
    ("kip-320", {"brokers": 3, "log_size": 2, "max_records": 1, "max_epoch": 1}),
    ("kip-320-unfenced", {"brokers": 2, "log_size": 2, "max_records": 2, "max_epoch": 1}),
]
KRAFT_FAULTS = [
    {**TINY, "preferred_elections": 0, "min_isr_changes": 1},
    {**TINY, "preferred_elections": 0, "fences": 0, "feature_changes": 1},
    {**TINY, "preferred_elections": 0, "directory_reports": 1, "min_isr": 1, "fences": 0, "crashes": 1},
    {**TINY, "preferred_elections": 0, "fences": 0, "crashes": 1, "recreations": 1},
    {**TINY, "preferred_elections": 0, "fences": 0, "replicas": 1, "min_isr": 1, "reassignments": 1, "cancelled_moves": 1},
]
"""What an operator does under KRaft, each by itself: 4,164, 838 and 73 states."""
CASES = [*((KAFKA, *case) for case in KAFKA_CASES), *((PUBLISHED, *case) for case in PUBLISHED_CASES)]


def name_of(part):
    """The test's name for a part of a case."""
    if isinstance(part, dict):
        return ".".join(str(value) for value in part.values())
    return getattr(part, "name", None)
