"""Faults that strike a task of a level once: probes for runs on Spark. They travel by value, see `by_value`."""

import errno
import os
import signal
import sys
import time


class Fault:
    """Called at moments of tasks; `strike` is called at the chosen moment of the chosen levels, once for each."""

    def __init__(self, folder, moment, levels, shard=0):
        self.folder, self.moment, self.levels, self.shard = str(folder), moment, set(levels), shard

    def __call__(self, moment, level, shard):
        if moment == self.moment and level in self.levels and shard == self.shard and self.first(level):
            self.strike()

    def first(self, level):
        """Whether nobody was here before."""
        try:
            os.close(os.open(f"{self.folder}/{type(self).__name__}-{self.moment}-{level}", os.O_CREAT | os.O_EXCL))
            return True
        except FileExistsError:
            return False


class Fails(Fault):
    """The task fails; after `expanded` it has written all its files."""

    def strike(self):
        raise RuntimeError("a fault of the test")


class FillsDisk(Fault):
    """The task is told that the disk is full."""

    def strike(self):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class Dies(Fault):
    """The worker dies, whenever the task is tried."""

    def first(self, level):
        return True

    def strike(self):
        os.kill(os.getpid(), signal.SIGKILL)


class KillsExecutor(Fault):
    """The executor in which the task runs is killed with signal 9."""

    def strike(self):
        import psutil

        executor = next(p for p in psutil.Process().parents() if "java" in p.name())
        assert "CoarseGrainedExecutorBackend" in " ".join(executor.cmdline()), "this kills executors only"
        executor.kill()
        time.sleep(60)


def by_value():
    """Let the probes travel to workers that cannot import them."""
    from pyspark import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])


def struck(folder):
    """How many faults have struck."""
    return len(os.listdir(folder))
