"""What Numba has compiled, on disk."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from .loader import is_ours, write_at_once
from .numba_private import NumbaCache


class Kept(NumbaCache):
    """Numba's cache of one function, of which only what was written is loaded; what does not load is compiled once more.

    Beside the files that Numba names after the function lies one with their digests. Nothing is loaded from, or kept in, a folder
    that is not this user's alone. `prepare`: what is to be done before something is compiled.
    """

    def __init__(self, inner: Any, prefix: str, prepare: Callable[[], None]) -> None:
        self.inner, self.prefix, self.prepare = inner, prefix, prepare
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
            found = self.inner.load_overload(sig, target_context)
        except Exception:  # whatever a damaged file makes Numba raise
            self._drop()
            found = None
        if found is None:
            self.prepare()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, where it can be kept."""
        try:
            if is_ours(self.folder):
                self.inner.save_overload(sig, data)
                for path in self.folder.glob(f"{self.prefix}*.nb?"):
                    path.chmod(0o600)
                write_at_once(self.sums, self._digests())
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
