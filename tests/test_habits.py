"""What surrounds the code: one version, one licence, one script for every CI, versions of libraries that fit."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from highwater.explorer.extras import own_version
from packaging.requirements import Requirement
from support.pages import is_written

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_there_is_one_version():
    assert re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.M)[1] == PROJECT["version"] == own_version()


def test_there_is_one_licence():
    assert PROJECT["license"] == "Apache-2.0" and PROJECT["license-files"] == ["LICENSE", "NOTICE"]
    assert "Apache License" in (ROOT / "LICENSE").read_text() and (ROOT / "NOTICE").exists()
    assert "\nlicense: Apache-2.0\n" in (ROOT / "CITATION.cff").read_text()


def test_hosted_ci_runs_the_same_script_with_the_versions_that_are_named():
    hosted = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    assert re.findall(r"^      - run: (.*)$", hosted, re.M) == [".ci/run"]
    named = [c.rpartition(" ")[2] for c in PROJECT["classifiers"] if re.search(r"Python :: 3\.\d+$", c)]
    assert re.findall(r'"(3\.\d+)"', hosted.partition("python: [")[2].partition("]")[0]) == named
    assert named[0] == PROJECT["requires-python"].removeprefix(">=")
    assert f"Python {named[0]} to {named[-1]}." in (ROOT / "CONTRIBUTING.md").read_text()


def test_scripts_that_are_named_are_there_and_can_be_run():
    texts = [(ROOT / name).read_text() for name in (".ci/run", ".pre-commit-config.yaml", "CONTRIBUTING.md")]
    texts += [path.read_text() for path in (ROOT / ".github" / "workflows").iterdir()]
    named = {name for text in texts for name in re.findall(r"\.ci/\w+", text)}
    assert named == {".ci/run", ".ci/types", ".ci/nightly", ".ci/group"}
    assert all((ROOT / name).stat().st_mode & 0o111 for name in named)


def constraints():
    """The version of each package with which the tests last ran."""
    known = re.findall(r"^([\w.-]+)==(\S+)$", (ROOT / "constraints.txt").read_text(), re.M)
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in known}


def required(group):
    """What an extra requires, or Highwater itself."""
    several = map(Requirement, PROJECT["optional-dependencies"][group] if group else PROJECT["dependencies"])
    return [(re.sub(r"[-_.]+", "-", one.name).lower(), one) for one in several if not one.name.startswith("highwater")]


@pytest.mark.parametrize("group", ["", *PROJECT["optional-dependencies"]])
def test_constraints_fit_what_the_project_requires(group):
    known = constraints()
    for name, requirement in required(group):
        assert name in known and requirement.specifier.contains(known[name]), requirement


def test_the_page_of_platforms_has_the_versions(request):
    known, rows = constraints(), ["| package | for | lowest | below | last run |", "| --- | --- | --- | --- | --- |"]
    for group in ("", *(one for one in PROJECT["optional-dependencies"] if one not in ("test", "site"))):
        for name, requirement in required(group):
            bounds = {bound.operator: bound.version for bound in requirement.specifier}
            use = f"the extra `{group}`" if group else "everything"
            rows.append(f"| {name} | {use} | {bounds['>=']} | {bounds.get('<', '')} | {known[name]} |")
    assert is_written("docs/platforms.md", "versions", "\n".join(rows), request), "--rewrite-golden"


AT_THE_TOP = {
    ".ci", ".github", ".gitignore", ".packages", ".pre-commit-config.yaml", "CITATION.cff", "CONTRIBUTING.md", "LICENSE",
    "NOTICE", "README.md", "constraints.txt", "docs", "explorer", "model", "properties", "pyproject.toml", "setup.py",
    "tests", "traces",
}  # fmt: skip


def test_nothing_that_a_run_left_is_in_the_repository():
    """Outputs of commands were committed with the code twice: at the top, from a test that was not run in its own folder."""
    git = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if git.returncode:
        pytest.skip("this is no clone")
    assert {name.partition("/")[0] for name in git.stdout.split()} == AT_THE_TOP


def test_the_packages_say_that_they_are_typed():
    import highwater

    assert (Path(highwater.__path__[0]) / "py.typed").exists()


def test_tools_that_read_sources_find_the_packages_as_they_are_named():
    """`.packages` links to what the build takes, and to no more."""
    links = {path.name: path.resolve() for path in (ROOT / ".packages" / "highwater").iterdir()}
    program = "import setuptools; setuptools.setup = lambda **how: print(*how['package_dir'].values()); import setup"
    told = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    whole, *folders = (ROOT / name for name in told)
    assert set(links.values()) == {*folders, *(whole / name for name in ("__init__.py", "__init__.pyi", "py.typed"))}
    assert all(name == path.name for name, path in links.items())
