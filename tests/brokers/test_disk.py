"""Segments and checkpoint files, against files that are made here."""

import pytest

pytest.importorskip("kafka")

from highwater.traces.brokers.compare import log_text, memory_of
from highwater.traces.brokers.disk import build_batch, read_checkpoint, read_directory, read_epochs, write_checkpoint
from highwater.traces.brokers.session_password import password

EPOCH_AT, OFFSET_SIZE = 12, 8


def segment(folder, *batches):
    """A segment of format 2; batches are (base offset, leader epoch, number, records): what a leader writes into them."""
    folder.mkdir(parents=True)
    data = b""
    for base, epoch, number, count in batches:
        batch = bytearray(build_batch(number, count, 2))
        batch[:OFFSET_SIZE] = base.to_bytes(8, "big")
        batch[EPOCH_AT : EPOCH_AT + 4] = epoch.to_bytes(4, "big")
        data += batch
    (folder / "00000000000000000000.log").write_bytes(data)


def told(found):
    return log_text([(e.offset, e.batch, e.epoch) for e in found.entries], True)


def test_batches_with_their_epochs(tmp_path):
    segment(tmp_path / "t-0", (0, 0, 1, 2), (2, 1, 2, 1), (3, 4, 3, 3))
    found = read_directory(tmp_path, "t", 0)
    assert (told(found), found.end, found.damage) == ("0a 0a 1b 4c 4c 4c", 6, "")
    assert [e.base for e in found.entries] == [0, 0, 2, 3, 3, 3]


def test_a_hole_is_shown(tmp_path):
    segment(tmp_path / "t-0", (0, 0, 1, 2), (4, 2, 3, 2))
    assert told(read_directory(tmp_path, "t", 0)) == "0a 0a - - 2c 2c"


def test_no_folder_and_an_empty_one(tmp_path):
    assert not read_directory(tmp_path, "t", 0).exists
    segment(tmp_path / "t-0")
    found = read_directory(tmp_path, "t", 0)
    assert found.exists and found.end == 0 and told(found) == "nothing"


def test_damage_is_named(tmp_path):
    segment(tmp_path / "t-0", (0, 0, 1, 1))
    file = tmp_path / "t-0" / "00000000000000000000.log"
    data = bytearray(file.read_bytes())
    data[-6:] = b"\xff" * 6
    file.write_bytes(bytes(data))
    assert read_directory(tmp_path, "t", 0).damage


def test_format_1_keeps_a_batch_together_and_has_no_epochs(tmp_path):
    folder = tmp_path / "t-0"
    folder.mkdir()
    (folder / "00000000000000000000.log").write_bytes(build_batch(1, 1, 1) + build_batch(2, 3, 1))
    entries = read_directory(tmp_path, "t", 0).entries
    assert [(e.batch, e.epoch) for e in entries] == [(1, -1), (2, -1), (2, -1), (2, -1)]


def test_epochs(tmp_path):
    (tmp_path / "leader-epoch-checkpoint").write_text("0\n2\n0 0\n3 17\n")
    assert read_epochs(tmp_path) == {0: 0, 3: 17}


@pytest.mark.parametrize("text", ["", "0\n", "0\n2\n0 0\n", "nonsense", "0\n1\na b c d e\n"])
def test_half_a_checkpoint_file_is_none(tmp_path, text):
    (tmp_path / "leader-epoch-checkpoint").write_text(text)
    assert read_epochs(tmp_path) == {}


def test_checkpoints_are_written_as_they_are_read(tmp_path):
    offsets = {("t", 0): 5, ("with-dash.and_more", 3): 0}
    write_checkpoint(tmp_path, offsets)
    assert read_checkpoint(tmp_path) == offsets


@pytest.mark.parametrize(
    ("text", "leader", "epoch", "isr", "ends"),
    [
        ("epoch=2 version=3 ends=0:4,1:-1, Topic: t; Partition: 0; Leader: Some(1); AssignedReplicas: 0,1; InSyncReplicas: 1,0",
         1, 2, {0, 1}, {0: 4, 1: -1}),
        ("epoch=0 version=0 ends=1:4, Topic: t; Partition: 0; Leader: Some(0); Replicas: 0,1; ISR: 0,1; LeaderRecoveryState: R",
         0, 0, {0, 1}, {1: 4}),
        ("epoch=-1 version=-1 ends= Topic: t; Partition: 0; Leader: None; Replicas: ; ISR: ", None, -1, set(), {}),
    ],
)  # fmt: skip
def test_what_a_broker_remembers(text, leader, epoch, isr, ends):
    memory = memory_of(text)
    assert (memory.leader, memory.epoch, memory.isr, memory.ends) == (leader, epoch, isr, ends)


def test_a_broker_that_knows_nothing():
    assert memory_of("none") is None


def test_the_password_of_a_session():
    """As ZooKeeper's server computed it for this number (java.util.Random, seeded with the number and a constant)."""
    assert password(0x1A2006FE56B0002).hex() == PASSWORD


PASSWORD = "71e849f59866c6bde36a02943aecc371"
