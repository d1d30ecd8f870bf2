"""The jars of a release, from Maven's central repository: fetched once, compared with checksums, kept in the cache."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from ...model.language.errors import UsageError
from .process import cache
from .releases import Release

CHECKSUMS = Path(__file__).parent / "artifacts.sha256"
FETCH_SECONDS = 900

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion><groupId>highwater</groupId><artifactId>brokers</artifactId><version>1</version>
<dependencies>{dependencies}</dependencies></project>
"""
DEPENDENCY = "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"


def jars_of(release: Release) -> Path:
    """The folder with the release's jars; fetched with `mvn` when the cache does not have them."""
    folder = cache() / release.name
    if not (folder / "libs").is_dir():
        fetch(release, folder)
    verify(release, folder / "libs")
    return folder


def fetch(release: Release, folder: Path) -> None:
    """Let Maven resolve the server and what it needs."""
    maven = shutil.which("mvn")
    if maven is None:
        raise UsageError(
            f"Kafka {release.name} is not in the cache and there is no mvn to fetch it:"
            " unpack a distribution and give it with --kafka DIR"
        )
    wanted = [f"org.apache.kafka:kafka_{release.scala}:{release.name}", *filter(None, [release.logging])]
    made = folder.with_name(f"{release.name}.{os.getpid()}")
    made.mkdir(parents=True, exist_ok=True)
    pom = POM.format(dependencies="".join(DEPENDENCY.format(*name.split(":")) for name in wanted))
    (made / "pom.xml").write_text(pom)
    goal = "dependency:copy-dependencies"
    command = [maven, "-q", "-B", goal, f"-DoutputDirectory={made}/libs", "-DincludeScope=runtime"]
    try:
        done = subprocess.run(command, cwd=made, capture_output=True, text=True, timeout=FETCH_SECONDS)
        failure = done.stdout.strip()[-300:] if done.returncode else ""
    except subprocess.TimeoutExpired:
        failure = f"it took longer than {FETCH_SECONDS} seconds"
    if failure:
        shutil.rmtree(made, ignore_errors=True)
        raise UsageError(f"mvn cannot fetch Kafka {release.name}: {failure}; or give a distribution with --kafka DIR")
    shutil.rmtree(folder, ignore_errors=True)
    made.rename(folder)


def verify(release: Release, jars: Path) -> None:
    """UsageError when a jar is not the one that the runs in the documents were made with."""
    expected = checksums(release)
    found = {jar.name: digest(jar) for jar in sorted(jars.glob("*.jar"))}
    for name in sorted(expected.keys() | found.keys()):
        if expected.get(name) != found.get(name):
            what = "is missing" if name not in found else "is not expected" if name not in expected else "has another checksum"
            raise UsageError(f"{jars / name} {what}: delete {jars.parent}, so that it is fetched anew")


def checksums(release: Release) -> dict[str, str]:
    """The expected checksum of each jar of the release."""
    lines = [line.split() for line in CHECKSUMS.read_text().splitlines() if line and not line.startswith("#")]
    return {path.split("/")[1]: digest for digest, path in lines if path.split("/")[0] == release.name}


def digest(file: Path) -> str:
    """SHA-256 of a file."""
    with file.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()
