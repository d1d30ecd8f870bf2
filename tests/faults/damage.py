"""What can happen to the files of a run: each function damages one of them, and says what it did."""

import os


def flip(dice, path, files):
    """A bit is another one."""
    file = dice.choice([one for one in files if one.stat().st_size])
    data = bytearray(file.read_bytes())
    at, bit = dice.randrange(len(data)), dice.randrange(8)
    data[at] ^= 1 << bit
    file.write_bytes(data)
    return f"bit {bit} of byte {at} of {file.relative_to(path)}"


def cut(dice, path, files):
    """The end of a file is lost."""
    file = dice.choice(files)
    size = dice.randrange(max(1, file.stat().st_size))
    os.truncate(file, size)
    return f"{file.relative_to(path)} cut to {size}"


def lengthen(dice, path, files):
    """A file has a tail."""
    file = dice.choice(files)
    with open(file, "ab") as out:
        out.write(dice.randbytes(dice.randrange(1, 64)))
    return f"a tail on {file.relative_to(path)}"


def exchange(dice, path, files):
    """Two files have each other's names."""
    one, other = dice.sample(files, 2)
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second), other.write_bytes(first)
    return f"{one.relative_to(path)} and {other.relative_to(path)} exchanged"


def delete(dice, path, files):
    """A file is gone."""
    file = dice.choice(files)
    file.unlink()
    return f"{file.relative_to(path)} removed"


def edit(dice, path, files):
    """A number in a manifest is one more."""
    file = dice.choice([one for one in files if one.suffix == ".json"])
    data = bytearray(file.read_bytes())
    digits = [at for at, byte in enumerate(data) if chr(byte).isdigit()]
    at = dice.choice(digits)
    data[at] = ord(str((data[at] - ord("0") + 1) % 10))
    file.write_bytes(data)
    return f"digit at {at} of {file.relative_to(path)}"


def older(dice, path, files):
    """A manifest is replaced by the one before it."""
    manifests = sorted((path / "manifest").glob("*.json"))
    at = dice.randrange(1, len(manifests))
    manifests[at].write_bytes(manifests[at - 1].read_bytes())
    return f"{manifests[at].name} replaced by the one before"


DAMAGES = (cut, lengthen, exchange, delete, edit, older)
ANY = (flip, flip, flip, *DAMAGES)


def strike(dice, path, kinds=None):
    """Damage the run at `path` in one of the ways; what was done."""
    files = sorted(one for one in path.rglob("*") if one.is_file() and one.stat().st_size)
    return dice.choice(kinds or ANY)(dice, path, files)
