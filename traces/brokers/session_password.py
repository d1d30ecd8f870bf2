"""The password of a ZooKeeper session, which the server computes from the session's number.

With it a run can end the session of a broker that lives on, as a timeout would. ZooKeeper's server fills 16 bytes
from Java's generator, seeded with the session's number and a constant; so the same is computed here.
"""

SUPER_SECRET = 0xB3415C00
LENGTH = 16

MULTIPLIER, ADDEND, MASK = 0x5DEECE66D, 0xB, (1 << 48) - 1
"""Java's linear congruential generator (`java.util.Random`)."""


def password(session: int) -> bytes:
    """The password of the session with this number."""
    state = (session ^ SUPER_SECRET ^ MULTIPLIER) & MASK
    out = bytearray()
    while len(out) < LENGTH:
        state = (state * MULTIPLIER + ADDEND) & MASK
        word = state >> 16
        for _ in range(4):
            out.append(word & 0xFF)
            word >>= 8
    return bytes(out[:LENGTH])
