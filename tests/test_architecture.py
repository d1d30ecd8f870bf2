"""docs/architecture.md: its picture has every folder of the source and the imports between them, no more and no less."""

import ast
import re
from functools import cache
from pathlib import Path

import networkx
from support.pages import is_written

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
PACKAGES = ("explorer", "properties", "traces", "model")
EVERYWHERE = "model.language"
"""What everybody may import, so that an arrow to it from elsewhere says nothing."""


def folders():
    """The packages, as `explorer.local`."""
    found = {file.parent.relative_to(ROOT) for name in PACKAGES for file in (ROOT / name).rglob("__init__.py")}
    return {".".join(folder.parts) for folder in found} - {"explorer.package"}


@cache
def imports(file):
    """The parts of each name that a module imports from here, within functions, too."""
    found, here = [], [*file.relative_to(ROOT).parts[:-1]]
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            start = ["", *here][: len(here) + 2 - node.level][1:] + (node.module or "").split(".")
            found += ([part for part in (*start, alias.name) if part] for alias in node.names)
    return found


def imported(file, is_one):
    """The folders, or the modules, from which a module imports."""
    for path in imports(file):
        lengths = (at for at in range(len(path), 0, -1) if is_one(ROOT.joinpath(*path[:at])))
        yield from (".".join(path[:at]) for at in [*lengths][:1])


def is_folder(path):
    """Whether it is a package."""
    return (path / "__init__.py").exists()


def is_module(path):
    """Whether it is a file of Python."""
    return path.with_suffix(".py").exists()


@cache
def arrows():
    """(from, to) for each import between folders; a folder's own shared modules and what is below it stand for one room."""
    out = set()
    for name in PACKAGES:
        for file in (ROOT / name).rglob("*.py"):
            here = ".".join(file.relative_to(ROOT).parts[:-1])
            for there in imported(file, is_folder):
                if not (is_within(there, EVERYWHERE) and not is_within(here, EVERYWHERE)) and not is_shared(here, there):
                    out.add((here, there))
    return out


def is_shared(here, there):
    """A folder and the one above it are one house: what lies directly in the upper is shared by its rooms."""
    return is_within(here, there) or is_within(there, here)


def is_within(folder, upper):
    """Whether a folder is this one, or lies below it."""
    return folder == upper or folder.startswith(f"{upper}.")


def picture():
    """The picture as Mermaid draws it: a box for each package, and an arrow for each import."""
    lines = ["```mermaid", "flowchart TD"]
    for name in PACKAGES:
        rooms = sorted(folder for folder in folders() if folder.startswith(f"{name}."))
        lines.append(f"  subgraph {name}")
        lines += [f"    {room}[{room.partition('.')[2]}]" for room in rooms]
        lines.append("  end")
    shown = {
        (here, there) if here.partition(".")[0] == there.partition(".")[0] else (here.partition(".")[0], there.partition(".")[0])
        for here, there in arrows()
    }
    lines += [f"  {here} --> {there}" for here, there in sorted(shown)]
    return "\n".join([*lines, "```"])


def test_the_picture_shows_the_imports(request):
    text = PAGE.read_text()
    wanted = re.sub(r"```mermaid\n.*?```", lambda _: picture(), text, count=1, flags=re.S)
    if request.config.getoption("--rewrite-golden"):
        PAGE.write_text(wanted)
        text = wanted
    assert picture() in text and text == wanted, "pytest --rewrite-golden tests/test_architecture.py draws it again"


def first_line(folder):
    """The summary of a package."""
    module = ast.parse((ROOT.joinpath(*folder.split(".")) / "__init__.py").read_text())
    return (ast.get_docstring(module) or "").splitlines()[0]


def test_the_page_says_of_each_folder_what_it_is_for(request):
    order = {name: place for place, name in enumerate(reversed(PACKAGES))}
    shown = sorted(folders(), key=lambda folder: (order[folder.partition(".")[0]], folder))
    rows = "\n".join(f"| `{folder.replace('.', '/')}` | {first_line(folder)} |" for folder in shown)
    assert is_written("docs/architecture.md", "folders", f"| folder | what it is for |\n| --- | --- |\n{rows}", request)


def test_the_rooms_of_the_explorer_have_no_circles():
    rooms = networkx.DiGraph([(a, b) for a, b in arrows() if a.startswith("explorer.") and b.startswith("explorer.")])
    assert list(networkx.simple_cycles(rooms)) == []


def test_no_module_imports_itself_by_way_of_others():
    files = {
        ".".join(file.relative_to(ROOT).with_suffix("").parts): file for name in PACKAGES for file in (ROOT / name).rglob("*.py")
    }
    modules = networkx.DiGraph([(here, there) for here, file in files.items() for there in imported(file, is_module)])
    assert list(networkx.simple_cycles(modules)) == []
