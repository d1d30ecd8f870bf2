"""What `highwater bench` measures: ratios within one run, because machines differ and are noisy.

Every comparison alternates its sides and takes each side's best time.
"""

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...model.language.actions import Model
from ...model.language.errors import UsageError
from ...properties.property import SOMETIMES, Property
from ..budget import Bounds
from ..compiling.compiled import Compiled
from ..local.breadth_first import BreadthFirst, timed
from ..local.check import warm_up
from ..plain.explore import explore_plain
from ..verdict import EXIT_HOLDS, EXIT_INCOMPLETE

REVISION = "kip-279"
"""The revision that is measured."""


@dataclass
class Speed:
    """One exploration: distinct states, transitions, seconds, and memory per state."""

    states: int
    transitions: int
    wall: float
    cpu: float
    bytes_per_state: float

    @property
    def rate(self) -> float:
        """Distinct states per CPU-second."""
        return self.states / max(1e-9, self.cpu)


def explore(compiled: Compiled, properties: list[Property], threads: int, exact: bool = False) -> Speed:
    """Explore everything once."""
    search = BreadthFirst(compiled, properties, exact, threads, keep_going=True)
    search.seed()
    wall, cpu = timed(search, Bounds())
    return Speed(search.states, search.transitions, wall, cpu, search.bytes / search.states)


def ready(
    model: Model, settings: dict[str, Any], properties: list[Property], symmetry: bool = False
) -> tuple[Compiled, list[Property]]:
    """The model at these settings, compiled, and the properties that apply."""
    config = model.configure(REVISION, **settings)
    applicable = [p for p in properties if p.applies(config)]
    compiled = Compiled(model, config, applicable, symmetry)
    warm_up(compiled, applicable)
    return compiled, applicable


def measure_model(model: Model, settings: dict[str, Any], properties: list[Property], repeat: int) -> dict[str, Any]:
    """One thread, two threads, exact mode and plain Python on one configuration."""
    compiled, applicable = ready(model, settings, properties)
    result, two, exact, plain = [], [], [], []
    for _ in range(repeat):
        result.append(explore(compiled, applicable, 1))
        two.append(explore(compiled, applicable, 2))
        exact.append(explore(compiled, applicable, 1, exact=True))
        plain.append(plain_rate(model, compiled.config, applicable))
    alone, pair, whole = min(result, key=lambda s: s.cpu), min(two, key=lambda s: s.wall), min(exact, key=lambda s: s.cpu)
    slow = max(plain)
    return {
        "model": model.name,
        "revision": REVISION,
        "settings": settings,
        "properties": len(applicable),
        "distinct_states": alone.states,
        "transitions": alone.transitions,
        "states_per_cpu_second": round(alone.rate),
        "plain_states_per_cpu_second": round(slow),
        "times_plain": round(alone.rate / slow, 1),
        "bytes_per_state": round(alone.bytes_per_state, 1),
        "exact_bytes_per_state": round(whole.bytes_per_state, 1),
        "exact_to_fingerprints": round(whole.cpu / alone.cpu, 2),
        "two_threads_speedup": round(min(s.wall for s in result) / pair.wall, 2),
        "two_threads_cpu": round(pair.cpu / alone.cpu, 2),
        "key_bits": compiled.state_bits,
    }


def plain_rate(model: Model, config: Any, properties: list[Property]) -> float:
    """Distinct states per CPU-second of the same model in plain Python, over its first seconds."""
    always = [p for p in properties if p.kind != SOMETIMES]
    result = explore_plain(model, config, always, cpu_seconds=3.0)
    return result.states / result.cpu_seconds


class Timed(BreadthFirst):
    """A search on one thread that notes where its seconds go."""

    seconds: dict[str, float]

    def _round(self, frontiers: list[Any], starts: list[int], pool: Executor, only_check: bool) -> None:
        begun = [worker.at for worker in self.workers]
        clock = time.perf_counter()
        for number, shard in enumerate(frontiers):
            self._expand(number, shard, starts[number], True)
        checked = time.perf_counter()
        for worker, at in zip(self.workers, begun, strict=True):
            worker.at = at
        for number, shard in enumerate(frontiers):
            self._expand(number, shard, starts[number], only_check)
        expanded = time.perf_counter()
        if not only_check:
            for number in range(len(self.shards)):
                self._insert(number)
        self.seconds["unpack and check states"] += checked - clock
        self.seconds["successors, check steps, pack, hash"] += expanded - checked - (checked - clock)
        self.seconds["insert"] += time.perf_counter() - expanded


def measure_phases(model: Model, settings: dict[str, Any], properties: list[Property]) -> dict[str, Any]:
    """Nanoseconds of one thread per distinct state, by phase."""
    compiled, applicable = ready(model, settings, properties)
    search = Timed(compiled, applicable, keep_going=True)
    search.seconds = dict.fromkeys(("unpack and check states", "successors, check steps, pack, hash", "insert"), 0.0)
    search.seed()
    search.run(Bounds())
    out: dict[str, Any] = {"model": model.name, "revision": REVISION, "settings": settings}
    out |= {f"ns: {phase}": round(seconds * 1e9 / search.states) for phase, seconds in search.seconds.items()}
    return out | {"transitions_per_state": round(search.transitions / search.states, 2)}


def measure_symmetry(model: Model, settings: dict[str, Any], properties: list[Property]) -> dict[str, Any]:
    """The savings and the costs of renaming."""
    none, reduced = (explore(*ready(model, settings, properties, symmetry), 1) for symmetry in (False, True))
    return {
        "model": model.name,
        "revision": REVISION,
        "settings": settings,
        "states": none.states,
        "orbits": reduced.states,
        "fewer_states": round(none.states / reduced.states, 2),
        "less_cpu": round(none.cpu / reduced.cpu, 2),
    }


SMALL = """from highwater.model.language import Model, State, integer
from highwater.properties.property import always


class Lift(State):
    \"\"\"A lift.\"\"\"

    floor = integer(0, 9, "where it is")


def rise(s):
    \"\"\"One floor up.\"\"\"
    if s.floor == 9:
        return False
    s.floor += 1
    return True


def in_the_house(s):
    \"\"\"It stays in the house.\"\"\"
    return s.floor <= 9


MODEL = Model(state=Lift, actions=[rise], properties=[always(in_the_house)])
"""
"""A small model, in a file of a user's."""


def measure_small() -> dict[str, Any]:
    """As `measure_start`, of a small model, which plain Python explores before it is compiled."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "lift.py")
        file.write_text(SMALL)
        return measure_start([str(file)], "small")


BOUNDED = ["--depth", "2", "--memory", "100000"]
"""The bounds under which a check waits for the compiler: plain Python would be at the end of two levels long before."""


def measure_start(arguments: list[str], name: str) -> dict[str, Any]:
    """Seconds of a `highwater check` with an empty cache, and of one that finds what the first has compiled."""
    with tempfile.TemporaryDirectory() as folder:
        seconds_of(["check", "--help"], folder)
        command = ["check", *arguments, "--quiet", "--traces", folder]
        cold, *warm = (seconds_of(command, folder) for _ in range(3))
    return {"model": name, "cold_seconds": cold, "warm_seconds": min(warm)}


def measure_command(arguments: list[str]) -> dict[str, Any]:
    """Seconds of the README's first command, with nothing compiled."""
    with tempfile.TemporaryDirectory() as folder:
        seconds_of(["matrix", "--help"], folder)
        return {"first_command_seconds": seconds_of(["matrix", *arguments], folder)}


def seconds_of(command: list[str], cache: str) -> float:
    """Seconds of a `highwater` command with its compiled code in the folder `cache`; Python keeps its own, as pip would."""
    environment = {**os.environ, "HIGHWATER_CACHE": cache, "PYTHONDONTWRITEBYTECODE": ""}
    code = "import sys; from highwater.explorer.start import main; sys.exit(main())"
    begun = time.perf_counter()
    whole = [sys.executable, "-P", "-c", code, *command]
    done = subprocess.run(whole, env=environment, cwd=cache, capture_output=True, text=True, check=False)
    if done.returncode not in (EXIT_HOLDS, EXIT_INCOMPLETE):
        raise UsageError(f"`highwater {command[0]}` ended with code {done.returncode}: {done.stderr.strip()[:300]}")
    return round(time.perf_counter() - begun, 2)
