"""`highwater prove`: exit codes, JSON, bad input, and counterexamples looked up in what was explored."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from highwater.explorer.command_line import main
from highwater.explorer.local.check import check
from highwater.explorer.request import Request
from highwater.explorer.symbolic.lookup import ExploredStates
from highwater.explorer.symbolic.proof import ProofRequest, prove
from highwater.explorer.symbolic.solving import PROVED
from highwater.model.language.errors import UsageError
from highwater.properties.catalogue import properties_of
from highwater.properties.lemmas import known_for
from highwater.properties.property import always
from highwater.properties.registry import PUBLISHED as PUBLISHED_MODEL
from support.elsewhere import refused
from support.exploring import request
from support.toys import COUNTERS, total

PUBLISHED = ["prove", "--model", "published", "--brokers", "2"]


def run(capsys, *arguments):
    """The exit code, and what was printed."""
    code = main([str(a) for a in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_proved_exits_with_0(capsys):
    code, out, _ = run(capsys, *PUBLISHED, "--revision", "kip-320", "--property", "hw_within_log", "--with", "known")
    assert code == 0
    assert "proved in " in out
    assert "by the model's promise of symmetry: in every reachable state, at any depth, at these sizes" in out


def test_not_inductive_exits_with_16_and_shows_the_counterexample(capsys):
    code, out, _ = run(capsys, *PUBLISHED, "--revision", "kip-101", "--property", "hw_within_log", "--with", "none")
    assert code == 16
    assert "after leader_advance_high_watermark leader=0:" in out and "need not be reachable" in out


def test_without_with_the_known_lemmas_are_taken_and_told(capsys):
    code, out, _ = run(capsys, *PUBLISHED, "--revision", "kip-320", "--property", "hw_within_log")
    assert code == 0 and out.startswith("using the 4 lemmas known for hw_within_log; --with none proves the claim")
    code, out, _ = run(capsys, *PUBLISHED, "--revision", "kip-320", "--property", "isr_never_empty")
    assert code in (0, 16) and out.startswith("no lemmas are known for isr_never_empty: proving the claim alone")


def test_every_setting_that_differs_is_named_in_the_head(capsys):
    """A proof under a repair is no proof about the revision without it."""
    subject = ["prove", "--revision", "kip-279", "--brokers", "2", "--max-epoch", "1", "--cut-of-nothing", "dropped"]
    code, out, _ = run(capsys, *subject, "--property", "truncation_rounds", "--with", "none")
    head = " ".join(out.partition("claims:")[0].split())
    assert code == 16 and head.startswith("kafka kip-279: ") and head.endswith(", cut of nothing dropped")


def test_too_little_time_exits_with_20(capsys):
    sizes = ["--max-epoch", 4, "--log-size", 4, "--max-records", 4]
    claim = ["--revision", "kip-320", "--property", "hw_within_log", "--with", "known"]
    code, out, _ = run(capsys, *PUBLISHED, *sizes, *claim, "--timeout", 0.001)
    assert code == 20 and "each may take --timeout 0.001" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--property", "hw_within_log", "--with", "leader_in_own_irs"], "did you mean leader_in_own_isr?"),
        (["--property", "hw_within_logs"], "did you mean hw_within_log?"),
        ([], "--property is missing"),
        (["--property", "commits_record"], "some state is reachable"),
        (["--property", "isr_never_empty", "--with", "known"], "no set of lemmas is known"),
        (["--property", "hw_within_log", "--with", "epochs_increase"], "no lemma 'epochs_increase'"),
        (["--property", "hw_within_log", "--timeout", "0"], "a number of seconds above 0"),
        (["--property", "hw_within_log", "--bounded", "2", "--with", "all"], "leave out --with"),
        (["--property", "hw_within_log", "--bounded", "0"], "a whole number above 0"),
        (["--property", "hw_within_log", "--run-dir", "nowhere"], "nowhere holds no run"),
        (["--property", "hw_within_log", "--any-size", "--cvc5", "--proofs", "/proc/none"], "/proc/none cannot be written"),
        (["--property", "hw_within_log", "--proofs", "here"], "give --any-size and --cvc5"),
        (["--property", "hw_within_log", "--houdini", "--any-size"], "leave one out"),
        (["--property", "hw_within_log", "--max-epoch", "99"], "max_epoch must lie between 0 and 8"),
    ],
)
def test_bad_input_exits_with_2_and_says_what_to_do(capsys, arguments, message):
    assert message in refused(capsys, *PUBLISHED, "--revision", "kip-320", *arguments, most=1000)


def test_a_property_that_means_nothing_here_is_bad_input(capsys):
    said = refused(capsys, "prove", "--revision", "kip-320", "--property", "append_in_order")
    assert "it needs max_batch > 1" in said


def test_json_has_every_action_with_its_lemmas(capsys):
    command = [*PUBLISHED, "--revision", "kip-279", "--property", "hw_within_log", "--with", "known", "--guards", "--json", "-"]
    code, out, _ = run(capsys, *command)
    document = json.loads(out)
    assert code == 0 and document["verdict"] == "proved" and document["counterexamples"] == []
    assert document["promises"] == ["symmetry"]
    actions = {action["name"]: action for action in document["actions"]}
    assert "leader_in_own_isr" in actions["leader_advance_high_watermark"]["lemmas_used"]
    assert set(document["indices"].values()) == {"proved"}
    assert {guard["guard"] for guard in document["guards"]} <= {"needed", "redundant"} and len(document["guards"]) > 15


def test_sizes_beyond_the_models_own_bounds_are_proved_and_explored_as_far_as_asked(capsys):
    sizes = ["--log-size", "8", "--max-records", "8", "--max-epoch", "8"]
    command = ["--model", "published", "--revision", "kip-320", *sizes, "--property", "hw_within_log"]
    assert run(capsys, "prove", *command, "--with", "known")[0] == 0
    code, out, _ = run(capsys, "check", *command, "--generic", "--states", "2000")
    assert code == 20 and "log size 8" in out


def test_bounded_search_finds_the_violation_or_says_how_far_it_looked(capsys):
    command = [*PUBLISHED, "--revision", "kip-320", "--property", "isr_never_empty", "--bounded"]
    code, out, _ = run(capsys, *command, 3)
    assert code == 12 and "isr_never_empty after 2 steps" in out and "controller_shrink_isr" in out
    assert out.splitlines()[1].startswith("at brokers 2, log size ")
    code, out, _ = run(capsys, *command, 1, "--json", "-")
    assert code == 20 and json.loads(out)["properties"][0]["complete_to"] == 2


def test_a_counterexample_is_looked_up_in_what_was_explored(capsys, tmp_path):
    """The ISR of the published model can become empty: with the right lemmas the state before is a reachable one."""
    directory = str(tmp_path / "run")
    sizes = ["--log-size", "1", "--max-records", "1", "--max-epoch", "1"]
    subject = ["--model", "published", "--brokers", "2", "--revision", "kip-320", *sizes]
    assert run(capsys, "check", *subject, "--generic", "--property", "strong_isr", "--run-dir", directory)[0] == 0
    lemmas = ["requests_reach_quorum_epoch", "quorum_leader_is_last_requested", "obeyed_request_was_sent",
              "follows_leader_of_its_epoch", "isr_is_requested_until_leader_arrives", "leader_none_or_in_isr"]  # fmt: skip
    prove = ["prove", *subject, "--run-dir", directory, "--property"]
    code, out, _ = run(capsys, *prove, "isr_never_empty", "--with", *lemmas)
    assert code == 16 and "the exploration reached the first state on level 2: this is a bug" in out
    code, out, _ = run(capsys, *prove, "one_leader_per_epoch", "--with", "none")
    assert code == 16 and "that were explored: if these are all, a lemma is missing that rules it out" in out
    both = ["--property", "isr_never_empty", "--run-dir", f"{directory}-violated"]
    assert run(capsys, "check", *subject, "--generic", "--keep-going", *both)[0] == 12
    code, out, _ = run(capsys, "prove", *subject, *both, "--with", "none")
    assert code == 16 and "(the run violates isr_never_empty after 2 steps: no lemma can prove it)" in out
    code, _, err = run(capsys, *prove, "one_leader_per_epoch", "--max-records", "2")
    assert code == 2 and "its settings" in err


def is_below(s):
    """The sum stays small."""
    return total(s) < 3


def is_any(s):
    """The sum is what it is."""
    return total(s) < 99


def test_only_a_property_of_the_same_text_was_violated_by_a_run(tmp_path):
    """A plugin may change what stands behind a name; and a run of other initial states is about other states."""
    settings, path = {"counters": 2, "top": 4}, str(tmp_path)
    below, other = (replace(always(function, None), name="small") for function in (is_below, is_any))
    assert check(request(COUNTERS, "only", settings, [below], run_directory=path, keep_going=True)).violated
    config = COUNTERS.configure("only", **settings)
    explored = ExploredStates(path, COUNTERS, "only", config)
    assert (explored.violated_after(below), explored.violated_after(other)) == (3, None)
    assert explored.violated_after(replace(below, kind="sometimes")) is None
    twice = replace(COUNTERS, initial_states=lambda config: COUNTERS.initial_states(config) * 2)
    with pytest.raises(UsageError, match="its initial states"):
        ExploredStates(path, twice, "only", config)


def test_a_proof_of_what_a_run_violates_is_a_defect(tmp_path, monkeypatch):
    config = PUBLISHED_MODEL.configure("kip-320", brokers=2, max_epoch=0, max_records=1, log_size=1)
    (one,) = [p for p in properties_of(PUBLISHED_MODEL) if p.name == "hw_within_log"]
    check(Request(PUBLISHED_MODEL, "kip-320", config, [one], generic=True, run_directory=str(tmp_path)))
    lemmas = known_for(PUBLISHED_MODEL, [one.name])
    asked = ProofRequest(PUBLISHED_MODEL, "kip-320", config, [one], lemmas, run_directory=str(tmp_path))
    assert prove(asked).verdict == PROVED
    monkeypatch.setattr(ExploredStates, "violated_after", lambda explored, claim: 2)
    with pytest.raises(AssertionError, match="proved, and violated by the run"):
        prove(asked)


@pytest.mark.parametrize(
    ("file", "claim", "told"),
    [
        ("peterson", "one_at_a_time", "the model peterson has no size that could be left open"),
        ("raft", "one_leader_a_term", "cannot be proved for any size: the prover does not know server[].log, a sequence"),
    ],
)
def test_a_model_without_formulas_for_any_size_is_refused_in_a_sentence(capsys, file, claim, told):
    """It is no failure of the model: with its sizes it can be proved."""
    path = Path(__file__).parents[1] / "gallery" / f"{file}.py"
    code, _, err = run(capsys, "prove", path, "--property", claim, "--any-size")
    assert code == 2 and err.count("\n") == 1 and told in err


def test_a_claim_that_cannot_be_read_for_any_size_is_refused_with_its_place(capsys):
    asked = ("--model", "published-kraft", "--revision", "v3.5", "--property", "replication_quorum_superset", "--any-size")
    code, _, err = run(capsys, "prove", *asked)
    assert code == 2 and "cannot be proved for any size: " in err
    assert "model/published_kraft/replica.py:163: the prover does not know alteration[].partition_epoch" in err


@pytest.mark.parametrize(("lacks", "code"), [("", 0), (" or s.manager[other] is Phase.ABORTED", 16)])
def test_a_model_in_a_file_is_proved_for_any_size_unless_a_guard_is_left_out(capsys, tmp_path, lacks, code):
    text = (Path(__file__).parents[1] / "gallery" / "tcommit.py").read_text()
    path = tmp_path / f"ends_with_{code}.py"  # modules of one name cannot be loaded twice
    path.write_text(text.replace(lacks, "", 1) if lacks else text)
    found, out, err = run(capsys, "prove", path, "--property", "consistent", "--any-size")
    assert found == code and ("in every reachable state, at any depth, for any managers" in out) == (not lacks), err
