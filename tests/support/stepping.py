"""A walk by hand through a small model, in which `weak_isr` is violated after eight steps."""

from highwater.explorer.plain.stepping import Stepper
from highwater.properties.catalogue import properties_of
from highwater.properties.registry import PUBLISHED
from highwater.traces.trace import Trace

SMALL = {"brokers": 2, "max_epoch": 1, "max_records": 1}
CLAIMS = {claim.name: claim for claim in properties_of(PUBLISHED)}


def stepper(revision="high-watermark"):
    return Stepper(Trace("published", "", revision, SMALL, 0, ()), PUBLISHED, [CLAIMS["weak_isr"]])
