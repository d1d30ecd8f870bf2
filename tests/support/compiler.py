"""A compiler beside the process that is done when it is told, and whose clock goes on a second whenever it is asked."""


class Compiler:
    def __init__(self, done=False):
        self.done, self.seconds, self.stopped = done, 0.0, False

    def line(self):
        return f"compiling: {self.seconds:.0f} s so far, usually 3 to 30 s"

    def is_done(self):
        self.seconds += 1.0
        return self.done

    def stop(self):
        self.stopped = True
