"""A model that comes with Highwater beside a copy of its text in a package of the user's: one way to the same machine code."""

import inspect
import re
import tempfile
from pathlib import Path
from typing import Any

from ...model.language.actions import Model
from ...properties.catalogue import claims_of
from ...properties.plugins import look_in, models_with
from ...properties.property import Property
from .measure_local import REVISION, explore, ready

COPY = "highwater_bench_copy"
"""The package with the copy."""

WHOLE = """from dataclasses import replace
from .claims import {name}_PROPERTIES
from .next import {name}
MODEL = replace({name}, name="copy", properties={name}_PROPERTIES)
"""
"""The module that has the model, as a plugin."""

WAYS: dict[str, dict[str, bool]] = {"rate": {}, "rate_with_symmetry": {"symmetry": True}, "rate_exact": {"exact": True}}


def write_copy(model: Model, claims: Property, folder: Path) -> None:
    """Write a package with the model and its properties, those of the module of `claims`, into the folder."""
    home, own = Path(inspect.getfile(model.state)).parent, __package__.partition(".")[0]
    (folder / COPY).mkdir()
    for file in (*home.glob("*.py"), Path(inspect.getfile(claims.function))):
        text = (
            file.read_text().replace(f"from ..model.{home.name}.", f"from {COPY}.").replace("from ..model.", f"from {own}.model.")
        )
        text = re.sub(r"from \.\.(?=\w)", f"from {own}.model.", text)
        if file.parent != home:
            text, file = text.replace("from .property ", f"from {own}.properties.property "), Path("claims.py")
        if file.name == "__init__.py":
            text = WHOLE.format(name=model.name.upper())
        (folder / COPY / file.name).write_text(text)


def measure_copy(model: Model, settings: dict[str, Any], properties: list[Property], repeat: int) -> dict[str, Any]:
    """The rate of the copy, as a part of that of the original: as it is, under symmetry, and with whole states compared."""
    out: dict[str, Any] = {"model": model.name, "revision": REVISION, "settings": settings}
    with tempfile.TemporaryDirectory() as folder:
        write_copy(model, properties[0], Path(folder))
        look_in(Path(folder), [COPY])
        copy = models_with((f"{COPY}:MODEL",))["copy"]
        claims = [claims_of(copy)[claim.name] for claim in properties]
        for name, how in WAYS.items():
            symmetry, exact = how.get("symmetry", False), how.get("exact", False)
            sides = [ready(one, settings, some, symmetry) for one, some in ((model, properties), (copy, claims))]
            runs = [[explore(*side, 1, exact) for side in sides] for _ in range(repeat)]
            assert len({run.states for pair in runs for run in pair}) == 1, "both are one model"
            own, other = (max(run.rate for run in side) for side in zip(*runs, strict=True))
            out[f"copy_{name}"] = round(other / own, 2)
    return out
