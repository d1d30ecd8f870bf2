"""A compiler beside the process that is done when it is told, and whose clock goes on a second whenever it is asked."""


class Compiler:
    running = True

    def __init__(self, done=False, failed=False):
        self.done, self.seconds, self.stopped, self.failed = done, 0.0, False, failed

    def line(self):
        return f"compiling: {self.seconds:.0f} s so far, usually 3 to 30 s"

    def is_done(self):
        self.seconds += 1.0
        return self.done

    def has_failed(self):
        return self.failed

    def stop(self):
        self.stopped = True
