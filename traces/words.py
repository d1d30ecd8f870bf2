"""How numbers of things, sets and members are written."""

from ..model.language.kinds import NO_MEMBER


def plural(count: int, noun: str) -> str:
    """`1 step`, `2 steps`."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def letter(number: int) -> str:
    """A name for a thing that has a number from 1 on: a to z, then with a number."""
    return chr(ord("a") + (number - 1) % 26) + (str((number - 1) // 26) if number > 26 else "")


def members(mask: int) -> str:
    """A set of members: `{0 2}`."""
    return "{" + " ".join(map(str, in_set(mask))) + "}"


def in_set(mask: int) -> list[int]:
    """The members of a set."""
    return [member for member in range(mask.bit_length()) if mask >> member & 1]


def member(number: int) -> str:
    """A member, or `nobody`."""
    return "nobody" if number == NO_MEMBER else str(number)


