"""Where a run is kept: what a path and a URI mean is the same to every command, and what they cannot mean is a sentence."""

from pathlib import Path

import pytest
from highwater.explorer.command_line import main
from highwater.explorer.runs.files import LocalFiles, local_folder
from highwater.explorer.runs.stages import questions_in
from support.elsewhere import output_of, refused

RUN = ["check", "--model", "published", "--revision", "kip-320", "--brokers", "2", "--generic", "--quiet", "--depth", "3"]
SWEEP = ["sweep", "--model", "published", "--revision", "kip-320", "--vary", "brokers=2,3"]


@pytest.mark.parametrize(
    ("place", "folder"),
    [
        ("a", "a"), ("a:b", "a:b"), ("kip-320:1", "kip-320:1"), ("/a%20b#?", "/a%20b#?"), ("file:/a%20b", "/a b"),
        ("FILE:///a", "/a"), ("file://localhost/a", "/a"), ("file:a", "a"), ("hdfs:///a", None), ("hdfs:a", None),
        ("s3://a/b", None), ("s3a:b", None), ("viewfs:/a", None),
    ],
)  # fmt: skip
def test_what_a_place_means(place, folder):
    assert local_folder(place) == (None if folder is None else Path(folder))


@pytest.mark.parametrize(
    ("command", "place", "says"),
    [
        (["verify"], "file://[", "'file://[' is not a URI: Invalid IPv6 URL"),
        (["stats"], "file://[", "is not a URI"),
        (["verify"], "s3://[", "is not a URI"),
        ([*RUN, "--run-dir"], "file://[", "is not a URI"),
        (["verify"], "file:%00", "a path has no NUL character"),
        (["verify"], "file://host/a", "names no folder of this machine"),
        (["stats"], "file:/a#b", "with %23 for # and %3F for ?"),
        ([*RUN, "--run-dir"], "hdfs://host/a", "hdfs://host/a is a URI of another file system, which needs --engine spark"),
        ([*SWEEP, "--out"], "s3://bucket/a", "which needs --engine spark; name a folder"),
        (["verify"], "a" * 300, "File name too long"),
    ],
)
def test_what_no_place_can_mean(capsys, command, place, says):
    assert says in refused(capsys, *command, place)
    assert not list(Path().iterdir())


def test_a_run_in_a_uri_is_where_the_other_commands_look(capsys, tmp_path):
    place = f"file:{tmp_path}/a%20b"
    assert main([*RUN, "--run-dir", place]) == 20
    assert [path.name for path in tmp_path.iterdir()] == ["a b"]
    for name in (place, "a b"):
        assert main(["verify", name]) == 0
    capsys.readouterr()
    assert main([*RUN, "--depth", "4", "--resume", "--run-dir", "a b"]) == 20
    assert f"4 levels in {place}" in output_of(capsys, 0, ["stats", place, "--table", "levels"]).out.replace("\n", "")


def test_a_proof_looks_into_a_run_in_a_uri(capsys, tmp_path):
    place, claim = f"file:{tmp_path}/run", ["--property", "weak_isr", "--with", "none"]
    sizes = ["--max-epoch", "1", "--max-records", "1", "--log-size", "1"]
    assert main([*RUN, *sizes, "--run-dir", place]) == 20
    subject = ["--model", "published", "--revision", "kip-320", "--brokers", "2", *sizes]
    assert "holds no run" not in output_of(capsys, 16, ["prove", *subject, *claim, "--run-dir", place, "--quiet"]).err


def test_questions_are_found_in_the_folder_of_the_run(tmp_path):
    (tmp_path / "progress=1").mkdir()
    assert questions_in(LocalFiles(tmp_path)) == ["progress=1"]
