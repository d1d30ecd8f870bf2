"""By a seed: configurations across engines, progress against networkx, flags across outputs. What differs is wrong."""

import contextlib
import io
import json
import random
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter

from highwater.explorer.budget import Bounds
from highwater.explorer.command_line import main
from highwater.explorer.local.check import check
from highwater.explorer.request import Request
from highwater.model.language.errors import UsageError
from highwater.properties.catalogue import properties_of
from highwater.properties.registry import MODELS
from support.configurations import some_configuration
from support.exploring import as_plainly
from support.on_spark import alike, on_spark

STATES, PLAIN_STATES = 3_000, 400


def some_request(dice):
    """(model, revision, configuration) of any model: of the Kafka model with switches and faults, of others with sizes."""
    name = dice.choice(sorted(MODELS))
    model = MODELS[name]
    if name == "kafka":
        return model, *some_configuration(dice)
    while True:
        revision = dice.choice(list(model.revisions))
        known = model.config.settings
        settings = {}
        for one in dice.sample(sorted(known), min(len(known), dice.randint(0, 3))):
            kind = known[one]
            settings[one] = kind.show(dice.randint(kind.low, min(kind.high, kind.low + 2)))
        with contextlib.suppress(UsageError):
            return model, revision, model.configure(revision, **{"brokers": 2, **settings} if "brokers" in known else settings)


def configurations(folder, seed, count, until, spark=None):
    """Each configuration explored in every way that applies, to the same depth: what differs is wrong."""
    seen, wrong = Counter(), []
    for number in range(count):
        if time.monotonic() > until:
            break
        dice = random.Random(f"configurations {seed} {number}")
        model, revision, config = some_request(dice)
        chosen = [claim for claim in properties_of(model) if claim.applies(config)]
        first = check(Request(model, revision, config, chosen, generic=True, keep_going=True, bounds=Bounds(states=STATES)))
        bounds = Bounds(depth=max(1, min(first.whole_levels, 40)))
        what = (seed, number, model.name, revision, config.changed() if hasattr(config, "changed") else str(config)[:200])

        def asked(model=model, revision=revision, config=config, chosen=chosen, bounds=bounds, **how):
            return Request(model, revision, config, chosen, generic=True, keep_going=True, bounds=bounds, **how)

        whole = alike(check(asked()))
        ways = {
            "exact": lambda asked=asked: check(asked(exact=True)),
            "two threads": lambda asked=asked: check(asked(threads=2)),
            "kept": lambda asked=asked, number=number: check(asked(run_directory=str(folder / f"kept-{number}"))),
            "resumed": lambda asked=asked, number=number: check(asked(run_directory=str(folder / f"kept-{number}"), resume=True)),
        }
        if spark is not None:
            ways["spark"] = lambda asked=asked: on_spark(spark, asked(), shards=2, narrow=50)
        for name, way in ways.items():
            seen[name] += 1
            try:
                if alike(way()) != whole:
                    wrong.append((what, name))
            except Exception as error:
                wrong.append((what, name, repr(error)[:500]))
        seen["plain"] += 1
        if not as_plainly(model, config, whole[0], PLAIN_STATES):
            wrong.append((what, "plain"))
        seen["configurations"] += 1
    return seen, wrong


def progress(folder, seed, count, until):
    """Random graphs: fair states, what leads there and what is lost, against networkx; 50 graphs each."""
    from progress.test_random_graphs import test_fair_states_and_what_leads_there as compare

    seen, wrong = Counter(), []
    first = random.Random(f"progress {seed}").randrange(1 << 30)
    for number in range(count):
        if time.monotonic() > until:
            break
        try:
            compare(first + 50 * number)
        except AssertionError as error:
            wrong.append((first + 50 * number, str(error)[:200]))
        seen["graphs"] += 50
    return seen, wrong


FLAGS = (
    (["--keep-going"], []), (["--exact"], []), (["--threads", "2"], []), (["--depth", "5"], ["--states", "300"], []),
    (["--property", "strong_isr"], ["--property", "commits_record"], []), (["--deadlock"], []), (["--verbose"], []),
    (["--actions"], []), (["--allow-incomplete"], []), (["--progress"], []), (["--symmetry"], []), (["--quiet"], []),
)  # fmt: skip
REVISIONS = ("kip-101", "kip-279", "kip-320", "high-watermark")


def flags(folder, seed, count, until):
    """Combinations of flags: the report, JSON, JUnit, SARIF and the exit code say the same."""
    seen, wrong = Counter(), []
    for number in range(count):
        if time.monotonic() > until:
            break
        dice = random.Random(f"flags {seed} {number}")
        asked = ["check", "--model", "published", "--revision", dice.choice(REVISIONS), "--brokers", "2", "--generic"]
        asked += [word for some in FLAGS for word in dice.choice(some)]
        files = {name: folder / f"{number}.{name}" for name in ("json", "junit", "sarif")}
        outputs = [word for name, file in files.items() for word in (f"--{name}", str(file))]
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            code = main([*asked, *outputs, "--traces", str(folder / "traces")])
        seen[f"exit code {code}"] += 1
        if code == 2:
            if any(file.exists() for file in files.values()):
                wrong.append((asked, "refused, and something was written"))
            continue
        document = json.loads(files["json"].read_text())
        violated = {claim["name"] for claim in document["properties"] if claim["verdict"] == "violated"}
        cases = ElementTree.fromstring(files["junit"].read_text()).iter("testcase")
        failed = {c.get("name") for c in cases if c.find("failure") is not None and "violated" in c.find("failure").text}
        results = json.loads(files["sarif"].read_text())["runs"][0]["results"]
        named = {result["ruleId"].rpartition("/")[2].rpartition(".")[2] for result in results if result["level"] == "error"}
        if violated != failed or not violated <= named | violated or document["verdict"] not in out.getvalue():
            wrong.append((asked, document["verdict"], sorted(violated), sorted(failed), sorted(named)))
        if (code in (11, 12, 13)) != (document["verdict"] in ("violated", "deadlock")):
            wrong.append((asked, code, document["verdict"]))
    return seen, wrong
