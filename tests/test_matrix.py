"""The verdict matrix at the default sizes is pinned: states, transitions, depth, and where each property is violated.

`pytest --rewrite-golden` rewrites tests/matrix.json and the table in the README; the commit says why a number changed.
"""

import json
import re
from pathlib import Path

import pytest
from highwater.explorer.command_line import main

ROOT = Path(__file__).parents[1]
PINNED = ROOT / "tests" / "matrix.json"
BEGIN, END = "<!-- matrix: tests/test_matrix.py writes this table -->\n", "<!-- end of matrix -->"

SHOWN = ("always", "step")
HEADINGS = {
    "v3": "V3",
    "high-watermark": "0.9, 0.10: high watermark",
    "kip-101": "0.11, 1.x: KIP-101",
    "kip-279": "2.0.0: KIP-279",
    "kip-279-2.0.1": "2.0.1: KAFKA-7128",
    "kip-320-first-try": "KIP-320, first try",
    "kip-320-2.1.1": "2.1.1",
    "kip-320-2.2": "2.2",
    "kip-320": "KIP-320, as meant",
    "kip-320-2.5.0": "2.5.0",
    "kip-320-2.8.0": "2.8.0",
    "kip-320-2.8": "2.8.1",
    "kip-500": "decisions in a log",
    "4.4": "4.4, KRaft",
}


def summary(document):
    """What is pinned of the JSON document of `highwater matrix`."""
    out = {}
    for entry in document["revisions"]:
        verdicts = {p["name"]: f"{p['verdict']} {p['depth'] or ''}".strip() for p in entry["properties"]}
        numbers = {key: entry[key] for key in ("distinct_states", "transitions", "depth")}
        out[f"{entry['model']} {entry['revision']}"] = {**numbers, "properties": verdicts}
    return out


def in_steps(verdict):
    """`violated 14`, which counts levels, as the README says it: in steps."""
    return "–" if verdict == "not applicable" else re.sub(r"violated (\d+)", lambda m: f"**violated** {int(m[1]) - 1}", verdict)


def table(pinned, kinds):
    """The README's table: what means something at the default sizes, of ZooKeeper's revisions and of KRaft's newest."""
    columns = [*(key for key in pinned if key.startswith("kafka ")), [key for key in pinned if key.startswith("kraft ")][-1]]
    names = [HEADINGS.get(key.split()[1], key.split()[1].upper()) for key in columns]
    lines = ["| property | " + " | ".join(names) + " |", "| --- |" + " --- |" * len(columns)]
    for name in dict.fromkeys(name for key in columns for name in pinned[key]["properties"]):
        verdicts = [pinned[key]["properties"].get(name, "not applicable") for key in columns]
        if kinds[name] in SHOWN and set(verdicts) != {"not applicable"}:
            lines.append(f"| {name} | " + " | ".join(map(in_steps, verdicts)) + " |")
    states = [f"{pinned[key]['distinct_states']:,}" for key in columns]
    return "\n".join(["", *lines, "| *distinct states* | " + " | ".join(states) + " |"]) + "\n\n"


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    path = tmp_path_factory.mktemp("matrix") / "matrix.json"
    assert main(["matrix", "--quiet", "--json", str(path)]) == 0
    return json.loads(path.read_text())


def test_every_verdict_is_the_expected_one_and_every_number_is_the_pinned_one(document, request):
    assert document["differences"] == []
    found = summary(document)
    if request.config.getoption("--rewrite-golden"):
        PINNED.write_text(json.dumps(found, indent=1) + "\n")
    assert found == json.loads(PINNED.read_text())


def test_the_readme_shows_the_pinned_table(document, request):
    kinds = {p["name"]: p["kind"] for entry in document["revisions"] for p in entry["properties"]}
    wanted = table(json.loads(PINNED.read_text()), kinds)
    readme = (ROOT / "README.md").read_text()
    before, rest = readme.split(BEGIN)
    shown, after = rest.split(END)
    if request.config.getoption("--rewrite-golden"):
        (ROOT / "README.md").write_text(before + BEGIN + wanted + END + after)
        shown = wanted
    assert shown == wanted
