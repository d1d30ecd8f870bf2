"""Every requirement id leads to the code that models it and to the tests that check it, and back.

docs/coverage.md is written from tests/requirements.toml and from the docstrings, comments and golden traces that
name the ids (`pytest --rewrite-golden`); it must be as written, and every covered row must have code and a test.
"""

import ast
import re
import tomllib
from collections import defaultdict
from pathlib import Path

from highwater.properties.registry import MODELS

KAFKA = MODELS["kafka"]
ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "coverage.md"
REQUIREMENTS = tomllib.loads((ROOT / "tests" / "requirements.toml").read_text())
ID = re.compile(r"(?<![A-Za-z0-9])((?:KR|[A-NQ-TVZ])\d{1,2})(?:-((?:KR|[A-NQ-TVZ])\d{1,2}))?(?![A-Za-z0-9])")
CODE, TESTS = ("model", "properties"), ("tests/model", "tests/properties", "tests/traces", "tests/designs")
SCENARIOS_AND_CLAIMS = ("S", "Q")

HEAD = """# From requirement to code to test

Written by `pytest --rewrite-golden tests/test_coverage.py` from the docstrings that name the ids; do not edit. V3 is the
replication design, ZH the controller analysis, 279 is KIP-279: see [sources](sources.md). A claim (Q)
or a scenario (S) is decided by its tests. The last column is from the tables of rules ([one](guards-table.md),
[KRaft](guards-kraft-table.md)): for the functions in the third column, how many rules have mutants that are killed, and one.
"""
VERDICTS = "violated|unreached|stuck|step rule|out of range"
KILLED = re.compile(rf"^\| `(\w+)` \| ([\w ]+) `(.*)` \| ((?:{VERDICTS}).*?) \| \d+ \|$", re.M)


def ids_in(text):
    """The ids that a text names; a range such as Z1-Z3 names what lies between."""
    found = set()
    for first, last in ID.findall(text):
        found.add(first)
        if last and last[0] == first[0]:
            found |= {f"{first[0]}{n}" for n in range(int(first[1:]), int(last[1:]) + 1)}
    return found


def places_in(path):
    """(id, place) for every id in a docstring of the file, or on a line of a module or class body."""
    name = path.relative_to(ROOT).as_posix()
    tree = ast.parse(path.read_text())
    for one in ids_in(ast.get_docstring(tree) or ""):
        yield one, f"`{name}`"
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            whole = isinstance(node, ast.ClassDef) or node.name.startswith("test_")
            text = ast.unparse(node).replace("test_q", "Q") if whole else ast.get_docstring(node) or ""
            for one in ids_in(text):
                yield one, f"`{name}` {node.name}"
        elif isinstance(node, ast.Assign) and name.startswith("tests/"):
            for one in ids_in(ast.unparse(node)):
                yield one, f"`{name}` {ast.unparse(node.targets[0])}"


def exercised():
    """For each id the actions that model it: on every reachable step of small configurations they keep their promises."""
    out = defaultdict(list)
    for action in KAFKA.actions:
        for one in set().union(*(ids_in(f.__doc__ or "") for f in action.versions)):
            out[one].append(action.name)
    return {one: f"`tests/model/test_actions.py` ({', '.join(names[:3])})" for one, names in out.items()}


def places(folders):
    """Every place of every id below these folders."""
    out = defaultdict(list)
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "published" not in path.as_posix() and "lemmas" not in path.name:
                for one, place in places_in(path):
                    out[one].append(place)
    return out


def golden():
    """The golden traces that name each id."""
    out = defaultdict(list)
    folders = (ROOT / "traces" / "golden", ROOT / "traces" / "brokers" / "golden")
    for path in (path for folder in folders for path in sorted(folder.glob("*.trace"))):
        comments = "\n".join(line for line in path.read_text().splitlines() if line.startswith("#"))
        for one in ids_in(comments) | {path.name.split("_")[0].upper()}:
            out[one].append(f"`{path.relative_to(ROOT).as_posix()}`")
    return out


def shown(found):
    """At most four places, the most specific first."""
    ordered = sorted(dict.fromkeys(found), key=lambda place: place.endswith("`"))
    more = f", and {len(ordered) - 4} more" if len(ordered) > 4 else ""
    return ", ".join(ordered[:4]) + more


def killed():
    """For each function the rules in it that are killed when they are broken: kind, rule, what happens then."""
    out = defaultdict(list)
    for page in ("guards-table", "guards-kraft-table"):
        for function, *rule in KILLED.findall((ROOT / "docs" / f"{page}.md").read_text()):
            out[function].append(rule)
    return out


def mutants(found, by_function):
    """What the table of rules says of these places: how many rules are killed, and the first of the most specific function."""
    functions = dict.fromkeys(place.split("` ")[1] for place in found if "` " in place)
    rules = [(function, *rule) for function in functions for rule in by_function[function]]
    if not rules:
        return ""
    function, kind, rule, fate = min(rules, key=lambda one: (one[3].startswith("out"), len(by_function[one[0]])))
    return f"{len(rules)}, as {kind} `{rule}` of `{function}`: {fate}"


def page():
    """The whole page."""
    code, claims, tests, traces, steps = places(["model"]), places(["properties"]), places(TESTS), golden(), exercised()
    by_function = killed()
    lines = [HEAD, "| id | what | model | properties | tests | mutants |", "| --- | --- | --- | --- | --- | --- |"]
    for one, what in REQUIREMENTS["covered"].items():
        checked = shown([*tests[one], *traces[one]]) or steps.get(one, "")
        broken = mutants(code[one], by_function)
        lines.append(f"| {one} | {what} | {shown(code[one])} | {shown(claims[one])} | {checked} | {broken} |")
    if REQUIREMENTS["not_yet"]:
        lines += ["", "## Out", "", "Not modelled, and why.", "", "| id | what |", "| --- | --- |"]
        lines += [f"| {one} | {what} |" for one, what in REQUIREMENTS["not_yet"].items()]
    return "\n".join(lines) + "\n"


def test_the_page_is_as_written(request):
    if request.config.getoption("--rewrite-golden"):
        PAGE.write_text(page())
    assert PAGE.read_text() == page()


def test_every_covered_requirement_has_code_and_a_test():
    code, tests, traces, steps = places(CODE), places(TESTS), golden(), exercised()
    needs_code = [one for one in REQUIREMENTS["covered"] if not one.startswith(SCENARIOS_AND_CLAIMS)]
    assert [one for one in needs_code if not code[one]] == []
    assert [one for one in REQUIREMENTS["covered"] if not tests[one] and not traces[one] and one not in steps] == []
