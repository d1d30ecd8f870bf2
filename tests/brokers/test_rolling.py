"""What `rolling_kraft.py` counts, in lines as Kafka 4.4.0 writes them."""

from highwater.traces.brokers.isr_requests import PartitionState
from rolling_kraft import led_again, read_log

BEGINS = (
    "[Broker id=1] Leader m0-7 with topic id Some(x) starts at leader epoch {} from offset 1 with partition epoch 3,"
    " high watermark 0, ISR [{}], adding replicas [] and removing replicas [] . Previous leader {} and previous"
    " leader epoch was {}."
)
RAISED = "[Partition m0-7 broker=1] High watermark updated from (offset=0, segment=[0:0]) to (offset=1, segment=[0:69])"
FETCHED = "[Partition m0-7 broker=1] Recorded replica {} log end offset (LEO) position {} and log start offset 0."
SKIPPED = BEGINS.format(2, "1,2", "Some(1)", 0)


def test_a_skipped_term_and_the_high_watermark_that_its_leader_raised_by_an_old_end():
    again, raised, _ = read_log(1, [BEGINS.format(0, "1,0,2", "None", -1), SKIPPED, RAISED])
    assert (again, raised) == ([("m0-7", 0, 2)], [("m0-7", 2, 1, 2)])
    assert read_log(1, [SKIPPED, RAISED, FETCHED.format(2, 0)])[1] == [("m0-7", 2, 0, 2)]


def test_a_high_watermark_that_follows_the_fetches_of_its_term_is_none():
    fetched = [FETCHED.format(2, 1), FETCHED.format(0, 0), RAISED, FETCHED.format(0, 1)]
    assert read_log(1, [BEGINS.format(2, "1,0,2", "Some(0)", 1), *fetched]) == ([], [], [0, 0])
    assert read_log(1, [BEGINS.format(2, "1,2", "Some(0)", 1), FETCHED.format(2, 0), RAISED])[1] == []  # the log ends
    alone = "[Partition m0-7 broker=1] ISR updated to 1,2  and version updated to 5"
    assert read_log(1, [BEGINS.format(2, "1,0,2", "Some(0)", 1), FETCHED.format(2, 1), alone, RAISED])[1] == []


def test_a_broker_leads_again_when_another_did_between():
    states = [PartitionState(leader, epoch, 0, (0, 1)) for epoch, leader in enumerate((1, 1, 0, 1, -1, 1))]
    assert led_again(states) == [(1, 1, 3), (1, 3, 5)]


def test_several_batches_of_metadata_at_once():
    line = "handleCommit: Generated a metadata delta between 32 and 36 from {} batch(es) in 111 us."
    assert read_log(0, [line.format(3), line.format(1)])[2] == [1, 2]
