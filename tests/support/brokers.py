"""Real brokers, for tests: what comes of traces on them, or a skip where a release cannot be had."""

from pathlib import Path

import highwater.traces
import pytest
from highwater.model.language.errors import UsageError
from highwater.properties.registry import KAFKA
from highwater.traces.brokers.artifacts import jars_of
from highwater.traces.brokers.perform import perform
from highwater.traces.brokers.process import java
from highwater.traces.brokers.releases import release_named
from highwater.traces.brokers.runs import Source, cluster_of, renew
from highwater.traces.text import read_file

TRACES = Path(highwater.traces.__file__).parent
GOLDEN, OWN = TRACES / "golden", TRACES / "brokers" / "golden"


def source(name):
    release = release_named(name)
    try:
        java("javac")
        return Source(release, jars_of(release))
    except UsageError as error:
        pytest.skip(str(error))


def performed(name, *traces, brokers=2, go_on=False, keep=None):
    """What comes of the traces, one after the other on one cluster; 2.0.1 takes the steps of KIP-279's."""
    out = []
    with cluster_of(source(name), brokers, keep) as cluster:
        for trace in traces:
            if out:
                renew(cluster, out[-1])
            read = read_file(str(trace))
            told = read.under(cluster.release.revision) if cluster.release.revision.startswith(f"{read.revision}-") else read
            out.append(perform(told, KAFKA, cluster, go_on=go_on))
    return out


def logs(done):
    """What is on each disk in the end."""
    return [line.split("  ")[1].split(";")[0] for line in done.ends]
