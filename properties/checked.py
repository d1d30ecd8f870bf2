"""What was checked beyond the default sizes: a verdict for each scenario under later releases, at the scenario's own settings.

`checked.json` has them by the command that repeats the check. `tests/properties/test_checked.py` writes it.
"""

import json
import pkgutil
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ..model.language.actions import Model
from ..model.language.errors import UsageError
from ..model.language.settings import changed
from .catalogue import claims_of
from .property import Property
from .registry import DEFAULT, MODELS

FILE = Path(__file__).parent / "checked.json"


class Checked(NamedTuple):
    """What is known of a property under one configuration. `states`: how many were all, if it holds; `violated`: after how many
    steps; both empty: nothing is known. `command` finds out."""

    command: str
    states: str = ""
    violated: str = ""


@cache
def recorded() -> dict[str, str]:
    """Verdicts by commands: `holds in all 1,234 states`, `violated after 15 steps`, or what bound the check reached."""
    text = pkgutil.get_data(__package__, FILE.name)  # also from a wheel that is not unpacked
    return dict(json.loads(text)) if text else {}


def command_for(model: Model, revision: str, config: Any, claim: Property, base: Any = None, subject: str = "") -> str:
    """The command that checks a property under a configuration; `subject`: flags that stand for the configuration `base`."""
    flags = []
    for name, value in changed(config, base or model.defaults(revision)).items():
        flag = name.replace("_", "-")
        if model.config.settings[name].group == "switch" and value in (0, 1):
            flags.append(f"--{flag}" if value else f"--no-{flag}")
        else:
            flags.append(f"--{flag} {value}")
    about = f"{flag_of_model(model)}{subject or f'--revision {revision}'}"
    return " ".join([f"highwater check {about}", *flags, f"--property {claim.name}"])


def flag_of_model(model: Model) -> str:
    """The flag that names a model, and a space; nothing for the one that is meant where none is named."""
    return "" if model.name == DEFAULT else f"--model {model.name} "


def verdict_of(model: Model, revision: str, settings: Any, claim: Property) -> Checked:
    """What is known of a property under a revision with these settings: what was recorded, or what the matrix expects."""
    try:
        config = model.configure(revision, **settings)
    except UsageError:
        return Checked("")
    command = command_for(model, revision, config, claim)
    if command in recorded():
        kind, _, number = recorded()[command].partition(" ")
        return Checked(command, states=number if kind == "holds" else "", violated=number if kind == "violated" else "")
    ours = dict(MODELS).get(model.name)
    known = ours is not None and revision in ours.revisions and claim.name in claims_of(ours)
    if known and config == model.defaults(revision) and claim.expected_to_hold(revision, model):
        return Checked(command, states="all states at the default sizes")
    return Checked(command)
