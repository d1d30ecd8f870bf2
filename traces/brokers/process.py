"""Java processes: one ZooKeeper server, one broker each, started by `java/Launcher.java` and ended with the run.

A process ends when its standard input closes, so a run that is killed leaves none behind.
"""

import hashlib
import os
import select
import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import platformdirs

from ...model.language.errors import UsageError

START_SECONDS = 120
ORDER_SECONDS = 30
SOURCES = Path(__file__).parent / "java"

LOG4J = """log4j.rootLogger=INFO, file
log4j.appender.file=org.apache.log4j.FileAppender
log4j.appender.file.File=${highwater.log}
log4j.appender.file.layout=org.apache.log4j.PatternLayout
log4j.appender.file.layout.ConversionPattern=[%d] %p %m (%c)%n
"""
MEMORY = ("-Xmx256m", "-Xss512k", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData")


class BrokerError(Exception):
    """A broker or the store did not do what every broker does: it ended, or did not answer."""


def comes_true(what: Callable[[], bool], seconds: float) -> bool:
    """Whether something is true within this time."""
    until = time.monotonic() + seconds
    while not what():
        if time.monotonic() > until:
            return False
        time.sleep(0.005)
    return True


def free_port() -> int:
    """A port that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def java(program: str = "java") -> str:
    """The path of `java` or `javac`: in JAVA_HOME, else on the PATH."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which(str(Path(home) / "bin" / program)) if home else shutil.which(program)
    if found is None:
        raise UsageError(
            f"{program} is not there: real brokers need a Java development kit, 11 or later"
            " (set JAVA_HOME, or put its bin folder on the PATH)"
        )
    return found


def cache() -> Path:
    """Where classes and artifacts are kept between runs; HIGHWATER_CACHE names another folder."""
    return Path(os.environ.get("HIGHWATER_CACHE") or platformdirs.user_cache_dir("highwater")) / "brokers"


def launcher(shims: bool) -> Path:
    """The folder of the compiled launcher; with `shims`, also what old releases miss in a later Java."""
    files = sorted(f for f in SOURCES.rglob("*.java") if shims or f.parent == SOURCES)
    digest = hashlib.sha256(b"".join(f.read_bytes() for f in files)).hexdigest()[:12]
    folder = cache() / f"launcher-{digest}"
    if not (folder / "Launcher.class").exists():
        compiler = java("javac")
        made = folder.with_suffix(f".{os.getpid()}")
        made.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            [compiler, "-nowarn", "--release", "11", "-d", str(made), *map(str, files)], capture_output=True, text=True
        )
        if done.returncode:
            raise UsageError(f"the launcher of brokers does not compile with {compiler}: {done.stderr.strip()[-300:]}")
        try:
            made.rename(folder)
        except OSError:  # another run was faster
            shutil.rmtree(made, ignore_errors=True)
    return folder


class Process:
    """One Java process that takes orders, a line each, and answers each with a line."""

    def __init__(self, kind: str, config: Path, log: Path, classes: list[str], settings: dict[str, str]) -> None:
        self.name = f"{kind} {config.parent.name}"
        self.log = log
        flags = [f"-D{name}={value}" for name, value in settings.items()]
        command = [java(), *MEMORY, *flags, "-cp", os.pathsep.join(classes), "Launcher", kind, str(config)]
        with log.with_suffix(".err").open("a") as errors:
            self.child = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, start_new_session=True
            )
        self.buffer = b""

    def wait_ready(self) -> None:
        """Until it says that it has started; BrokerError when it ends instead."""
        answer = self.line(START_SECONDS)
        if answer != "ready":
            raise BrokerError(f"{self.name} does not start: {answer or 'it says nothing'}; its log is {self.log}")

    def order(self, text: str) -> str:
        """What it answers to an order; BrokerError when it fails."""
        assert self.child.stdin is not None
        try:
            self.child.stdin.write(f"{text}\n".encode())
            self.child.stdin.flush()
        except OSError:
            raise BrokerError(f"{self.name} has ended; its log is {self.log}") from None
        answer = self.line(ORDER_SECONDS)
        if not answer.startswith("ok"):
            raise BrokerError(f"{self.name} does not {text}: {answer or 'no answer'}; its log is {self.log}")
        return answer[3:]

    def line(self, seconds: float) -> str:
        """The next line of its output; empty when it has ended or says nothing for so long."""
        assert self.child.stdout is not None
        until = time.monotonic() + seconds
        handle = self.child.stdout.fileno()
        while b"\n" not in self.buffer:
            left = until - time.monotonic()
            if left <= 0 or not select.select([handle], [], [], left)[0]:
                return ""
            data = os.read(handle, 1 << 16)
            if not data:
                return ""
            self.buffer += data
        line, _, self.buffer = self.buffer.partition(b"\n")
        return line.decode(errors="replace").strip()

    def end(self, seconds: float) -> int | None:
        """Its exit code, when it ends by itself within this time."""
        try:
            return self.child.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def kill(self) -> None:
        """End it as a crash does (kill -9)."""
        self.child.kill()
        self.child.wait()
        for stream in (self.child.stdin, self.child.stdout):
            if stream is not None:
                stream.close()
