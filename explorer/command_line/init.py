"""`highwater init`: the files with which another repository checks its protocol in CI."""

import argparse
import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from rich.console import Console

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...model.language.releases import row_of
from ...model.language.revisions import is_release
from ..extras import own_version, repository
from ..files import write_file
from ..output.report import console
from ..request import revision_named
from ..verdict import EXIT_HOLDS
from .parsing import Parser, default_model, model_named

SUMMARY = """Write highwater.toml, a workflow for GitHub Actions, constraints and an entry for pre-commit into this folder.

Nothing that exists is overwritten; what runs write is added to .gitignore. docs/ci.md describes what the files can say."""

EXAMPLE = "highwater init --revision 2.8.1 --plugin my_rules"

SCENARIOS = """# What is checked: `pytest highwater.toml`, or `pre-commit run highwater`. docs/ci.md has every key.

[[scenario]]
name = "{subject}, {size}"
model = "{model}"
{kind} = "{subject}"
{plugins}{sizes}[scenario.bounds]
seconds = 300
"""

SMALL = "[scenario.settings]\nbrokers = 2\n"
"""The sizes of the default model, which explores them in seconds."""

WORKFLOW = """name: highwater
on: [push, pull_request]
permissions:
  contents: read
  security-events: write
jobs:
  scenarios:
    runs-on: ubuntu-latest
    timeout-minutes: 20
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - uses: actions/cache@v4
        with:
          path: ~/.cache/highwater
          key: highwater-${{{{ runner.os }}}}-{tag}-${{{{ hashFiles('**/*.py', '**/highwater.toml') }}}}
          restore-keys: highwater-${{{{ runner.os }}}}-{tag}-
      - run: pip install pytest '{install}' -c {constraints}
      - run: pytest highwater.toml --junitxml=highwater.xml --highwater-sarif=highwater.sarif
      - uses: github/codeql-action/upload-sarif@v3
        if: always()
        continue-on-error: true  # where the repository has no code scanning, and for pull requests from forks
        with:
          sarif_file: highwater.sarif
      - uses: actions/upload-artifact@v4
        if: failure()
        with:
          name: counterexamples
          path: |
            highwater-traces
            highwater.xml
            highwater.sarif
"""

HOOK = """  - repo: local
    hooks:
      - id: highwater
        name: the protocol's scenarios
        entry: pytest -q highwater.toml
        language: system
        pass_filenames: false
        files: (\\.py|highwater\\.toml)$
"""

IGNORED = ("highwater-traces/", "highwater-corpus/", "highwater-sweep/", "highwater.xml", "*.sarif")
"""The folders that `check`, `fuzz` and `sweep` write to, if nothing else is said, and what the workflow writes."""

CONSTRAINTS = "highwater-constraints.txt"
"""The file that keeps the versions of what Highwater needs."""

ANYWHERE = "highwater-kafka @ git+https://HOST/OWNER/highwater@TAG"


def add_flags(parser: Parser) -> None:
    """The flags of `init`."""
    parser.add_argument("--model", metavar="NAME", help=f"default: {default_model(parser.models)}")
    subject = parser.add_mutually_exclusive_group()
    subject.add_argument("--revision", metavar="NAME", default="", help="a revision, or a release; default: the last revision")
    subject.add_argument("--release", metavar="VERSION", help="a release, such as 3.9.1, with exactly its repairs")


def run(options: argparse.Namespace) -> int:
    """Write what is not there."""
    model = model_named(options)
    kind, subject = subject_of(model, options.release or options.revision)
    named = [plugin.replace(".py", "").replace("/", ".").strip(".") for plugin in options.plugin]
    plugins = "plugins = [" + ", ".join(f'"{plugin}"' for plugin in named) + "]\n" if named else ""
    small = model.name == default_model(options.models) and "brokers" in model.config.settings
    address = repository()
    tag = own_version() if address else "TAG"
    install = f"highwater-kafka @ git+{address}" if address else ANYWHERE
    files = {
        "highwater.toml": SCENARIOS.format(
            model=model.name, kind=kind, subject=subject, plugins=plugins, size="two brokers" if small else "the default sizes",
            sizes=SMALL if small else "",
        ),
        ".github/workflows/highwater.yml": WORKFLOW.format(install=install, tag=tag, constraints=CONSTRAINTS),
        CONSTRAINTS: versions_here(),
        ".pre-commit-config.yaml": f"repos:\n{HOOK}",
    }
    there = [name for name in files if Path(name).exists()]
    if there == list(files):
        raise UsageError(f"{', '.join(there)} are there already; nothing was written")
    out = console()
    for name, text in files.items():
        if name in there:
            out.print(f"{name} is there already, and was left as it is")
            if name == ".pre-commit-config.yaml" and "id: highwater" not in Path(name).read_text(encoding="utf-8"):
                out.print(f"add this below its repos:\n{HOOK}", markup=False, highlight=False)
            continue
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        write_file(name, text)
        out.print(f"wrote {name}")
    ignore(out)
    if not address and ".github/workflows/highwater.yml" not in there:
        out.print("put the address of Highwater's repository for HOST/OWNER and TAG in .github/workflows/highwater.yml")
    return EXIT_HOLDS


def subject_of(model: Model, asked: str) -> tuple[str, str]:
    """The key of a scenario that names what is asked for, and its value: a release stays one, for it has repairs of its own."""
    if asked and asked not in model.revisions and is_release(asked):
        return "release", row_of(model, asked)[0]
    return "revision", revision_named(model, asked) if asked else list(model.revisions)[-1]


def versions_here() -> str:
    """Constraints for pip: the versions of what Highwater and pytest need, as they are installed here."""
    todo, found = ["highwater-kafka", "pytest"], dict[str, str]()
    while todo:
        try:
            plugin = distribution(todo.pop())
        except PackageNotFoundError:  # of another system or Python
            continue
        if plugin.name not in found:
            found[plugin.name] = plugin.version
            todo += [re.split(r"[^\w.-]", need, maxsplit=1)[0] for need in plugin.requires or () if "extra ==" not in need]
    kept = sorted(f"{name}=={version}" for name, version in found.items() if name != "highwater-kafka")
    return "\n".join(["# The versions where `highwater init` ran; renew them with it.", *kept]) + "\n"


def ignore(out: Console) -> None:
    """Add to .gitignore what is not there."""
    path = Path(".gitignore")
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    missing = [name for name in IGNORED if name not in before.split() and name.rstrip("/") not in before.split()]
    if missing:
        write_file(str(path), f"{before}{'' if not before or before.endswith(chr(10)) else chr(10)}{chr(10).join(missing)}\n")
        out.print(f"added {', '.join(missing)} to .gitignore")
