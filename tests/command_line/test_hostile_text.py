"""What a file says is shown, whatever it holds: the same hostile text through every output."""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest
from highwater.explorer.command_line import main
from highwater.explorer.library import check
from highwater.explorer.output.report import console, shortest
from highwater.traces.text import read
from highwater.traces.visible import escape, visible

SENT = {
    "colour": "\x1b[31m", "clipboard": "\x1b]52;c;aGk=\x07", "c1": "\x9b2J", "nul": "\x00", "bidi": "\u202e\u2066",
    "isolate": "\u2069", "delete": "\x7f", "back": "\b\b", "line": "\u2028", "zero": "\u200b", "tag": "\U000e0041",
}  # fmt: skip
HOSTILE = "a" + "".join(SENT.values()) + "b"
COMMANDS = "x " * 20 + "word " * 14 + "::error title=no::no ::add-mask::a ##[add-mask]b ::stop-commands::c"
STEPS = 3


def is_harmless(text):
    """Whether a terminal, a workflow and XML take all of it as text."""
    controls = [c for c in text if c not in "\n\t" and (c < " " or "\x7f" <= c < "\xa0")]
    assert not controls and not set(text) & set("\xad\u200b\u2028\U000e0041"), text
    assert not set(text) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"), text
    assert not re.search(r"(?m)^\s*::|##\[", text), text
    return True


@pytest.fixture
def trace(tmp_path):
    """A trace that violates a property, with hostile comments everywhere."""
    asked = ["--model", "published", "--revision", "kip-101", "--brokers", "2", "--generic", "--quiet"]
    assert main(["check", *asked, "--traces", str(tmp_path / "made")]) == 12
    file = next((tmp_path / "made").iterdir())
    text = file.read_text()
    assert text.count("\n\n1 ") == 1
    lines = f"# {HOSTILE}\n# {COMMANDS}\n# ::error::at once\n"
    head, rest = text.split("\n\n1 ")
    first, *more = head.split("initial: ")
    initial, *told = more[0].split("\n")
    hostile = f"{first}initial: {initial}\n{lines}" + "\n".join(told) + f"\n\n{lines}1 {rest}"
    file.write_text(hostile, newline="")
    return file


def shown(capfd, *arguments):
    capfd.readouterr()
    main([str(argument) for argument in arguments])
    out, error = capfd.readouterr()
    return out + error


COMMAND_LINES = {
    "show": ["show", "FILE"],
    "replay": ["replay", "FILE"],
    "check from": ["check", "--from", "FILE", "--depth", "2", "--quiet", "--traces", "OUT"],
    "mermaid": ["show", "FILE", "--mermaid", "-"],
}


@pytest.mark.parametrize("arguments", COMMAND_LINES.values(), ids=COMMAND_LINES)
def test_nothing_of_a_trace_acts_on_a_terminal_or_a_workflow(trace, tmp_path, capfd, arguments):
    places = {"FILE": trace, "OUT": tmp_path / "out"}
    text = shown(capfd, *(places.get(argument, argument) for argument in arguments))
    assert is_harmless(text) and len(text) > 60


def test_nothing_of_a_trace_acts_in_files_for_programs(trace, tmp_path, capfd):
    named = {flag: tmp_path / f"x.{flag}" for flag in ("json", "junit", "sarif")}
    flags = [word for flag, path in named.items() for word in (f"--{flag}", path)]
    assert is_harmless(shown(capfd, "check", "--from", trace, "--traces", tmp_path / "out", *flags))
    document = ElementTree.fromstring(named["junit"].read_text())
    assert is_harmless("".join(document.itertext()))
    for name in ("json", "sarif"):
        json.loads(named[name].read_text())
        assert is_harmless(named[name].read_text())


def test_nothing_of_a_trace_acts_in_a_page(trace, tmp_path, capfd):
    for flag, name in (("--html", "x.html"), ("--svg", "x.svg")):
        shown(capfd, "show", trace, flag, tmp_path / name)
        assert is_harmless((tmp_path / name).read_text().replace("\u200b", "")), name


def test_nothing_of_a_trace_acts_in_a_notebook(trace):
    """As where a scenario's trace is looked at in one."""
    result = check("published", "kip-101", brokers=2)
    found = shortest(result.outcome)
    found.trace = read(trace.read_text())
    for text in (result._repr_html_(), str(result)):
        assert is_harmless(text.replace("\u200b", "")) and "word word" in text


def test_a_corpus(trace, tmp_path, capfd):
    (tmp_path / "corpus").mkdir()
    trace.rename(tmp_path / "corpus" / trace.name)
    asked = ["--model", "published", "--revision", "kip-101", "--brokers", "2", "--seconds", "1", "--generic"]
    assert is_harmless(shown(capfd, "fuzz", *asked, "--corpus", tmp_path / "corpus"))


def test_a_comment_survives_otherwise(trace):
    told = "\n".join(read(trace.read_text()).comment)
    assert "\\x1b]52;c;aGk=\\x07" in told and "\\u202e" in told and told.count("word") == 14


def test_names_of_scenarios_in_pytest(tmp_path):
    name = f'"{HOSTILE}::x"'.encode("unicode_escape").decode().replace("\\x", "\\u00")
    said = ['model = "published"', 'revision = "kip-101"', 'properties = ["strong_isr"]', "settings = {brokers = 2}"]
    (tmp_path / "highwater.toml").write_text("\n".join(["[[scenario]]", f"name = {name}", *said]))
    asked = [sys.executable, "-P", "-m", "pytest", "-v", "--color=no", "-p", "no:cacheprovider", "-p", "no:randomly"]
    result = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert is_harmless(result.stdout) and "1 failed" in result.stdout, result.stdout


def test_the_function_itself(capsys):
    assert is_harmless(visible(HOSTILE)) and is_harmless(visible(COMMANDS)) and is_harmless(escape(f"<{HOSTILE}>"))
    for number in map(chr, range(sys.maxunicode + 1)):
        if number not in "\n\t" and not number.isprintable() and not number.isspace():
            assert visible(number).isprintable(), hex(ord(number))
    assert visible("plain: a::b\n\té\u00a0é") == "plain: a::b\n\té\u00a0é"
    out = console(width=30)
    out.print(COMMANDS)
    assert is_harmless(capsys.readouterr().out)
