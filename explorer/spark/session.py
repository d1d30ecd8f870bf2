"""A Spark session for one run, or one sentence that says why there is none."""

import atexit
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ...model.language.errors import UsageError
from ..extras import how_to_install
from .leftovers import temporary

OLDEST_JAVA = 17
ENDPOINT, REGION = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"), ("AWS_REGION", "AWS_DEFAULT_REGION")
CONNECT_SECONDS = 5.0
MASTERS = re.compile(r"local(\[.*\])?|local-cluster\[.*\]|spark://.+|k8s://.+|yarn")

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.sql.adaptive.enabled": "false",
    "spark.python.worker.reuse": "true",
    "spark.python.unix.domain.socket.enabled": "true",
    "spark.scheduler.mode": "FIFO",
}
"""Settings of a session begun here: no web page, no progress bar, little logging; one job at a time, in workers that are reused.

Java and a worker talk over a Unix socket, from Spark 4.1 on: over TCP on one machine a task waited some 40 ms for its input."""


MEMORY = {
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": str(1 << 40),
    "MALLOC_TOP_PAD_": str(1 << 26),
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}
"""A worker's C library keeps the memory of one task's arrays for the next task, and Arrow takes its memory from the C library. To
clear new pages for each task took the system longer than some of the loops that fill them."""

SAFE_PATH = {"PYTHONSAFEPATH": "1"}
"""The daemon and the workers are begun with `python -m`, which would import from the folder in which they begin."""

JAVA = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=0.25"
OF_THIS_MACHINE = {
    "spark.driver.extraJavaOptions": JAVA,
    "spark.executor.extraJavaOptions": JAVA,
    "spark.shuffle.compress": "false",
}
"""Java only passes large arrays on: optimising its own code, concurrent garbage collection, and compression without a network
cost more than they save, together a third of Java's CPU time. A run has few jobs: methods are compiled after a quarter of the
usual calls, which takes a sixth off the Java of the driver and a quarter off that of the executors."""


def settings_in(texts: list[str] | None) -> dict[str, str]:
    """The settings of Spark's that `--conf` gives, as for spark-submit."""
    found = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not name.startswith("spark."):
            raise UsageError(f"--conf takes a setting of Spark's, such as spark.ui.enabled=true, not {text!r:.60}")
        found[name] = value
    return found


def where_to_watch(spark: Any) -> str:
    """Where the driver's pages are, or how to have them."""
    url = spark.sparkContext.uiWebUrl
    return f"its pages are at {url}" if url else "its pages are off (--conf spark.ui.enabled=true)"


def master_of(master: str | None) -> str | None:
    """The master asked for, or what the environment gives: SPARK_MASTER; None when spark-submit decides."""
    if master is None:
        master = os.environ.get("SPARK_MASTER") or os.environ.get("MASTER")
    if master is None and "PYSPARK_GATEWAY_PORT" not in os.environ:
        master = "local[*]"
    return master


@contextmanager
def session(master: str | None, verbose: bool = False, **settings: str) -> Iterator[Any]:
    """A session that ends with the block, or the one that this process has already and continues with; UsageError
    when none can be had."""
    running = running_session()
    if running is not None:
        yield running
        return
    with scratch(master_of(master)) as more:
        spark = begin_session(master_of(master), verbose, {**more, **settings})
        try:
            yield spark
        finally:
            with quiet(not verbose), suppress(Exception):  # Java may be gone; that must not hide what the block raised
                spark.stop()


@contextmanager
def scratch(master: str | None) -> Iterator[dict[str, str]]:
    """The setting for Spark's own folder on this machine, which the next run removes if this one is killed."""
    if master is None or not master.startswith("local") or "SPARK_LOCAL_DIRS" in os.environ:
        yield {}
        return
    with temporary("spark") as path:
        yield {"spark.local.dir": str(path)}


def running_session() -> Any:
    """The session of this process, if it has one."""
    if "pyspark" not in sys.modules:
        return None
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    return SparkSession.builder.getOrCreate() if SparkContext._active_spark_context is not None else None


def begin_session(master: str | None, verbose: bool, settings: dict[str, str]) -> Any:
    """Check for what is usually missing, then start Spark."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise UsageError(f"pyspark is not installed; {how_to_install('spark')}, or leave out --engine spark") from None
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        require_java()
    validate_master(master)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    on_this_machine = master is not None and master.startswith("local")
    if on_this_machine:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder, said = SparkSession.builder, settings_said()
    if said.get("spark.app.name", Path(sys.argv[0]).name) == Path(sys.argv[0]).name:  # the name that spark-submit takes itself
        builder = builder.appName("highwater")
    if master is not None:
        builder = builder.master(master)
    of_all = {**SETTINGS, **executor_environment(), **(OF_THIS_MACHINE if on_this_machine else {})}
    if on_this_machine and os.environ["PYSPARK_PYTHON"] == sys.executable and Path(__file__).is_file():
        of_all["spark.python.daemon.module"] = f"{__package__}.daemon"
    try:
        with quiet(not verbose):
            of_all = {name: value for name, value in of_all.items() if name not in said}
            return builder.config(map={**of_all, **({"spark.log.level": "WARN"} if verbose else {}), **settings}).getOrCreate()
    except Exception as error:  # the remedy is the same, whatever Spark raises when it does not start
        if master is not None and master.startswith("spark://") and "stopped SparkContext" in str(error):
            what = "takes connections, but does not register this application"
            raise UsageError(f"{master} {what}; is it a Spark master, of the same version?") from None
        raise UsageError(f"Spark does not start: {first_line(error)}; check --master and Java, or add --spark-log") from None


def settings_said() -> dict[str, str]:
    """The settings that `spark-submit --conf` or its files give: they are the user's, and ours are only defaults."""
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        return {}
    from pyspark import SparkConf, SparkContext

    SparkContext._ensure_initialized()
    return dict(SparkConf(loadDefaults=True).getAll())


def share_package(context: Any) -> None:
    """Give the executors this package where it was imported from an archive, such as the wheel of `--py-files`.

    Spark sends a wheel along, but puts only archives called .zip on the executors' path.
    """
    archive = next((path for path in Path(__file__).parents if path.is_file()), None)
    if archive is None or archive.suffix == ".zip" or f"{archive.stem}.zip" in context._python_includes:
        return
    folder = tempfile.mkdtemp(prefix="highwater-package-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)  # until then the driver serves it to new executors
    copy = shutil.copy(archive, Path(folder) / f"{archive.stem}.zip")
    context.addPyFile(str(copy))


def executor_environment() -> dict[str, str]:
    """The environment that the executors' Python needs; no secrets, which Spark would show and log."""
    names = ("HIGHWATER_CACHE", "HIGHWATER_COMPILE", *ENDPOINT, *REGION)
    given = {name: os.environ[name] for name in names if name in os.environ}
    for name in ENDPOINT:
        if "@" in urlsplit(given.get(name, "")).netloc:
            why = "which Spark sends to executors and shows; give it as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
            raise UsageError(f"{name} has a user's name or password, {why}")
    return {f"spark.executorEnv.{name}": value for name, value in {**MEMORY, **SAFE_PATH, **given}.items()}


def require_java() -> None:
    """UsageError without Java, or with one that is too old for Spark."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    need = f"Spark needs Java {OLDEST_JAVA} or newer"
    if java is None or not os.access(java, os.X_OK):
        where = f"JAVA_HOME is {home}, which has no bin/java" if home else "there is no java on the PATH"
        raise UsageError(f"{need}, and {where}; install it, or set JAVA_HOME")
    try:
        said = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False).stderr
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"{need}, and {java} cannot be run: {error}; install another, or set JAVA_HOME") from None
    found = re.search(r'version "(?:1\.)?(\d+)', said)
    if found is None:
        raise UsageError(f"{need}, and {java} does not say its version; install another, or set JAVA_HOME")
    if int(found[1]) < OLDEST_JAVA:
        raise UsageError(f"{need}, and {java} is Java {found[1]}; install a newer one, or set JAVA_HOME to it")


def validate_master(master: str | None) -> None:
    """UsageError for a master that Spark does not know, or that does not answer."""
    if master is None:
        return
    if not MASTERS.fullmatch(master):
        raise UsageError(
            f"{master!r:.60} is not a Spark master; use local[2], local-cluster[2,1,2048], spark://HOST:PORT, yarn or k8s://..."
        )
    if master == "yarn" and not os.environ.get("HADOOP_CONF_DIR") and not os.environ.get("YARN_CONF_DIR"):
        raise UsageError("--master yarn needs HADOOP_CONF_DIR, the folder that holds the cluster's configuration")
    if master.startswith("spark://"):
        if not any(answers(address) for address in master.removeprefix("spark://").split(",")):
            raise UsageError(f"the Spark master {master} cannot be reached; check the address, and that it runs")


def answers(address: str) -> bool:
    """Whether a process listens at HOST:PORT."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host or address, int(port)), CONNECT_SECONDS):
            return True
    except (OSError, ValueError, OverflowError):
        return False


def first_line(error: BaseException) -> str:
    """The message of an exception, in one line; of Java's the innermost cause."""
    java = getattr(error, "java_exception", None)
    if java is not None:
        while java.getCause() is not None:
            java = java.getCause()
        return str(java.getMessage() or java.toString()).strip().splitlines()[0][:200]
    return (str(error).strip() or type(error).__name__).splitlines()[0][:200]


@contextmanager
def quiet(wanted: bool) -> Iterator[None]:
    """Discard what Java and its launcher write to standard error while they start."""
    if not wanted:
        yield
        return
    sys.stderr.flush()
    kept = os.dup(2)
    with open(os.devnull, "wb") as void:
        os.dup2(void.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
