"""What a user's own package adds to Highwater: revisions, switches, rules, actions, properties, or whole models.

A plugin is a module with a function `register(models)`. It gets the models that there are, by name, and returns those that it
changes or adds, as a list: `extended` makes a model with more to it. A module of models alone, such as MODEL = Model(...), needs
no `register`. It is named with `--plugin module`, or found by itself through an entry point of the group `highwater.plugins`:

    [project.entry-points."highwater.plugins"]
    mine = "my_package.highwater_plugin"

Nothing is registered anywhere: the models with some plugins are a value, which the caller passes on.
"""

import importlib
import re
import sys
import traceback
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from ..model.language.actions import Model
from ..model.language.errors import UsageError
from ..model.language.reading.beginnings import has_one
from ..model.language.reading.python_files import imported_in
from ..model.language.wellformed import validate_model
from .extended import validate_texts, with_properties
from .flags import validate_flags
from .registry import MODELS, Models

GROUP = "highwater.plugins"


def plugins_with(names: Iterable[str]) -> tuple[str, ...]:
    """The installed plugins, then those named, each once."""
    return tuple(dict.fromkeys([*(point.value for point in entry_points(group=GROUP)), *names]))


@cache
def models_with(plugins: tuple[str, ...] = ()) -> Models:
    """All models with these plugins, in this order; UsageError when one of them cannot be loaded.

    Repeated calls return the same models, so code compiled for them is reused.
    """
    return with_plugin(models_with(plugins[:-1]), plugins[-1]) if plugins else MODELS


def with_plugin(models: Models, name: str) -> Models:
    """The models with what one plugin brings; `name` is `module` or `module:function`."""
    register = registration(name)
    brought = guarded(name, "as it registered", lambda: register(Models(models)))
    if not isinstance(brought, (list, tuple)) or not all(isinstance(item, Model) for item in brought):
        raise UsageError(f"the plugin {name[:80]} must return a list of models, those that it changes or adds")
    out = Models(models)
    for model in brought:
        known = models.get(model.name)
        validate_model(model)
        if known is None:
            validate_actions(model, name)
        elif model.state is not known.state or model.plugins != known.plugins:
            raise UsageError(f"there is a model {model.name!r:.40} already; give the plugin's another name")
        out[model.name] = replace(model, plugins=(*model.plugins, name))
    validate_flags(brought, out)
    return out


def validate_actions(model: Model, name: str) -> None:
    """UsageError when the actions of a user's model are not in the language of models, or it does not begin."""
    validate_texts(model, [action.function for action in model.actions], [model.constraint] if model.constraint else [])
    guarded(name, f"in initial_states of the model {model.name}", partial(begin, model))


def checked_model(model: Model, name: str) -> Model:
    """A model that is in no plugin, checked as if it were; `name`: of its module."""
    validate_model(model)
    validate_actions(model, name)
    return with_properties(replace(model, properties=()), model.properties)


def module_of(text: str) -> str:
    """The name of the module that a person names by its file, `rules/mine.py` or `rules/mine.py:register`; other names stay."""
    file, dot, function = text.partition(".py")
    if not dot or (function and not function.startswith(":")):
        return text
    path = Path(f"{file}.py")
    if not path.is_file():
        raise UsageError(f"the plugin {text[:80]} cannot be imported: there is no file {path}")
    look_in(path.parent, [path.stem])
    return path.stem + function


def look_in(folder: Path, names: Iterable[str]) -> None:
    """Plugins may lie in this folder too. UsageError when one does whose name another folder's plugin has already taken."""
    there = str(folder.resolve())
    if there not in sys.path:
        sys.path.append(there)  # last, so that no file there is taken for a library
    for name in names:
        module = name.partition(":")[0]
        mine = folder.resolve().joinpath(*module.split("."))
        loaded = getattr(sys.modules.get(module), "__file__", None)
        files = [mine.with_suffix(".py"), mine / "__init__.py"]
        if loaded and any(map(Path.is_file, files)) and Path(loaded).resolve() not in files:
            raise UsageError(f"the plugin {name[:80]} in {folder} is not {loaded}, which has its name; give one another name")


def begin(model: Model) -> None:
    """UsageError when the initial states of a model's first revision are no list of states, under its defaults."""
    config, failures = None, (ArithmeticError, AttributeError, LookupError, ValueError)  # which engines report, with the place
    with suppress(UsageError, *failures):  # other settings may fit each other
        config = model.defaults(next(iter(model.revisions)))
    with suppress(*failures):
        if config is not None:
            has_one(model, config)


def registration(name: str) -> Callable[[Models], Any]:
    """The function of a plugin that is called with the models, after its module was imported."""
    module_name, _, function = name.partition(":")
    if not re.fullmatch(r"\w+(\.\w+)*", module_name):
        raise UsageError(f"{name[:80]!r} is not the name of a module, such as my_package.my_plugin")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # last, so that no file here is taken for a library
    module = guarded(name, "as it was imported", lambda: importlib.import_module(module_name))
    validate_helpers(name, getattr(module, "__file__", None) or "")
    register = getattr(module, function or "register", None)
    own = {attribute: value for attribute, value in vars(module).items() if isinstance(value, Model)}
    if isinstance(register, Model):
        return partial(as_they_are, [register])
    if register is None and not function and own:
        return partial(as_they_are, list(own.values()))
    if not callable(register):
        what = f"no function {function or 'register'}(models), which returns its models, and no model"
        raise UsageError(f"the plugin {name[:80]} has {what}{f' {function}' if function else ', such as MODEL = Model(...)'}")
    return register


def as_they_are(some: list[Model], models: Models) -> list[Model]:
    """The models that a module has, where it has no `register`; each with its own properties."""
    own = [name for name in some if not any(name is known for known in models.values())]
    return [with_properties(replace(name, properties=()), name.properties) for name in own]


def validate_helpers(name: str, file: str) -> None:
    """UsageError where a plugin imports a module whose file lies beside it, and got another of that name, such as another
    plugin's."""
    todo, seen = [Path(file)] if file.endswith(".py") and "." not in name.partition(":")[0] else [], set[str]()
    while todo:
        for imported in imported_in(todo.pop().read_bytes()) - seen:
            mine, loaded = Path(file).parent / f"{imported}.py", getattr(sys.modules.get(imported), "__file__", None)
            if mine.is_file() and loaded and Path(loaded).resolve() != mine.resolve():
                which = f"the plugin {name[:80]} imports {imported}, which is {loaded} here, and not {mine}"
                raise UsageError(f"{which}; give it another name")
            seen.add(imported)
            todo += [mine] if mine.is_file() else []


def guarded(name: str, when: str, call: Callable[[], Any]) -> Any:
    """Run code of a plugin; UsageError, in one sentence, for whatever it raises."""
    try:
        return call()
    except SystemExit:
        raise UsageError(f"the plugin {name[:80]} ended the process {when}; it must not call exit") from None
    except UsageError as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename) == file_of(name)]
        if not lines or ".py:" in str(error):
            raise
        raise UsageError(f"{error} ({file_of(name).name}:{lines[-1]})") from None
    except ImportError as error:
        remedy = "it must be installed, or lie here, or beside highwater.toml"
        raise UsageError(f"the plugin {name[:80]} cannot be imported: {error}; {remedy}") from None
    except Exception as error:  # whatever its code raises, the user can do the same about it
        raise UsageError(f"the plugin {name[:80]} failed {when}: {in_one_line(error)}") from None


def file_of(name: str) -> Path:
    """The file of a plugin's module."""
    return Path(getattr(sys.modules.get(name.partition(":")[0]), "__file__", None) or "")


def in_one_line(error: Exception) -> str:
    """An exception of a plugin in one line, with the place of its last frame, or of the syntax that is wrong."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    said, file, line = str(error).strip().splitlines(), last.filename, last.lineno
    if isinstance(error, SyntaxError):
        said, file, line = [error.msg], error.filename or "", error.lineno
    return f"{type(error).__name__}: {said[0][:160] if said else ''} ({Path(file).name}:{line})"
