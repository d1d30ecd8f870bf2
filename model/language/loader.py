"""Compiles a text of plain functions; of the models' files, only this one, `pipeline` and `lowering` name Numba.

The text (constants, a program, what an engine adds) becomes a module file that is named by the hash of
its content and of all that compiles it, and Numba caches the machine code beside it. Numba's own cache
would not notice an edited callee in another file; here an edit anywhere is another name.

Array accesses are not checked: that every index of our own models and properties lies inside its array is proved
(`tests/symbolic/test_index_obligations.py`), and code that is not ours checks by itself (`foreign`). A division by zero raises
as in Python.

`HIGHWATER_COMPILE` chooses the way: `yes` (default); `narrow`, in as few lanes as processors without AVX-512 have; `single`,
one state at a time, as on processors without the instructions for lanes; `checked`, by Numba alone, with bounds checks on every
array; `no`, the same text run by the Python interpreter.
"""

from __future__ import annotations

import ast
import atexit
import hashlib
import inspect
import os
import platform
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import cache, lru_cache, partial
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.core.caching import _Cache
from platformdirs import user_cache_path

from .errors import UsageError
from .lowering import BRIDGE, Lowering, builtins_here, install
from .unchanged import refuse_changed

DIRECTLY = "# To LLVM directly: "
"""At the beginning of a module's second line."""

WAYS = ("yes", "narrow", "single", "checked", "no")

# For each of its passes Numba describes the types of a function anew, for listeners that nobody is. The description of a record
# goes through all that lies below it; its name is kept, and says the same. A quarter of the time to compile the Kafka model.
types.Record.__repr__ = types.Type.__repr__  # type: ignore[method-assign]


def compile_mode() -> str:
    """How text is run: one of `WAYS`, but for `narrow`, which `processor` knows."""
    chosen = os.environ.get("HIGHWATER_COMPILE", "yes")
    if chosen not in WAYS:
        raise UsageError(f"HIGHWATER_COMPILE must be one of {', '.join(WAYS)}, not {chosen!r:.40}")
    return "yes" if chosen == "narrow" else chosen


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
    name: str, text: str, entries: Collection[str], apart: Collection[str] = (), extra: str = "", kernels: Collection[str] = ()
) -> ModuleType:
    """The module in which the functions of `text` run compiled.

    `entries` are the functions that Python calls; they are cached on disk. Of the others, those `apart`
    keep their own code and the rest are expanded where they are called. `extra` is a header for both ways
    of running, such as imports. `kernels` are Numba's, whatever is in them. Nothing is compiled before its first call.
    """
    chosen = compile_mode()
    if chosen != "no":
        load_without_scipy()
    is_direct = chosen in ("yes", "single")
    # Always the same object for a module: a second one would give LLVM the same functions once more.
    direct = cache(partial(lowering_of, text, frozenset(kernels), frozenset(apart))) if is_direct else None

    def written(lowered: Collection[str]) -> str:
        """The module's text, where these functions go to LLVM directly."""
        header = f'"""Generated by highwater for {name}; remove it at will."""\n{DIRECTLY}{" ".join(sorted(lowered))}\n'
        body = text if chosen == "no" else decorate(text, entries, apart, chosen == "checked", lowered)
        return f"{header}\nimport numpy as np\n{extra}\n{body}"

    versions = digest_of_compiler(), numba.__version__, np.__version__, platform.python_version(), platform.machine()
    others = sorted(entries), sorted(apart), extra, sorted(kernels)
    given = versions, builtins_here(), "" if is_direct else chosen, name, text, *others
    digest = hashlib.sha256(repr(given).encode()).hexdigest()[:20]
    module = module_of(f"highwater_{name.replace('-', '_')}_{digest}", written, direct)
    for entry in entries:
        function: Any = getattr(module, entry, None)
        if compiled(function) and not isinstance(function._cache, Kept):
            function._cache = Kept(function._cache, f"{module.__name__}.{entry}-")
    return module


@cache
def load_without_scipy() -> None:
    """Numba loads scipy as it begins, a quarter of a second, to see whether it could multiply matrices. It looks again later."""
    linalg: Any = import_module("numba.np.linalg")
    look, linalg.ensure_blas = linalg.ensure_blas, lambda: None
    try:
        import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = look


@cache
def digest_of_compiler() -> str:
    """A digest of our own part of the compiler: code that an earlier form of it made is not taken for its own."""
    return hashlib.sha256(b"".join(own_texts())).hexdigest()[:20]


def own_texts() -> list[bytes]:
    """The texts of the modules of this package: nobody has to remember which of them the compiler uses."""
    found = {one.name: one for one in files(__package__).iterdir() if one.name.endswith(".py")}
    refuse_changed(map(str, found.values()))
    return [found[name].read_bytes() for name in sorted(found)]


def source_digest(*modules: ModuleType) -> str:
    """A digest of the text of modules."""
    return hashlib.sha256("".join(map(inspect.getsource, modules)).encode()).hexdigest()[:20]


@lru_cache(maxsize=8)
def lowering_of(text: str, kernels: frozenset[str], apart: frozenset[str]) -> Lowering:
    """Which functions of a text go to LLVM directly; to find that out takes a third of a second."""
    return Lowering(ast.parse(text), kernels, apart, hashlib.sha256(text.encode()).hexdigest()[:20])


def module_of(name: str, written: Callable[[Collection[str]], str], direct: Callable[[], Lowering] | None = None) -> ModuleType:
    """The module of a text, under a name that no other text has; `written` for the functions that go to LLVM directly.

    The text itself is run, not a file's: the file beside is for whoever looks up the source, and Numba's caches are named by it.
    The file lists the functions that go to LLVM directly. The list is used if the whole file is what is written for such a list;
    otherwise it is made again.
    """
    if name in sys.modules:
        return sys.modules[name]
    path = cache_folder() / f"{name}.py"
    found = _text_of(path)
    lowered: Collection[str] = directly_in(found) if direct is not None else ()
    text = written(lowered)
    if text != found:
        if direct is not None:
            lowered = direct().functions
            text = written(lowered)
        try:
            _write_at_once(path, text)
        except OSError as error:
            path = _private_folder(f"compiled code is not kept in {path.parent}: {error.strerror}") / path.name
            _write_at_once(path, text)
    (path.parent / "__pycache__").mkdir(mode=0o700, exist_ok=True)  # where Numba keeps what it compiles
    module = ModuleType(name)
    module.__file__ = str(path)
    exec(compile(text, path, "exec", dont_inherit=True), module.__dict__)  # as who reads the file compiles it (`unchanged`)
    if direct is not None:
        install(module, lowered, direct)
    return sys.modules.setdefault(name, module)  # known once it is whole: another thread may be asking for it


def _text_of(path: Path) -> str:
    """The text of a file, if it is ours."""
    try:
        return path.read_bytes().decode() if is_ours(path) else ""
    except (OSError, UnicodeDecodeError):
        return ""


def directly_in(text: str) -> list[str]:
    """The functions of which a module's text says that they go to LLVM directly."""
    return next((line.removeprefix(DIRECTLY).split() for line in text.splitlines()[:2] if line.startswith(DIRECTLY)), [])


class Kept(_Cache):
    """Numba's cache of one function, of which only what was written is loaded; what does not load is compiled once more.

    Beside the files that Numba names after the function lies one with their digests. Nothing is loaded from, or kept in, a folder
    that is not this user's alone.
    """

    def __init__(self, inner: Any, prefix: str) -> None:
        self.inner, self.prefix = inner, prefix
        self.folder = Path(inner.cache_path)
        self.sums = self.folder / f"{prefix}sums"

    @property
    def cache_path(self) -> str:
        """The folder."""
        return str(self.folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was compiled for a signature; None when it is to be compiled."""
        try:
            if self.sums.read_text() != self._digests():
                raise ValueError("another digest")
            return self.inner.load_overload(sig, target_context)
        except Exception:  # whatever a damaged file makes Numba raise
            self._drop()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, where it can be kept."""
        try:
            if is_ours(self.folder):
                self.inner.save_overload(sig, data)
                for path in self.folder.glob(f"{self.prefix}*.nb?"):
                    path.chmod(0o600)
                _write_at_once(self.sums, self._digests())
        except OSError:
            self._drop()

    def _digests(self) -> str:
        """The names and digests of the function's files; OSError when one of them, or the folder, is not ours."""
        files = sorted(path for path in self.folder.glob(f"{self.prefix}*.nb?"))
        if not all(map(is_ours, [self.folder, *files])):
            raise PermissionError(f"{self.folder} is not ours alone")
        return "".join(f"{hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()} {path.name}\n" for path in files)

    def _drop(self) -> None:
        """Remove the function's files, as far as that can be."""
        for path in (*self.folder.glob(f"{self.prefix}*.nb?"), self.sums):
            with suppress(OSError):
                path.unlink()

    def enable(self) -> None:
        """As Numba has it."""
        self.inner.enable()

    def disable(self) -> None:
        """As Numba has it."""
        self.inner.disable()

    def flush(self) -> None:
        """As Numba has it."""
        self.inner.flush()


def decorate(text: str, entries: Collection[str], apart: Collection[str], checked: bool, lowered: Collection[str] = ()) -> str:
    """The text with Numba's decorator above each function, or, for an entry that is `lowered` without it, above its caller."""
    common = f"_nrt=False, no_cfunc_wrapper=True, error_model='python', boundscheck={checked}"
    entry = f"pipeline_class=EntryPipeline, nogil=True, cache=True, {common}"
    inner = f"pipeline_class=InnerPipeline, no_cpython_wrapper=True, {common}"
    out = ["from numba import njit", f"from {__package__}.pipeline import EntryPipeline, InnerPipeline", ""]
    callers, kept = [], {*entries, *apart}
    for line in text.splitlines():
        name = line[4 : line.index("(")] if line.startswith("def ") else ""
        options = entry if name in entries else inner
        inlined = name not in kept and not checked
        decorator = f"@njit({options}{', forceinline=True' if inlined else ''})"
        if name and name not in lowered:
            out.append(decorator)
        elif name in entries:
            parameters = line[len(f"def {name}(") : line.rindex("):")]
            callers += ["", "", decorator, line, f"    return {name}{BRIDGE}({parameters})"]
            line = line.replace(name, name + BRIDGE, 1)
        out.append(line)
    return "\n".join([*out, *callers]) + "\n"


def _write_at_once(path: Path, text: str) -> None:
    """Write a file so that no reader ever sees a part of it."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    with os.fdopen(handle, "w") as file:
        file.write(text)
    os.replace(temporary, path)


def compiled(function: Any) -> bool:
    """Whether a function of a loaded module runs compiled."""
    return hasattr(function, "py_func")


def is_kept(function: Any) -> bool:
    """Whether a function of a loaded module, an entry, was compiled before and lies in the cache folder."""
    return isinstance(function._cache, Kept) and function._cache.sums.exists()
