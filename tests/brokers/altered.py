"""What a run has left, altered in one place: a behaviour of the model that fits it should not be there any more."""

import json
import re

BEGUN = r"((?:Leader |\] |broker \d+: )[\w.-]+(?: with topic id \S+)? starts at leader epoch (\d+) from offset )(\d+)"
CUT = r"(Truncating (?:to offset |log \S+ to offset ))(\d+)"
STARTED = r"\[Kafka ?Server (?:id=)?\d+\],? started"


def alter_leader(kept):
    """The leader of the highest epoch begins one offset further on."""
    logs = kept.glob("broker*/server.log")
    begun = [(int(found[2]), log, found) for log in logs for found in re.finditer(BEGUN, log.read_text(), re.IGNORECASE)]
    if begun:
        _, log, found = max(begun, key=lambda one: one[0])
        log.write_text(log.read_text().replace(found[0], f"{found[1]}{int(found[3]) + 1}"))
    return bool(begun)


def alter_last(kept, pattern, change, begin=0):
    """The last match of a pattern from the `begin`-th on, in the first log of a broker that has one, becomes another text."""
    for log in sorted(kept.glob("broker*/server.log")):
        text = log.read_text()
        for found in list(re.finditer(pattern, text))[begin:][-1:]:
            log.write_text(text[: found.start()] + change(found) + text[found.end() :])
            return True
    return False


def alter_cut(kept):
    """A log is cut one offset further on."""
    return alter_last(kept, CUT, lambda found: f"{found[1]}{int(found[2]) + 1}")


def alter_start(kept):
    """A broker does not say that it starts again."""
    return alter_last(kept, STARTED, lambda _: "", begin=1)


def alter_segments(kept):
    """Brokers 0 and 1 have each other's segment."""
    mine, theirs = (next((kept / f"broker{broker}" / "data").glob("*-0/*.log")) for broker in (0, 1))
    before, after = mine.read_bytes(), theirs.read_bytes()
    mine.write_bytes(after)
    theirs.write_bytes(before)
    return before != after


def alter_epochs(kept):
    """The last leader epoch of an epoch file begins one offset further on."""
    for file in sorted(kept.glob("broker*/data/*-0/leader-epoch-checkpoint")):
        *head, last = file.read_text().strip().split("\n")
        if len(head) > 1:
            epoch, start = last.split()
            file.write_text("\n".join([*head, f"{epoch} {int(start) + 1}", ""]))
            return True
    return False


def alter_node(change):
    """The node of leader and ISR is another: `change` is given the node and its data."""

    def alter(kept):
        file = kept / "znodes.json"
        nodes = json.loads(file.read_text())
        node = next(node for path, node in nodes.items() if path.endswith("/partitions/0/state"))
        change(node, node["data"])
        file.write_text(json.dumps(nodes))
        return True

    return alter


ALTERATIONS = {
    "the last leader begins elsewhere": alter_leader,
    "a cut elsewhere": alter_cut,
    "a start not told": alter_start,
    "segments exchanged": alter_segments,
    "the epoch file": alter_epochs,
    "the node's version": alter_node(lambda node, _: node.update(version=node["version"] + 1)),
    "the node's leader": alter_node(lambda _, data: data.update(leader=(data["leader"] + 1) % 2)),
    "the node's ISR": alter_node(lambda _, data: data.update(isr=sorted({*data["isr"]} ^ {0}) or [0, 1])),
}
"""Each alters a folder that `perform --keep` has left, and says whether there was anything to alter."""
