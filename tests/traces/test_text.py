"""The file format: what is written is read back, and whatever else is read is refused with one sentence."""

import random
from dataclasses import replace
from pathlib import Path

import pytest
from highwater.model.language.errors import UsageError
from highwater.properties.registry import MODELS
from highwater.traces.replay import Replayed, replay
from highwater.traces.text import LARGEST_FILE, MAX_STEPS, read, read_file, write
from highwater.traces.trace import Step, Trace
from highwater.traces.visible import visible
from hypothesis import example, given
from hypothesis import strategies as st

GOLDEN = sorted((Path(__file__).parents[2] / "traces" / "golden").glob("*.trace"))

HEAD = "highwater trace 1\nmodel: kafka 0123\nrevision: kip-320\n"

names = st.from_regex(r"[a-z_]{1,12}", fullmatch=True)
digests = st.one_of(st.just(""), st.from_regex(r"[0-9a-f]{12}", fullmatch=True))
lines = st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=40).map(str.rstrip)
comments = st.lists(lines, max_size=4).map(tuple)
steps = st.builds(
    Step,
    action=names,
    arguments=st.lists(st.tuples(names, st.integers(-99999, 999999)), max_size=5).map(tuple),
    digest=digests,
    comment=comments,
)
traces = st.builds(
    Trace,
    model=names,
    version=digests,
    revision=st.from_regex(r"[a-z0-9-]{1,12}", fullmatch=True),
    settings=st.dictionaries(names, st.from_regex(r"[A-Za-z0-9_-]{1,12}", fullmatch=True), max_size=12),
    initial=st.integers(0, 999),
    steps=st.lists(steps, max_size=6).map(tuple),
    property=st.one_of(st.just(""), names),
    start_digest=digests,
    comment=comments,
)


@given(traces, st.lists(st.lists(lines, max_size=3), max_size=7))
def test_what_is_written_is_read_back(trace, changes):
    """Comments as they are shown: what is read can hold nothing else."""

    def as_shown(comment):
        return tuple(visible(line).rstrip() for line in comment)

    shown = [replace(step, comment=as_shown(step.comment)) for step in trace.steps]
    assert read(write(trace, changes)) == replace(trace, comment=as_shown(trace.comment), steps=tuple(shown))


@given(traces)
def test_no_line_of_headings_or_steps_is_longer_than_a_page_is_wide(trace):
    for line in write(trace).splitlines():
        if line.startswith("settings:"):
            assert len(line) <= 120


def test_windows_line_ends_are_no_difference():
    text = GOLDEN[0].read_text(encoding="utf-8")
    assert read(text.replace("\n", "\r\n")) == read(text)


def test_comments_belong_to_the_trace_before_the_first_empty_line_and_then_to_the_next_step():
    trace = read(HEAD + "initial: 0\n# of the trace\n\n# of step 1\n1 a\n    broker 0  log |\n# of step 2\n2 b\n")
    assert trace.comment == ("of the trace",)
    assert [step.comment for step in trace.steps] == [("of step 1",), ("of step 2",)]


def test_a_step_without_comment_does_not_take_the_opening():
    trace = read(HEAD + "initial: 0\n# of the trace\n\n1 a\n")
    assert (trace.comment, trace.steps[0].comment) == (("of the trace",), ())


HOSTILE = {
    "": "does not begin with the line 'highwater trace 1'",
    "\x00\x01\x02": "does not begin",
    "highwater trace 2\n": "does not begin",
    "highwater trace 1\n": "has no line 'model:'",
    "highwater trace 1\nmodel: kafka\n": "has no line 'revision:'",
    HEAD: "has no line 'initial:'",
    HEAD + "initial: x": "'initial:' must be a number and a digest",
    HEAD + "initial: 99999999999999999999": "'initial:' must be a number and a digest",
    HEAD + "initial: 0 @XYZ": "'initial:' must be a number and a digest",
    HEAD + "initial: \u0663": "'initial:' must be a number and a digest",
    HEAD + "initial: 0\ncolour: red": "line 5: 'colour: red' is neither a heading",
    HEAD + "model: kafka\n": "is neither a heading",
    HEAD + "settings: brokers\ninitial: 0": "the setting 'brokers' is not of the form name=value",
    HEAD + "settings: brokers=2 brokers=3\ninitial: 0": "the setting brokers is given twice",
    HEAD + "initial: 0\n2 crash broker=0": "step 2 stands where step 1 should",
    HEAD + "initial: 0\n1 crash broker=0\n3 crash broker=0": "step 3 stands where step 2 should",
    HEAD + "initial: 0\n1 crash broker": "'1 crash broker' is not a step",
    HEAD + "initial: 0\n1 crash broker=zero": "is not a step",
    HEAD + "initial: 0\n1 crash broker=99999999999999999999": "is not a step",
    HEAD + "initial: 0\n1 crash broker=\u0663": "is not a step",
    HEAD + "initial: 0\n\u00b2 crash": "is not a step",
    HEAD + "initial: 0\n1 crash broker=0 @nothex": "is not a step",
    HEAD + "initial: 0\n1 " + "a" * 100_000: "is not a step",
    HEAD + "initial: 0\n\n# of no step\n": "ends with comments that belong to no step",
}


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text)[-40:])
def test_what_is_no_trace_is_refused_with_one_short_sentence(text):
    with pytest.raises(UsageError) as refusal:
        read(text, "some.trace")
    message = str(refusal.value)
    assert HOSTILE[text] in message
    assert message.startswith("some.trace")
    assert len(message) < 300
    assert "\n" not in message


def test_too_many_steps_are_refused():
    body = "\n".join(f"{number} a" for number in range(1, MAX_STEPS + 2))
    with pytest.raises(UsageError, match="at most 100,000 steps"):
        read(HEAD + "initial: 0\n" + body)


@given(st.one_of(st.text(max_size=300), st.text(max_size=300).map(lambda rest: HEAD + "initial: 0\n" + rest)))
@example(HEAD + "initial: 0\n1 a\x1c2 b")
def test_any_text_is_a_trace_or_refused(text):
    try:
        assert isinstance(read(text), Trace)
    except UsageError as refusal:
        assert str(refusal)


LARGE = b"#" * (LARGEST_FILE + 1_000_000)


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"highwater trace 1\n\x80", bytes(range(256)), LARGE], ids=range(4))
def test_a_file_that_is_not_text_or_large_is_refused(data, tmp_path):
    path = tmp_path / "some.trace"
    path.write_bytes(data)
    with pytest.raises(UsageError, match="larger than 4 MB" if data is LARGE else "is not text"):
        read_file(str(path))


def test_a_file_that_cannot_be_opened_is_refused(tmp_path):
    for path in (tmp_path / "missing.trace", tmp_path, "nul\0byte"):
        with pytest.raises(UsageError, match="cannot be read"):
            read_file(str(path))


def damaged(text, seed):
    """The text after a few changes to its lines and characters."""
    chance = random.Random(seed)
    out = text.split("\n")
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(out))
        kind = chance.randrange(5)
        if kind == 0:
            del out[at:]
        elif kind == 1:
            del out[at]
        elif kind == 2:
            out.insert(at, out[chance.randrange(len(out))])
        elif out[at]:
            place = chance.randrange(len(out[at]))
            replacement = chance.choice("0123456789=@# :-abz\x00\u00e9") * (1 if kind == 3 else 12)
            out[at] = out[at][:place] + replacement + out[at][place + 1 :]
        out = out or [""]
    return "\n".join(out)


@given(st.sampled_from(GOLDEN), st.integers(0, 2**32))
def test_a_damaged_file_is_refused_or_does_not_fit_or_runs(path, seed):
    text = damaged(path.read_text(encoding="utf-8"), seed)
    try:
        trace = read(text)
        result = replay(trace, MODELS[trace.model])
    except UsageError as refusal:
        assert str(refusal)
        assert "\n" not in str(refusal)
    else:
        assert isinstance(result, Replayed)
        assert result.mismatch or len(result.states) == len(trace.steps) + 1
