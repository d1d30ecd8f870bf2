"""A wheel built from the tree works where the repository is not, packed or unpacked, and so does each line of the documents."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from support.elsewhere import PROGRAM
from support.wheel import build

ROOT = Path(__file__).parents[1]
THE_PACKAGE_ITSELF = {Path("package/__init__.py"), Path("package/__main__.py")}
LINE = re.compile(r"pip install (?:--quiet )?(?P<what>(?:-e )?'?(?:\.|highwater|\"?https?|git)[^\n`&]*)")
DOCUMENTS = ("README.md", "docs/ci.md", "docs/spark.md", "docs/brokers.md", "docs/tutorial.md")
NAME = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["name"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A wheel of the tree, built where the address of the repository is known."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HIGHWATER_REPOSITORY", "https://example.org/highwater")
        return build(tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("wheels"))


def install(what, target):
    """A folder with nothing but what pip installs."""
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--target", str(target), what]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=target)
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    return install(str(wheel), tmp_path_factory.mktemp("installed"))


def run(packages, folder, *arguments):
    """The command, of an installed wheel or a packed one, from another folder; it first says where it is."""
    environment = {**os.environ, "PYTHONPATH": str(packages)}
    program = f"import sys, highwater.properties.registry as registry; print(registry.__file__, file=sys.stderr); {PROGRAM}"
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_the_wheel_has_every_package_and_the_golden_traces(installed):
    for package in ("model", "properties", "explorer", "traces"):
        ours = {p.relative_to(ROOT / package) for p in (ROOT / package).rglob("*.py")} - THE_PACKAGE_ITSELF
        theirs = {p.relative_to(installed / "highwater" / package) for p in (installed / "highwater" / package).rglob("*.py")}
        assert ours == theirs
    assert (installed / "highwater" / "__main__.py").exists(), "python -m highwater"
    assert list((installed / "highwater" / "traces" / "golden").glob("*.trace"))


def test_the_wheel_has_the_man_page(installed):
    assert (installed / "share" / "man" / "man1" / "highwater.1").read_text().startswith(".TH HIGHWATER")


def test_it_checks_replays_and_shows(installed, tmp_path):
    request = ["--model", "published", "--revision", "high-watermark", "--brokers", "2", "--generic"]
    check = run(installed, tmp_path, "check", *request)
    assert check.returncode == 12, check.stderr
    assert check.stderr.startswith(str(installed)), check.stderr
    trace = "highwater-traces/published-high-watermark-brokers2-weak_isr.trace"
    assert run(installed, tmp_path, "replay", trace).returncode == 12
    golden = installed / "highwater" / "traces" / "golden" / "s3_truncation_loses_data.high-watermark.trace"
    assert run(installed, tmp_path, "show", str(golden)).returncode == 0


def lines():
    """What the documents install, and from where."""
    return sorted({m["what"].strip().strip("'\"") for name in DOCUMENTS for m in LINE.finditer((ROOT / name).read_text())})


def test_the_documents_name_the_distribution_and_no_other_project():
    found = lines()
    assert any(line.startswith(f"{NAME} @ git+") for line in found) and any(line.endswith(".whl") for line in found), found
    for line in found:
        assert line.startswith((".", "-e .", "-e '.", NAME, "highwater_kafka-")), line


@pytest.mark.parametrize("kind", ["wheel", "repository", "tree"])
def test_what_the_lines_install_has_the_golden_traces(kind, wheel, installed, tmp_path):
    """Most lines name the tree, with one extra or another."""
    if kind == "wheel":
        [line] = [line for line in lines() if line.endswith(".whl")]
        assert Path(line).name.replace("VERSION", wheel.name.split("-")[1]) == wheel.name
        target = installed
    elif kind == "repository":
        if not (ROOT / ".git").exists():
            pytest.skip("this tree is no git repository")
        target = install(f"{NAME} @ git+file://localhost{ROOT}", tmp_path)
    else:
        target = install(str(ROOT), tmp_path)
    assert (target / "highwater" / "traces" / "golden").is_dir()
    assert (target / "highwater" / "properties" / "checked.json").is_file()


def test_the_wheel_says_where_it_comes_from(wheel):
    with zipfile.ZipFile(wheel) as members:
        text = members.read(next(name for name in members.namelist() if name.endswith("METADATA"))).decode()
    assert f"Name: {NAME}\n" in text and "Project-URL: Repository, https://example.org/highwater" in text


def test_scenarios_are_read_from_a_wheel_that_is_not_unpacked(wheel, tmp_path):
    done = run(wheel, tmp_path, "list", "scenarios", "KAFKA-6361")
    assert done.returncode == 0 and "s1_silent_divergence" in done.stdout, done.stdout + done.stderr
