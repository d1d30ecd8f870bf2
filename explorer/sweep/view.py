"""The table of a sweep for SQL: the view `sweep`, with a column for each name that varied."""

from typing import Any

import pyarrow as pa

from ...model.language.errors import UsageError, reason_of
from ..runs.files import LocalFiles, local_folder
from ..runs.point_names import points_in
from ..spark.explore import store_at
from .table import SCHEMA, read_undamaged


def sweep_view(spark: Any, place: str) -> bool:
    """Make the view `sweep` of the table at `place`; whether there is one."""
    try:
        here = local_folder(place)
        store = LocalFiles(here) if here is not None else store_at(spark, place)[0]
        files = points_in(store)
    except OSError as error:
        raise UsageError(f"{place} cannot be read: {reason_of(error)}; name the --out of a sweep") from None
    if not files:
        return False
    tables = []
    for name in files:
        table = read_undamaged(store, name)
        if table is None:
            raise UsageError(f"{place}/{name} was damaged; the same sweep with the same --out does this point again")
        tables.append(table.replace_schema_metadata(None))
    rows = spark.createDataFrame(pa.concat_tables(tables))
    rows.createOrReplaceTempView("sweep")
    keys = spark.sql("select array_distinct(flatten(collect_set(map_keys(varied)))) from sweep").collect()[0][0]
    names = sorted(name for name in keys if name not in SCHEMA.names)
    if names:
        tests = (f"bool_and(settings['{name}'] is null or settings['{name}'] rlike '^-?[0-9]+$')" for name in names)
        whole = dict(zip(names, spark.sql(f"select {', '.join(tests)} from sweep").collect()[0], strict=True))
        columns = (f"cast(settings['{name}'] as {'int' if whole[name] else 'string'}) as {name}" for name in names)
        rows.selectExpr("*", *columns).createOrReplaceTempView("sweep")
    return True
