"""Python workers on this machine: where they take pyspark from, and Arrow its memory."""

from highwater.explorer.spark.daemon import without_archives


def test_archives_of_an_installed_package_are_left_out(tmp_path):
    lib = tmp_path / "pyspark" / "python" / "lib"
    jar, other = str(tmp_path / "pyspark" / "jars" / "spark-core.jar"), str(tmp_path / "own.zip")
    path = [str(lib / "pyspark.zip"), str(lib / "py4j-0.10-src.zip"), jar, other, str(tmp_path)]
    assert without_archives(path) == path  # a Spark without a package beside its archives, as in SPARK_HOME
    (tmp_path / "pyspark").mkdir()
    (tmp_path / "pyspark" / "__init__.py").touch()
    assert without_archives(path) == [other, str(tmp_path)]


def test_workers_have_no_modules_from_archives(spark):
    def finders(some):
        import sys
        import zipimport

        yield sum(some), [path for path, finder in sys.path_importer_cache.items() if isinstance(finder, zipimport.zipimporter)]

    assert spark.sparkContext.parallelize([1, 2], 2).mapPartitions(finders).collect() == [(1, []), (2, [])]


def test_arrow_takes_its_memory_from_the_c_library(spark):
    def pools(some):
        import pyarrow

        yield sum(some), pyarrow.default_memory_pool().backend_name

    assert spark.sparkContext.parallelize([1, 2], 2).mapPartitions(pools).collect() == [(1, "system"), (2, "system")]
