"""Every line of the documents that installs Highwater works, and so does the wheel where it is not unpacked."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from support.wheel import build

ROOT = Path(__file__).parents[1]
LINE = re.compile(r"pip install (?:--quiet )?(?P<what>(?:-e )?'?(?:\.|highwater|\"?https?|git)[^\n`&]*)")
DOCUMENTS = ("README.md", "docs/ci.md", "docs/spark.md", "docs/brokers.md", "docs/tutorial.md")
NAME = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["name"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A wheel of the tree, built where the address of the repository is known."""
    os.environ["HIGHWATER_REPOSITORY"] = "https://example.org/highwater"
    try:
        return build(tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("wheels"))
    finally:
        del os.environ["HIGHWATER_REPOSITORY"]


def lines():
    """What the documents install, and from where."""
    return sorted({m["what"].strip().strip("'\"") for name in DOCUMENTS for m in LINE.finditer((ROOT / name).read_text())})


def test_the_documents_name_the_distribution_and_no_other_project():
    found = lines()
    assert any(line.startswith(f"{NAME} @ git+") for line in found) and any(line.endswith(".whl") for line in found), found
    for line in found:
        assert line.startswith((".", "-e .", "-e '.", NAME, "highwater_kafka-")), line


@pytest.mark.parametrize("line", lines())
def test_each_line_installs_it(line, wheel, tmp_path):
    if line.endswith(".whl"):
        what = str(wheel.parent / Path(line).name.replace("VERSION", wheel.name.split("-")[1]))
    elif "@ git+" in line:
        what = f"{NAME} @ git+file://localhost{ROOT}"
        if not (ROOT / ".git").exists():
            pytest.skip("this tree is no git repository")
    else:
        what = str(ROOT)
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--target", str(tmp_path), what]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    package = tmp_path / "highwater"
    assert (package / "traces" / "golden").is_dir() and (package / "properties" / "checked.json").is_file()


def test_the_wheel_says_where_it_comes_from(wheel):
    with zipfile.ZipFile(wheel) as members:
        text = members.read(next(name for name in members.namelist() if name.endswith("METADATA"))).decode()
    assert f"Name: {NAME}\n" in text and "Project-URL: Repository, https://example.org/highwater" in text


def test_scenarios_are_read_from_a_wheel_that_is_not_unpacked(wheel, tmp_path):
    program = "from highwater.explorer.command_line import main; import sys; sys.exit(main(['list', 'scenarios', 'KAFKA-6361']))"
    environment = {**os.environ, "PYTHONPATH": str(wheel)}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "s1_silent_divergence" in done.stdout, done.stdout + done.stderr
