"""What `highwater stats` measures in a state: the copies of a log, by the names of their fields, and what the tables are about.

A model is measured when its state has these fields: the model of Kafka, and the published one. Engines read the names here.
"""

from typing import NamedTuple


class Logs(NamedTuple):
    """Fields of a state that hold copies of logs: `copies[..][i]` are the copies of one log.

    `committed`: up to where a copy knows its log to be committed; `end`: its end; `start`: its beginning, 0 where no field
    has this name. `entries`: the log itself; `epoch`: of an entry.
    """

    copies: str
    committed: str
    end: str
    start: str
    entries: str
    epoch: str


LOGS = Logs(copies="replica", committed="hw", end="leo", start="log_start", entries="log", epoch="epoch")

LAG, EPOCHS, NEAREST = "lag", "epochs", "nearest"

MEASURES = {
    LAG: "how many replicas have a high watermark so far behind the log's end",
    EPOCHS: "how many logs have so many leader epochs",
    NEAREST: "nearest to a violation: offsets that the lower high watermark must rise until committed logs differ; 0: they do",
}
"""The tables of what is measured, and what each holds."""

COUNTED = {LAG: "replicas", EPOCHS: "logs"}
"""What the second column of a table counts."""

NOT_MEASURED = "the model of this run has no replicas with a high watermark"
