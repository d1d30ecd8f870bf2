"""The names of the files of a sweep's table; apart from `table`, so that looking for them needs no Parquet."""

from .files import Store

PREFIX, SUFFIX = "point-", ".parquet"


def points_in(store: Store) -> list[str]:
    """The files of a table, none where there is no table; OSError when they cannot be listed."""
    return sorted(name for name in store.names("") if name.startswith(PREFIX) and name.endswith(SUFFIX))
