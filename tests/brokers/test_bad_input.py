"""`perform` and `observe` say in one sentence what is wrong, and exit with 2."""

import sys

import pytest
from support.elsewhere import refused

TRACE = "highwater trace 1\nmodel: {model}\nrevision: {revision}\ninitial: 0\n"


@pytest.fixture
def trace(tmp_path):
    def write(model="kafka", revision="kip-101"):
        path = tmp_path / "some.trace"
        path.write_text(TRACE.format(model=model, revision=revision))
        return str(path)

    return write


def test_a_trace_or_walks(capsys, trace):
    assert "give a trace file, or --walks N" in refused(capsys, "perform", "--release", "1.0.2")
    assert "give a trace file, or --walks N" in refused(capsys, "perform", "--release", "1.0.2", "--walks", "3", trace())


def test_a_release_or_a_distribution(capsys, trace, tmp_path):
    pytest.importorskip("kafka")
    assert "--release VERSION" in refused(capsys, "perform", trace())
    assert "--release VERSION" in refused(capsys, "perform", "--release", "1.0.2", "--kafka", str(tmp_path), trace())
    assert "known releases: 0.10.2.2" in refused(capsys, "perform", "--release", "0.7.0", trace())
    assert "known releases: 0.10.2.2" in refused(capsys, "perform", "--release", "0.7.0", "KAFKA-6361")
    assert "no folder libs" in refused(capsys, "perform", "--kafka", str(tmp_path), trace())
    (tmp_path / "libs").mkdir()
    assert "no jar kafka_2.xx-VERSION.jar" in refused(capsys, "perform", "--kafka", str(tmp_path), trace())
    jar = tmp_path / "libs" / "kafka_2.13-4.1.0.jar"
    jar.touch()
    assert "cannot be performed on Kafka 4.1.1; it can on 0.10" in refused(capsys, "perform", "--kafka", str(tmp_path), trace())
    jar.rename(jar.with_name("kafka_2.13-5.0.0.jar"))
    assert "not performed on Kafka '5.0.0'" in refused(capsys, "perform", "--kafka", str(tmp_path), trace())


def test_traces_of_other_models_and_revisions(capsys, trace):
    pytest.importorskip("kafka")
    assert "only traces of kafka and kraft" in refused(capsys, "perform", "--release", "1.0.2", trace(model="published"))
    assert "does not have" in refused(capsys, "perform", "--release", "1.0.2", trace(revision="kip-1"))
    assert "cannot be read" in refused(capsys, "perform", "--release", "1.0.2", "nowhere.trace")


def test_without_the_extra(capsys, trace, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "kafka", None)
    assert "pip install 'k" in refused(capsys, "perform", "--release", "1.0.2", trace())
    assert "pip install 'k" in refused(capsys, "observe", "--release", "1.0.2", str(tmp_path))


def test_without_a_development_kit(capsys, trace, monkeypatch, tmp_path):
    pytest.importorskip("kafka")
    (tmp_path / "libs").mkdir()
    (tmp_path / "libs" / "kafka_2.11-1.0.2.jar").touch()
    monkeypatch.setenv("HIGHWATER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert "need a Java development kit" in refused(capsys, "perform", "--kafka", str(tmp_path), trace())


def test_without_maven_and_with_a_jar_that_is_another(capsys, trace, monkeypatch, tmp_path):
    pytest.importorskip("kafka")
    monkeypatch.setenv("HIGHWATER_CACHE", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "give it with --kafka DIR" in refused(capsys, "perform", "--release", "1.0.2", trace())
    jars = tmp_path / "brokers" / "1.0.2" / "libs"
    jars.mkdir(parents=True)
    (jars / "kafka_2.11-1.0.2.jar").write_text("not the jar")
    assert "delete" in refused(capsys, "perform", "--release", "1.0.2", trace())


def test_a_folder_that_is_in_use(capsys, trace, monkeypatch, tmp_path):
    pytest.importorskip("kafka")
    (tmp_path / "libs").mkdir()
    (tmp_path / "libs" / "kafka_2.11-1.0.2.jar").touch()
    assert "is not empty" in refused(capsys, "perform", "--kafka", str(tmp_path), "--keep", str(tmp_path), trace())


def test_nothing_to_observe(capsys, tmp_path):
    pytest.importorskip("kafka")
    assert "nothing to observe" in refused(capsys, "observe", "--release", "1.0.2", str(tmp_path))
    assert "known releases" in refused(capsys, "observe", "--release", "nine", str(tmp_path))


NODES = '{"/brokers/topics/t": {"data": {"partitions": {"0": [0]}}}}'


def test_a_run_of_which_something_is_missing(capsys, tmp_path):
    pytest.importorskip("kafka")
    (tmp_path / "broker0").mkdir()
    (tmp_path / "znodes.json").write_text(NODES)
    assert "server.log cannot be read: No such file" in refused(capsys, "observe", "--release", "1.0.2", str(tmp_path))
    (tmp_path / "broker0copy").mkdir()
    assert "is not as `perform --keep` leaves it" in refused(capsys, "observe", "--release", "1.0.2", str(tmp_path))
    assert "cannot be read: File name too long" in refused(capsys, "observe", "--release", "1.0.2", "x" * 300)
