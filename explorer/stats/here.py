"""The tables of `highwater stats` for a run of the local engine: counted here, without Spark."""

from collections import Counter
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import numpy as np

from ...model.language.errors import UsageError
from ...properties.catalogue import properties_of
from ...properties.log_fields import COUNTED, NEAREST
from ...properties.registry import Models
from ..compiling.compiled_for import compile_for
from ..local.run_directory import levels_of, states_in
from ..request import Request
from ..runs.files import LocalFiles, folder_here, local_folder, shard_of
from ..runs.identity import is_readable
from ..runs.manifests import Damaged, Level, Manifests
from ..runs.reading import is_missing
from .measures import Counts
from .page import Table
from .witnesses import Witnesses

PIECE = 1 << 16
"""States that are read together."""


def is_local(place: str) -> bool:
    """Whether the path holds a run of the local engine; what is wrong with any other is for Spark to say."""
    folder = local_folder(place)
    try:
        return folder is not None and Manifests(LocalFiles(folder), place).identity().get("engine") == "local"
    except UsageError:
        return False


def levels_here(place: str) -> tuple[str, list[Level], dict[str, Table]]:
    """What a run on Spark is about, its levels, and the table of them from its manifests alone: of a level that ran in the
    driver they have no shards."""
    about, levels = levels_of(place)
    rows: list[tuple[Any, ...]] = []
    for number, level in enumerate(levels, 1):
        sizes: Counter[str] = Counter()
        for file in level.files:
            sizes[shard_of(file.name)] += file.rows
        if "driver" in sizes:
            rows.append((number, level.states, "-", "-", "-"))
            continue
        most, least = max(sizes.values()), min(sizes.values()) if len(sizes) == level.shards else 0
        skew = Decimal(str(most * level.shards / level.states)).quantize(Decimal("0.001"), ROUND_HALF_UP)  # as SQL rounds
        rows.append((number, level.states, most, least, float(skew)))
    table = ("level", "states", "largest", "smallest", "skew"), rows
    return f"{about['model']} {about['revision']}", levels, {"levels": table}


def tables_here(place: str, models: Models) -> tuple[str, list[Level], dict[str, Table]]:
    """What the run is about, its levels, and its tables."""
    about, levels = levels_of(place)
    model = models[str(about["model"])]
    config = model.configure(about["revision"], **about["settings"])
    chosen = [claim for claim in properties_of(model) if claim.name in about["properties"]]
    if not is_readable(about, model, config, chosen):
        raise Damaged(f"{place} holds a run of another version of the model {model.name}: its states cannot be read")
    request = Request(model, about["revision"], config, chosen, symmetry=bool(about["symmetry"]), generic=True)
    compiled = compile_for(request, chosen)
    names = [action.name for action in model.actions]
    new = sorted(zip(names, levels[-1].new, strict=True), key=lambda pair: (-pair[1], pair[0]))
    tables: dict[str, Table] = {
        "levels": (("level", "states"), [(number, level.states) for number, level in enumerate(levels, 1)]),
        "actions": (("action", "states"), [pair for pair in new if pair[1]]),
    }
    return f"{model.name} {about['revision']}", levels, tables | counted(folder_here(place), levels, compiled, chosen)


def counted(folder: Path, levels: list[Level], compiled: Any, chosen: Any) -> dict[str, Table]:
    """What is counted of the states themselves."""
    witnesses = Witnesses(compiled, [claim for claim in chosen if not claim.over_steps])
    counts = Counts(witnesses)
    for number, level in enumerate(levels, 1):
        keys = keys_in(folder, level, compiled.key_words)
        for at in range(0, len(keys), PIECE):
            piece = np.ascontiguousarray(keys[at : at + PIECE])
            counts.add(piece, np.full(len(piece), number), compiled.fingerprints(piece))
    found: dict[str, list[Any]] = {what: [] for what in ("state", *COUNTED)}
    for (what, number), times in counts.totals.items():
        found[what].append((witnesses.properties[number].name if what == "state" else number, times))
    tables: dict[str, Table] = {"witnesses": (("property", "times"), sorted(found["state"]))}
    if counts.logs is None:
        return tables
    tables |= {name: ((name, of), sorted(found[name])) for name, of in COUNTED.items()}
    return tables | {NEAREST: (("gap", "level", "fingerprint"), counts.nearest)}


def keys_in(folder: Path, level: Level, key_words: int) -> Any:
    """The packed states of a level; Damaged when they are not what was written."""
    name = level.files[0].name
    try:
        return states_in(folder, level.files[0], key_words)[0]
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and not is_missing(error):
            raise Manifests(LocalFiles(folder), str(folder)).unreadable(name, error) from None
        raise Damaged(f"{folder}/{name} was damaged or changed ({error})") from None
