"""Run directories in tests: their manifests, and how to change one so that its checksums are right again."""

import builtins
import errno
import io
import json
import os

import numpy as np
import pytest
from highwater.explorer.runs.files import checksum
from highwater.explorer.runs.manifests import first_line
from highwater.model.language import UsageError


def numbers_in(path):
    """The numbers of the manifests, in order; 0 is the run's own."""
    return sorted(int(file.stem) for file in (path / "manifest").glob("*.json"))


def manifest_of(path, number=-1):
    """The document of a manifest; by default the last one."""
    return json.loads(place_of(path, number).read_text())


def place_of(path, number=-1):
    """The file of a manifest."""
    known = numbers_in(path)
    return path / "manifest" / f"{known[number] if number < 0 else number:04d}.json"


def sealed(path, number=-1, **changes):
    """Change entries of a manifest, and make the checksums right from there on: what only its content can give away."""
    known = numbers_in(path)
    number = known[number] if number < 0 else number
    previous = None
    for one in range(number, known[-1] + 1):
        document = manifest_of(path, one)
        document.update(changes if one == number else {"previous": previous})
        del document["checksum"]
        rest = json.dumps(document, indent=1).removeprefix("{\n").encode() + b"\n"
        previous = checksum([rest])
        place_of(path, one).write_bytes(first_line(previous) + b"\n" + rest)


def flip(file, at, bit):
    """One bit of a file is another."""
    data = bytearray(file.read_bytes())
    data[at] ^= 1 << bit
    file.write_bytes(data)


def sentence(run, *arguments, **options):
    """The one sentence with which a run is refused."""
    with pytest.raises(UsageError) as error:
        run(*arguments, **options)
    text = str(error.value)
    assert "\n" not in text and len(text) < 500
    return text


def without_permission(patch, ending):
    """Files whose names end so cannot be read: the tests run as root, whom the system refuses nothing."""
    whole_open, whole_fromfile = io.open, np.fromfile

    def refuse(name):
        if str(name).endswith(ending):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(name))

    def let_open(file, *arguments, **named):
        refuse(file)
        return whole_open(file, *arguments, **named)

    def let_fromfile(file, *arguments, **named):
        refuse(file)
        return whole_fromfile(file, *arguments, **named)

    patch.setattr(io, "open", let_open)
    patch.setattr(builtins, "open", let_open)
    patch.setattr(np, "fromfile", let_fromfile)
