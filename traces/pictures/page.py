"""One HTML page that shows a trace: a text without anything outside of it, for a browser that may do nothing else."""

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ..visible import escape
from .charts import Chart, charts
from .diagram import FULL, HALF, Document, diagram, heading

HERE = Path(__file__).parent

KEYS = (
    ("ArrowLeft", "◀", "one step back"), ("ArrowRight", "▶", "one step on"), ("f", "F", "first violation"),
    ("d", "D", "next difference"),
)  # fmt: skip


@cache
def asset(name: str) -> str:
    """A file beside this one, without the blanks that indent it."""
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return "\n".join(line.strip() for line in lines if not line.strip().startswith("//"))


def page(document: Document, compared: Document | None = None) -> str:
    """The page of a trace's document; `compared`: of the same steps under another revision, which the page shows next to it."""
    documents = [document, *([compared] if compared else [])]
    data = [compact(violation) for violation in documents]
    if compared:
        data[0]["differences"] = parting(document, compared)
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    title = " beside ".join(f"{violation['#meta']['model']} {violation['#meta']['revision']}" for violation in documents)
    about = document["#meta"]["property"]
    body = f"""<body{' class="two"' if compared else ""}>{head(document, title)}{bar()}
<main>{"".join(side(violation, number, bool(compared)) for number, violation in enumerate(documents))}</main>
<div id="status" class="visually-hidden" role="status"></div>
<script type="application/json" id="data">{text}</script>"""
    return whole(f"{title}: {about}" if about else title, ("page.css", "diagram.css"), body, asset("page.js"))


def chart_page(title: str, about: str, some: Sequence[Chart]) -> str:
    """A page of charts, in the same style."""
    head = f'<header><div><h1>{escape(title)}</h1></div><p class="story">{escape(about)}</p></header>'
    return whole(title, ("page.css", "diagram.css", "charts.css"), f"<body>{head}{charts(some)}")


def whole(title: str, styles: Sequence[str], body: str, script: str = "") -> str:
    """A whole page: it loads nothing, and a browser runs only the script that is written here."""
    style = "\n".join(map(asset, styles))
    allowed = f" script-src {digest(script)};" if script else ""
    policy = f"default-src 'none'; style-src {digest(style)};{allowed} img-src data:; base-uri 'none'; form-action 'none'"
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
<title>{escape(title)}</title><style>{style}</style></head>
{body}{f"<script>{script}</script>" if script else ""}</body></html>
"""


def digest(text: str) -> str:
    """What a content security policy names an inline part by."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def head(document: Document, title: str) -> str:
    """The first thing that a reader sees: why, then what mattered, then the story of the trace."""
    about = document["#meta"]
    settings = " ".join(f"{name}={value}" for name, value in about["settings"].items())
    out = f"<header><div><h1>{escape(title)}</h1>"
    shown = [item for item in about["violations"] if item["property"] == about["property"]] or about["violations"]
    for violation in shown[:1]:
        out += f'<p class="why">{escape(violation["why"])}</p>'
    if about["explanation"]:
        lines = "".join(f"<li>{escape(line)}</li>" for line in about["explanation"])
        out += f'<details class="more"><summary>what mattered, what is near, what keeps it</summary><ul>{lines}</ul></details>'
    if settings:
        out += f'<details class="more"><summary>settings</summary>{escape(settings)}</details>'
    story = " ".join(about["comment"])
    return out + "</div>" + (f'<p class="story">{escape(story)}</p>' if story else "") + "</header>"


def bar() -> str:
    """The controls."""
    buttons = "".join(
        f'<button type="button" data-key="{key}" aria-label="{name}" title="{name}">{sign}</button>' for key, sign, name in KEYS
    )
    return (
        f'<nav aria-label="steps">{buttons}<input type="range" id="slider" min="0" value="0" aria-label="step">'
        '<span id="place"></span><span>← → step · Home, End · F first violation · D next difference</span></nav>'
    )


def side(document: Document, number: int, named: bool) -> str:
    """A diagram and the panel that tells the state of the step chosen."""
    revision = escape(document["#meta"]["revision"])
    name = f"<h2>{revision}</h2>" if named else f'<h2 class="visually-hidden">{revision}</h2>'
    full = HALF if named else FULL
    drawn = heading(document, full) + diagram(document, "b" if number else "", headed=False, full=full)
    return (
        f'<section class="side" id="side{number}" aria-label="{revision}">{name}'
        f'<div class="drawn">{drawn}</div><div class="panel" id="panel{number}"></div></section>'
    )


def compact(document: Document) -> dict[str, Any]:
    """What the script needs of a document: of each state only the parts that its step changed."""
    about = document["#meta"]
    metas = [state["#meta"] for state in document["states"]]
    states = []
    facts: dict[str, Any] = {}
    scenes: dict[str, Any] = {}
    for meta in metas:
        states.append({
            "f": {part: value for part, value in meta["facts"].items() if facts.get(part) != value},
            "s": {part: value for part, value in meta["scene"].items() if scenes.get(part) != value},
            "c": meta["changed"],
        })  # fmt: skip
        facts, scenes = meta["facts"], meta["scene"]
    return {
        "revision": about["revision"],
        "labels": [meta["label"] for meta in metas],
        "comments": [" ".join(meta["comment"]) for meta in metas],
        "actions": about["sources"],
        "states": states,
        "violations": [{key: v[key] for key in ("property", "step", "why", "places")} for v in about["violations"]],
        "mismatch": about["mismatch"],
        "enabled": metas[-1].get("enabled", []) if about["mismatch"] else [],
        "differences": disagreeing(metas),
        "start": next((v["step"] for v in about["violations"] if v["property"] == about["property"]), None),
    }


def disagreeing(metas: list[Mapping[str, Any]]) -> list[int]:
    """The steps after which replicas disagree where they did not before."""
    out, before = [], None
    for number, meta in enumerate(metas):
        logs = [(part, log) for part, drawn in meta["scene"].items() for log in drawn["logs"]]
        rings = [(part, tuple(log["differs"])) for part, log in logs if log["differs"]]
        if rings and rings != before:
            out.append(number)
        before = rings
    return out


def parting(document: Document, compared: Document) -> list[int]:
    """The steps after which the two sides differ in other parts than before; also where the steps of one of them end."""
    out, before = [], None
    both = zip(document["states"], compared["states"], strict=False)
    for number, (here, there) in enumerate(both):
        mine, other = here["#meta"]["facts"], there["#meta"]["facts"]
        parts = [part for part in mine if mine[part] != other.get(part)]
        if parts and parts != before:
            out.append(number)
        before = parts
    shorter = min(len(document["states"]), len(compared["states"]))
    return out if shorter == len(document["states"]) else sorted({*out, shorter})
