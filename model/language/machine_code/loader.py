"""Compiles a text of plain functions; of the models' files, only `pipeline` and `numba_...` name Numba.

The text (constants, a program, what an engine adds) becomes a module file that is named by the hash of
its content and of all that compiles it, and Numba caches the machine code beside it. Numba's own cache
would not notice an edited callee in another file; here an edit anywhere is another name.

Array accesses are not checked: that every index of our own models and properties lies inside its array is proved
(`tests/symbolic/test_index_obligations.py`), and code from plugins checks by itself (`plugin_checks`). A division by zero raises
as in Python.

How it is compiled is one value (`processor.Way`); private parts of Numba are in `numba_private`.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import platform
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial
from importlib import import_module
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from platformdirs import user_cache_path

from ..errors import UsageError
from ..unchanged import validate_unchanged
from .lowering import Lowering, builtins_here
from .processor import Way, way

way()  # one that there is not is refused before anything begins

def cache_folder() -> Path:
    """Where compiled modules are kept: `HIGHWATER_CACHE`, or `highwater` in the user's cache folder.

    A folder that is not this user's alone is not used, for what lies there is run; nor is one that cannot be written. Then, and
    without a home, a folder of the process's own takes its place.
    """
    named = os.environ.get("HIGHWATER_CACHE")
    folder = Path(named) if named else user_cache_path("highwater")
    try:
        if not folder.is_absolute() and not named:
            raise OSError("there is no home folder")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not is_ours(folder):
            raise PermissionError("others own it or can write to it")
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x" * 4096)
            file.flush()
            return folder.absolute()
    except OSError as error:
        return _private_folder(f"compiled code is not kept in {folder}: {error.strerror or error}")


@cache
def _private_folder(why: str) -> Path:
    """A folder for this process alone; `why` is told once."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="highwater-"))
    except OSError as error:
        raise UsageError(f"{why}, nor for this process alone: {error.strerror or error}; set HIGHWATER_CACHE or TMPDIR") from None
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    if sys.stderr is not None:
        print(f"highwater: {why}; it is compiled again each time", file=sys.stderr)
    return folder


def is_ours(path: Path) -> bool:
    """Whether a file or folder is this user's, or root's, and no one else can write to it; not where a link leads."""
    found = os.lstat(path)
    kind = stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)
    return kind and found.st_uid in (os.geteuid(), 0) and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def load(
    name: str,
    text: str,
    entries: Collection[str],
    not_inlined: Collection[str] = (),
    extra: str = "",
    kernels: Collection[str] = (),
) -> Loaded:
    """The module in which the functions of `text` run compiled.

    `entries` are the functions that Python calls; they are cached on disk. Of the others, those `not_inlined`
    keep their own code and the rest are expanded where they are called. `extra` is a header for both ways
    of running, such as imports. `kernels` are Numba's, whatever is in them. Nothing is compiled before its first call.
    """
    chosen = way()
    versions = digest_of_compiler(), version("numba"), np.__version__, platform.python_version(), platform.machine()
    others = sorted(entries), sorted(not_inlined), extra, sorted(kernels)
    given = versions, builtins_here(), None if chosen.is_direct else chosen, name, text, *others
    digest = hashlib.sha256(repr(given).encode()).hexdigest()[:20]
    whole = f"highwater_{name.replace('-', '_')}_{digest}"
    return Loaded(whole, name, text, tuple(sorted(entries)), frozenset(not_inlined), extra, frozenset(kernels), chosen)


@dataclass
class Loaded:
    """A module, which is made when one of its functions is asked for: a search that needs none does not wait for Numba.

    `name`: that of the module, which no other text has; `stem`: for whom it is generated.
    """

    name: str
    stem: str
    text: str
    entries: tuple[str, ...]
    not_inlined: frozenset[str]
    extra: str
    kernels: frozenset[str]
    way: Way

    def __getattr__(self, name: str) -> Any:
        """A function."""
        if name.startswith("__") or name in vars(Loaded):  # one that failed
            raise AttributeError(name)
        return getattr(self.module, name)

    @cached_property
    def module(self) -> ModuleType:
        """The module itself."""
        header = f'"""Generated by highwater for {self.stem}; remove it at will."""'
        text = f"{header}\n\nimport numpy as np\n{self.extra}\n{self.text}"
        if not self.way.is_compiled:
            return module_of(self.name, text)
        load_numba()
        return module_of(self.name, text, partial(import_module(f"{__package__}.numba_functions").install, self))

    def has_kept(self, entry: str) -> bool:
        """Whether a function that Python calls was compiled before, and lies in the cache folder."""
        sums = cache_folder() / "__pycache__" / f"{self.name}.{entry}-sums"  # the digests of what was compiled of it
        return self.way.is_compiled and sums.exists()


def load_numba() -> None:
    """Import what compiles; UsageError when it is broken."""
    try:
        import_module(f"{__package__}.numba_private").load_without_scipy()
    except (ImportError, OSError) as error:
        said = str(error).splitlines()[0]
        raise UsageError(f"a package that it needs cannot be loaded: {said:.300}; install it again") from None


@cache
def digest_of_compiler() -> str:
    """A digest of our own part of the compiler: code that an earlier form of it made is not taken for its own."""
    return hashlib.sha256(b"".join(own_texts())).hexdigest()[:20]


def own_texts() -> list[bytes]:
    """The texts of the modules of the language: nobody has to remember which of them the compiler uses."""
    language = files(__package__.rpartition(".")[0])
    folders = [language, *(folder for folder in language.iterdir() if folder.is_dir())]
    found = {f"{folder.name}/{path.name}": path for folder in folders for path in folder.iterdir() if path.name.endswith(".py")}
    validate_unchanged(map(str, found.values()))
    return [found[name].read_bytes() for name in sorted(found)]


def source_digest(text: Traversable) -> str:
    """A digest of the text of a module."""
    return hashlib.sha256(text.read_bytes()).hexdigest()[:20]


@lru_cache(maxsize=8)
def lowering_of(text: str, kernels: frozenset[str], not_inlined: frozenset[str]) -> Lowering:
    """Which functions of a text go to LLVM directly; to find that out takes a third of a second."""
    return Lowering(text, kernels, not_inlined, hashlib.sha256(text.encode()).hexdigest()[:20])


def module_of(name: str, text: str, complete: Callable[[ModuleType], None] | None = None) -> ModuleType:
    """The module of a text, under a name that no other text has; `complete` does what is left before others see it.

    The text itself is run, not a file's: the file beside is for whoever looks up the source, and Numba's caches are named by it.
    """
    if name in sys.modules:
        return sys.modules[name]
    path = cache_folder() / f"{name}.py"
    if text != _text_of(path):
        try:
            write_at_once(path, text)
        except OSError as error:
            path = _private_folder(f"compiled code is not kept in {path.parent}: {error.strerror}") / path.name
            write_at_once(path, text)
    (path.parent / "__pycache__").mkdir(mode=0o700, exist_ok=True)  # where Numba keeps what it compiles
    module = ModuleType(name)
    module.__file__ = str(path)
    exec(compile(text, path, "exec", dont_inherit=True), module.__dict__)  # as who reads the file compiles it (`unchanged`)
    if complete is not None:
        complete(module)
    return sys.modules.setdefault(name, module)  # known once it is whole: another thread may be asking for it


def _text_of(path: Path) -> str:
    """The text of a file, if it is ours."""
    try:
        return path.read_bytes().decode() if is_ours(path) else ""
    except (OSError, UnicodeDecodeError):
        return ""


def write_at_once(path: Path, text: str) -> None:
    """Write a file so that no reader ever sees a part of it."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    with os.fdopen(handle, "w") as file:
        file.write(text)
    os.replace(temporary, path)
