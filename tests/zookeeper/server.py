"""A real ZooKeeper server on a loopback port, from the jars that the pyspark wheel brings."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from support.object_store import free_port

JARS = ("zookeeper-*", "slf4j-api-*", "netty-*", "metrics-core-*", "snappy-java-*", "commons-*", "log4j-*", "audience-*")
START_SECONDS = 60


class Server:
    """One server process with a data folder of its own; several side by side do not meet."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="highwater-zookeeper-"))
        self.process = None
        for _ in range(5):
            self.port = free_port()
            self.start()
            if self.answers():
                return
            self.kill()
        raise RuntimeError(f"ZooKeeper does not start: {(self.folder / 'log').read_text()[-2000:]}")

    def start(self):
        import pyspark

        jars = Path(pyspark.__file__).parent / "jars"
        found = [str(jar) for pattern in JARS for jar in sorted(jars.glob(f"{pattern}.jar"))]
        config = self.folder / "zoo.cfg"
        config.write_text(
            f"dataDir={self.folder}/data\nclientPort={self.port}\nclientPortAddress=127.0.0.1\ntickTime=500\n"
            "minSessionTimeout=1000\nmaxSessionTimeout=600000\nadmin.enableServer=false\nmaxClientCnxns=0\n"
            "4lw.commands.whitelist=envi\n"
        )
        java = Path(os.environ["JAVA_HOME"]) / "bin" / "java" if "JAVA_HOME" in os.environ else shutil.which("java")
        command = [
            str(java), "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dzookeeper.forceSync=no",
            "-Dzookeeper.skipACL=yes", "-cp", os.pathsep.join(found),
            "org.apache.zookeeper.server.ZooKeeperServerMain", str(config),
        ]  # fmt: skip
        with (self.folder / "log").open("w") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)

    def answers(self):
        """Wait until it takes connections; False when it ended instead."""
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until and self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return True
            except OSError:
                time.sleep(0.1)
        return False

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
