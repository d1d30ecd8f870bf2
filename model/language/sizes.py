"""What there is room for, in whatever way a model runs: 64 bits for a number, and a number below `NO_MEMBER` for a member.

A row's cell has 8 bits, 16, 32 or 64 (`layout`). Numbers of more than 32 are asked for by a range that names them, or a setting
that may be one; a range that is derived has no more, so that arithmetic need not look at most sums (`arithmetic`). A number
beyond would be cut to another one, which may be in range, and member 15 would be taken for no member at all. So a configuration
under which a model has no room is refused before anything is explored.
"""

from collections.abc import Iterator

from .errors import UsageError
from .kinds import NO_MEMBER, Integer, Kind, State, declared
from .loops import sorts_in
from .settings import Settings

MIN_NUMBER, MAX_NUMBER = 1 - (1 << 63), (1 << 63) - 1
"""The lowest and the highest number of a model: each has its negative."""

MIN_DERIVED, MAX_DERIVED = -(1 << 31), (1 << 31) - 1
"""Those of a range that is derived from settings."""


def variables_of(state: type[State]) -> tuple[tuple[str, Kind], ...]:
    """The variables that a state declares, each once however long arrays are: (path, kind)."""
    return tuple((path, kind) for path, kind in declared(state) if isinstance(kind, Kind))


def spans(state: type[State], config: Settings, normal: bool) -> Iterator[tuple[str, int, int]]:
    """Each variable with the lowest and the highest value that it has under a configuration, in `normal` form or ever."""
    for path, kind in variables_of(state):
        yield path, *(kind.normal_span(config) if normal else kind.span(config))


def validate_sizes(state: type[State], config: Settings) -> None:
    """UsageError when there are too many members, or a number for which no cell has room."""
    for sort in sorts_in(state):
        count = dict(config.numbers()).get(sort, 0)
        if count > NO_MEMBER:
            raise UsageError(
                f"there are {count} {sort} under this configuration, and a model has at most {NO_MEMBER}, as the number"
                f" {NO_MEMBER} stands for no member at all (NO_MEMBER); choose smaller sizes"
            )
    for name, value in config.numbers():
        if not MIN_NUMBER <= value <= MAX_NUMBER:
            raise UsageError(
                f"{name} = {value} has no room: a number of a model lies between {MIN_NUMBER} and {MAX_NUMBER}; choose a"
                " smaller one"
            )
    variables = variables_of(state)
    for path, low, high in ((path, *kind.span(config)) for path, kind in variables):
        if low < MIN_NUMBER or high > MAX_NUMBER:
            raise UsageError(
                f"the variable {path} goes from {low} to {high} under this configuration, and there is room for {MIN_NUMBER} to"
                f" {MAX_NUMBER}; give it a smaller range, as by counting in a larger unit"
            )
    for path, kind in variables:
        for end in (kind.low, kind.high) if isinstance(kind, Integer) else ():
            if isinstance(end, str) and end not in config.settings and not MIN_DERIVED <= getattr(config, end) <= MAX_DERIVED:
                raise UsageError(
                    f"the range of {path} ends at {end} = {getattr(config, end)}, which is derived: to have more than 32 bits it"
                    " must end at a number, or at a setting"
                )
    for path, kind in variables:
        if isinstance(kind, Integer) and kind.normal_span(config)[1] < kind.span(config)[0]:
            low, most = kind.span(config)[0], kind.normal_span(config)[1]
            raise UsageError(
                f"in the normal form the variable {path} is at most {most} under this configuration, which is below its lowest"
                f" value {low}; give it a higher normal_high"
            )
