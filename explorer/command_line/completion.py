"""What a shell may complete: flags by argcomplete, and values of those that name something.

eval "$(register-python-argcomplete highwater)"
"""

import argparse
from collections.abc import Callable, Iterable
from typing import Any

import argcomplete
from argcomplete.completers import FilesCompleter

from ...properties.catalogue import claims_of
from ...properties.registry import Models
from ...traces.families.scenarios import FOLDER, KNOWN_AS
from .parsing import Parser, default_model


def complete(whole: Parser, chosen: Parser | None, models: Models) -> None:
    """Answer the shell, and end the process."""
    whole.set_defaults(models=models)
    for action in chosen._actions if chosen is not None else ():
        if action.dest == "model" and action.choices is None:
            action.completer = models_begun  # type: ignore[attr-defined]
        values = VALUES.get(action.dest)
        if values is not None and action.choices is None:
            files = (FilesCompleter(),) if action.dest == "trace" else ()
            action.completer = any_of(completer(values), *files)  # type: ignore[attr-defined]
    argcomplete.autocomplete(whole)


def completer(values: Callable[[Any], Iterable[str]]) -> Callable[..., list[str]]:
    """What argcomplete asks: the values that begin like the word."""

    def begun(prefix: str, parsed_args: argparse.Namespace, **rest: Any) -> list[str]:
        model = parsed_args.models.get(getattr(parsed_args, "model", None) or default_model(parsed_args.models))
        return [value for value in values(model) if value.startswith(prefix)] if model is not None else []

    return begun


def models_begun(prefix: str, parsed_args: argparse.Namespace, **rest: Any) -> list[str]:
    """The models whose names begin like the word."""
    return [name for name in parsed_args.models if name.startswith(prefix)]


def any_of(*completers: Callable[..., Iterable[str]]) -> Callable[..., list[str]]:
    """What any of some completers finds."""
    return lambda **asked: [value for each in completers for value in each(**asked)]


def traces(model: Any) -> Iterable[str]:
    """Recorded scenarios, by the names of files and of issues. Files of a user's own are completed beside them."""
    return {path.name.partition(".")[0] for path in FOLDER.glob("*.trace")}.union(*KNOWN_AS.values())


VALUES: dict[str, Callable[[Any], Iterable[str]]] = {
    "revision": lambda model: model.revisions,
    "against": lambda model: model.revisions,
    "release": lambda model: model.releases,
    "property": claims_of,
    "action": lambda model: [action.name for action in model.actions],
    "set": lambda model: [f"{name}=" for name in model.config.settings],
    "vary": lambda model: [f"{name}=" for name in model.config.settings],
    "trace": traces,
}
"""The values of arguments, by the names that the parser gives them."""
