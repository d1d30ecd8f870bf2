"""Klotski: ten blocks on a board of 4 by 5, of which the large one is to come to the middle of the bottom."""

from highwater.model.language import Model, State, integer, many
from highwater.properties.property import always

SMALL, TALL, WIDE, LARGE = 1, 2, 4, 6
BEGIN = [
    TALL, LARGE, LARGE + 1, TALL,
    TALL + 1, LARGE + 2, LARGE + 3, TALL + 1,
    TALL, WIDE, WIDE + 1, TALL,
    TALL + 1, SMALL, SMALL, TALL + 1,
    SMALL, 0, 0, SMALL,
]  # fmt: skip


class Klotski(State):
    """The board, row by row. A block has the number of its shape at its upper left, and the following ones elsewhere."""

    cell = many(integer(0, 9, "0 is free"), 20)


def slide(s, place, way):
    """The block whose upper left is here moves by one place: right, left, down or up."""
    shape = s.cell[place]
    if shape not in (SMALL, TALL, WIDE, LARGE):
        return False
    width = 2 if shape in (WIDE, LARGE) else 1
    height = 2 if shape in (TALL, LARGE) else 1
    left, top = place % 4, place // 4
    x = left + (1 if way == 0 else -1 if way == 1 else 0)
    y = top + (1 if way == 2 else -1 if way == 3 else 0)
    if x < 0 or y < 0 or x + width > 4 or y + height > 5:
        return False
    for i in range(2):
        for j in range(2):
            is_own = y + i in (top, top + height - 1) and x + j in (left, left + width - 1)
            if i < height and j < width and not is_own and s.cell[4 * (y + i) + x + j] != 0:
                return False
    for i in range(2):
        for j in range(2):
            if i < height and j < width:
                s.cell[4 * (top + i) + left + j] = 0
    for i in range(2):
        for j in range(2):
            if i < height and j < width:
                s.cell[4 * (y + i) + x + j] = shape + width * i + j
    return True


def not_solved(s):
    """The large block is not yet at the exit."""
    return s.cell[13] != LARGE


def begin(config):
    """The board at the beginning."""
    state = Klotski(config)
    for place, shape in enumerate(BEGIN):
        state.cell[place] = shape
    return [state]


MODEL = Model(
    state=Klotski, domains={"place": 20, "way": 4}, actions=[slide], initial_states=begin, properties=[always(not_solved)],
)  # fmt: skip
