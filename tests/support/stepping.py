"""A walk by hand through a small model, in which `weak_isr` is violated after eight steps; and its pages, served."""

import threading
from contextlib import contextmanager

from highwater.explorer.command_line.step_web import StepPages, server_of
from highwater.explorer.plain.stepping import Stepper
from highwater.properties.catalogue import properties_of
from highwater.properties.registry import PUBLISHED
from highwater.traces.trace import Trace

SMALL = {"brokers": 2, "max_epoch": 1, "max_records": 1}
CLAIMS = {claim.name: claim for claim in properties_of(PUBLISHED)}


def stepper(revision="high-watermark"):
    return Stepper(Trace("published", "", revision, SMALL, 0, ()), PUBLISHED, [CLAIMS["weak_isr"]])


@contextmanager
def served():
    """What answers, and the server that asks it."""
    walks = StepPages(stepper, [CLAIMS["weak_isr"], CLAIMS["hw_within_log"]], 60.0)
    server = server_of(walks)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield walks, server
    server.shutdown()
    thread.join()
    server.server_close()
