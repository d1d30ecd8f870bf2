"""A wheel built from the tree works where the repository is not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.elsewhere import PROGRAM
from support.wheel import build

ROOT = Path(__file__).parents[1]
THE_PACKAGE_ITSELF = Path("package/__init__.py")


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with nothing but what the wheel holds; the tree is copied, for a build leaves files behind."""
    tree, wheels, target = (tmp_path_factory.mktemp(name) for name in ("tree", "wheels", "installed"))
    wheel = build(tree, wheels)
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(target), str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    return target


def run(installed, folder, *arguments):
    """The command, of the installed wheel, from another folder."""
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    command = [sys.executable, "-c", PROGRAM, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_the_wheel_has_every_package_and_the_golden_traces(installed):
    where = subprocess.run(
        [sys.executable, "-c", "import highwater.properties.registry as m; print(m.__file__)"],
        env={**os.environ, "PYTHONPATH": str(installed)}, cwd=installed, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert where.stdout.startswith(str(installed))
    for package in ("model", "properties", "explorer", "traces"):
        ours = {p.relative_to(ROOT / package) for p in (ROOT / package).rglob("*.py")} - {THE_PACKAGE_ITSELF}
        theirs = {p.relative_to(installed / "highwater" / package) for p in (installed / "highwater" / package).rglob("*.py")}
        assert ours == theirs
    assert list((installed / "highwater" / "traces" / "golden").glob("*.trace"))


def test_the_wheel_has_the_man_page(installed):
    assert (installed / "share" / "man" / "man1" / "highwater.1").read_text().startswith(".TH HIGHWATER")


def test_it_checks_replays_and_shows(installed, tmp_path):
    request = ["--model", "published", "--revision", "high-watermark", "--brokers", "2", "--generic"]
    check = run(installed, tmp_path, "check", *request)
    assert check.returncode == 12, check.stderr
    trace = "highwater-traces/published-high-watermark-brokers2-weak_isr.trace"
    assert run(installed, tmp_path, "replay", trace).returncode == 12
    assert run(installed, tmp_path, "show", trace).returncode == 0
    golden = installed / "highwater" / "traces" / "golden" / "s3_truncation_loses_data.high-watermark.trace"
    assert run(installed, tmp_path, "replay", str(golden)).returncode == 12
