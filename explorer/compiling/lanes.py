"""The search in lanes for one configuration, or for several that share it: the text beside `lane_kernels`, and a task's arrays.

A property of steps is asked, and a part of the normal form taken, only after steps that changed what it looks at (`touched`).
Otherwise these say and do what they say of, and do after, a step that changes nothing; that is asked once for each block.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ...model.language.actions import Model
from ...model.language.kinds import declared
from ...model.language.loops import indented, nested
from ...model.language.machine_code import loader
from ...model.language.machine_code.lane_instructions import GROUP
from ...model.language.machine_code.lane_values import CELL, OF_SETS
from ...model.language.machine_code.layout import Layout, Plan
from ...model.language.machine_code.lowered_kinds import NUMBER, NUMBERS, WORD, LoweringError
from ...model.language.machine_code.lowering import FAILED, IN_LANES_OF
from ...model.language.machine_code.processor import LANES, has_lanes, way
from ...model.language.reading.program import Program
from ...model.language.settings import Settings
from ...model.language.steps import Action
from ...properties.property import Property
from .arrays import DEADLOCK_NOTE, WORD_BITS, separate
from .checks import OF_ONE, PREDICATES, Checked, name_of_check, quantified_text
from .memory import apart
from .packing import MAX_UNROLLED, u64
from .ranges import ends_in_lanes
from .shared import Shared
from .touched import CalledWith, Touched

ROOM = "base, active, notes, taken, able"

BITS_OF_CELLS = "BITS_OF_CELLS"
"""The name by which a text has the bits of each cell (`touched`)."""

OF_LANES = (
    "steps_of_block", "check_block", "check_steps_in_lanes", "normal_form_in_lanes", "spread", "LANES", "FAILED", OF_SETS,
    BITS_OF_CELLS,
)  # fmt: skip
"""What the text in lanes names; a model's functions of these names are called otherwise there."""

NOTE_ROWS = ("ALWAYS_NOTES", "STEP_NOTES", "SOMETIMES_NOTES", "SOMETIMES_STEP_NOTES")
"""Where the notes of each group of properties begin."""


def fits(layout: Layout, plan: Plan, arguments: Iterable[int]) -> bool:
    """Whether code for one configuration works in lanes.

    Cells and arguments must be bytes; `arguments`: how many values each can have.
    """
    small = layout.cell.itemsize == 1 and len(plan.word) <= MAX_UNROLLED and max(arguments, default=0) <= CELL + 1
    return small and way().lanes > 0 and has_lanes()


def can_be_lowered(text: str, kernels: Collection[str], not_inlined: Collection[str], block: np.dtype[Any]) -> bool:
    """Whether all functions of a text that work on such blocks can be written in lanes."""
    lowering = loader.lowering_of(text, frozenset(kernels), frozenset(not_inlined))
    words, numbers = np.dtype((np.uint64, (1,))), np.dtype((np.int64, (1,)))
    if not {"steps_of_block", "check_block", "spread"} <= set(lowering.functions):  # for what they call, some way down
        return False
    try:
        lowering.make("steps_of_block", [block, WORD, NUMBER, numbers, words, NUMBERS, numbers, numbers])
        lowering.make("check_block", [block, WORD, NUMBER, words, NUMBERS])
        lowering.make("spread", [block])
    except LoweringError:
        return False
    return True


class LaneText:
    """The text for a model under one configuration, or for those that share it, of which what is the same is `known`.

    `whole` is the program. What actions of `plugin_code` do is looked at.

    `step_checks`: a plugin takes part in a step, or in the normal form.
    """

    def __init__(
        self, model: Model, whole: Program, known: Settings | Shared, config: Settings, layout: Layout, checked: Checked,
        plugin_code: Collection[str], step_checks: bool,
    ) -> None:  # fmt: skip
        self.model, self.whole, self.config, self.checked, self.plugin_code = model, whole, known, checked, plugin_code
        narrower = any(getattr(kind, "normal_high", None) is not None for _, kind in declared(model.state))
        self.looks_again = step_checks and (model.normal_form is not None or narrower)
        self.step_groups = [number for number, name in enumerate(PREDICATES) if name.endswith("_steps")]
        touched = Touched(model, whole, config, layout)
        normal = whole.name_of(model.normal_form) if model.normal_form else ""
        self.normal_form = touched.normal_form(normal, step_checks) if normal in whole.functions else []
        self.asked = {claim: touched.property_of_steps(claim) for _, _, claim in self.properties(over_steps=True)}
        self.bits_of = touched.bits_of

    def parts(self) -> Iterator[str]:
        """The functions, in an order in which each knows those that it calls."""
        yield f"LANES = {LANES}\n\nFAILED = {FAILED}\n\n{BITS_OF_CELLS} = {self.bits_of}"
        for claim, asked in self.asked.items():
            if asked.parameter:
                yield quantified_text(claim, self.whole, self.config, asked.parameter)
        yield self.check_steps()
        yield self.take_normal_form()
        lines = [f"def steps_of_block(block, live, index, {ROOM}):", "    block.enabled = np.uint64(0)"]
        for number, action in enumerate(self.model.actions):
            name = self.whole.name_of(action.function)
            if name in self.whole.functions:
                yield self.instances_of(name, number, action)
                lines += [f"    if base[{number}] >= 0:", f"        all_of_{name}_in_lanes(block, live, index, {ROOM})"]
        lines.append(f"    note_in_lanes(notes, {DEADLOCK_NOTE}, live & ~block.enabled, index, -1)")
        for group in self.step_groups:
            if PREDICATES[group].startswith("witnessed"):  # not earlier: a lane before the one that was found might witness it
                lines += [
                    f"    if notes[{NOTE_ROWS[group]} + {place}, 0] >= 0:\n        active[{group}] &= ~{u64(1 << place)}"
                    for place in range(len(self.checked.groups[group]))
                ]
        yield "\n".join([*lines, "    return"])
        yield self.check_block()

    def instances_of(self, name: str, number: int, action: Action) -> str:
        """Try one action with all its arguments in all lanes."""
        lines = [f"def all_of_{name}_in_lanes(block, live, index, {ROOM}):", "    union = np.uint64(0)"]
        ranges = [(f"p{place}", getattr(self.config, dimension)) for place, dimension in enumerate(action.dimensions)]
        code = "0"
        for parameter, size in ranges:
            code = f"({code}) * {size} + {parameter}"
        arguments = ", ".join(["block.successors", *(parameter for parameter, _ in ranges)])
        refused = "np.uint64(0)" if action.rolls_back else "live & ~here"
        undone = " and block.journal[0] == 0" if action.rolls_back else ""
        body = [
            f"here = {IN_LANES_OF}{name}({arguments}, live, block.journal)",
            *([f"look_at_changes(block, here, {refused})"] if name in self.plugin_code else []),
            f"if here == np.uint64(0){undone}:",
            "    block.journal[0] = 0",
            "else:",
            "    union |= here",
            f"    taken[{number}] += popcount(here)",
            *(["    touched = bits_of_changes(block, 1)"] if self.asked or self.normal_form else []),
            *(
                [f"    check_steps_in_lanes(block, here, touched, index, base[{number}] + {code}, active, notes)"]
                if self.asked
                else []
            ),
            *(["    normal_form_in_lanes(block, here, touched)"] if self.normal_form else []),
            *(["    look_at_normal_form(block, here)"] if self.looks_again else []),
            f"    arrive(block, here, base[{number}] + {code})",
        ]
        lines += indented(nested(ranges, body))
        return "\n".join([*lines, f"    able[{number}] += popcount(union)", "    block.enabled |= union", "    return"])

    def take_normal_form(self) -> str:
        """The parts of the normal form that look at what has changed."""
        lines = ["def normal_form_in_lanes(block, here, touched):"]
        for place, (bit, called) in enumerate(self.normal_form, 1):
            lines.append(f"    if touched & {u64(bit)} != np.uint64(0):" if bit else "    if True:")
            if place == len(self.normal_form):
                lines.append(f"        {self.part_taken(called, 'here')}")
            else:  # the later parts look at what this one has changed, too
                lines += ["        before = block.journal[0]", f"        {self.part_taken(called, 'here')}"]
                lines.append("        touched |= bits_of_changes(block, before + 1)")
        return "\n".join([*lines, "    return"])

    def part_taken(self, called: CalledWith, mask: str) -> str:
        """The call that takes a part of the normal form of the successors in some lanes."""
        return f"{IN_LANES_OF}{called[0]}({', '.join(['block.successors', *called[1], mask, 'block.journal'])})"

    def check_steps(self) -> str:
        """Check steps, as far as they have changed what the properties look at."""
        lines = ["def check_steps_in_lanes(block, live, touched, index, code, active, notes):"]
        for group, place, claim in self.properties(over_steps=True):
            bits = sum({*self.asked[claim].bits})
            lines.append(f"    if touched & {u64(bits)} != np.uint64(0) and active[{group}] & {u64(1 << place)} != np.uint64(0):")
            for bit, found in self.found_in_steps(claim, group):
                lines += [
                    f"        if touched & {u64(bit)} != np.uint64(0):",
                    f"            note_in_lanes(notes, {NOTE_ROWS[group]} + {place}, {found}, index, code)",
                ]
        return "\n".join([*lines, "    return"])

    def check_block(self) -> str:
        """Check the states of a block, and what a step that changes nothing would do, as the successors are still the states."""
        lines = ["def check_block(block, live, index, active, notes):", "    block.touched = np.uint64(0)"]
        for group, place, claim in self.properties(over_steps=False):
            row = f"{NOTE_ROWS[group]} + {place}"
            lines += [
                f"    if active[{group}] & {u64(1 << place)} != np.uint64(0):",
                f"        note_in_lanes(notes, {row}, {self.found(claim, group, 'block.states')}, index, -1)",
            ]
            if PREDICATES[group] == "witnessed":
                lines += [f"        if notes[{row}, 0] >= 0:", f"            active[{group}] &= ~{u64(1 << place)}"]
        for group, place, claim in self.properties(over_steps=True):
            lines.append(f"    if active[{group}] & {u64(1 << place)} != np.uint64(0):")
            for bit, found in self.found_in_steps(claim, group):
                lines += [f"        if {found} != np.uint64(0):", f"            block.touched |= {u64(bit)}"]
        for bit, called in (part for part in self.normal_form if part[0]):
            lines += [f"    {self.part_taken(called, 'live')}", "    if block.journal[0] != 0:"]
            lines += [f"        block.touched |= {u64(bit)}", "        arrive(block, np.uint64(0), 0)"]
        return "\n".join([*lines, "    return"])

    def properties(self, over_steps: bool) -> Iterator[tuple[int, int, Property]]:
        """The properties of states or of steps: group, place in it, and property."""
        for group, members in enumerate(self.checked.groups):
            if (group in self.step_groups) is over_steps:
                yield from ((group, place, member) for place, member in enumerate(members))

    def found_in_steps(self, claim: Property, group: int) -> Iterator[tuple[int, str]]:
        """For each bit of a property of steps: the lanes in which that is violated, or witnessed."""
        asked = self.asked[claim]
        for value, bit in enumerate(asked.bits):
            given = (OF_ONE, f", {value}") if asked.parameter else ("", "")
            yield bit, self.found(claim, group, f"block.states, block.successors{given[1]}", given[0])

    def found(self, claim: Property, group: int, given: str, of_one: str = "") -> str:
        """The lanes in which a property is violated, or witnessed."""
        holds = f"{IN_LANES_OF}{name_of_check(claim, self.whole)}{of_one}({given}, live, block.journal)"
        return f"live & ~{holds}" if PREDICATES[group].startswith("broken") else holds


def places_of(plan: Plan) -> Iterator[tuple[int, int, int, int, int]]:
    """Each cell that varies: its number, its first bit in the key, and bytes with its bits, its bias, and what is kept of it."""
    at = 0
    for number, (word, mask, bias, post) in enumerate(zip(plan.word, plan.mask, plan.bias, plan.post, strict=True)):
        for place in range(8):
            bits, least, kept = (int(part) >> (8 * place) & 255 for part in (mask, bias, post))
            if bits:
                yield int(word) * 8 + place, at, bits, least, kept
                at += bits.bit_count()
        assert at == int(plan.bits[: number + 1].sum())


def spread_text(plan: Plan) -> str:
    """`spread`: keys, lane by lane, as cells. Cells whose bits lie in 64 that follow each other are written eight at a time."""
    lines, left = ["def spread(block):"], list(places_of(plan))
    while left:
        begin = left[0][1]
        group = [part for part in left[:GROUP] if part[1] + part[2].bit_count() <= begin + WORD_BITS]
        left = left[len(group) :]
        group += [group[-1]] * (GROUP - len(group))
        last = (max(part[1] + part[2].bit_count() for part in group) - 1) // WORD_BITS
        numbers = [u64(sum(byte << (8 * i) for i, byte in enumerate(column))) for column in list(zip(*group, strict=True))[2:]]
        starts = u64(sum((part[1] - begin) << (8 * i) for i, part in enumerate(group)))
        cells = ", ".join(str(part[0]) for part in group)
        word, shift = divmod(begin, WORD_BITS)
        words = f"block.words[{word}], {shift}, block.words[{last}]"
        lines.append(f"    spread_group({words}, {starts}, {', '.join(numbers)}, block.states, block.successors, {cells})")
    return "\n".join([*lines, "    return"])


OF_CELLS = ("word", "shift", "bias", "mask", "least", "span", "normal_span", "other")
"""What a block knows of each cell."""


def block_type(layout: Layout, plan: Plan, instances: int) -> np.dtype[Any]:
    """A task's block of states; `instances`: of actions, as many successors as a state may have.

    `states` and `successors`: a row of bytes for each cell. `words` [word of a key, lane]: the states' keys; `after` [word of a
    key, successor]: in what those of the successors by one action differ. `journal`: how many addresses of changed cells follow,
    and these. `changed` [successor]: what has changed of one cell. `key` [word, place] and `code` [place]: the successors, of
    which those of a lane have the places lane, lane + LANES and so on; `fill` [lane]: how many it has. `enabled`: the lanes with
    one. `touched`: the bits of properties that a step violates or witnesses in some lane even if it changes nothing, and of
    parts of the normal form that change a state; `bits` [cell]: of all that looks at the cell (`touched`). Of each cell, `word`,
    `shift`, `bias` and `mask` say where it stands in a key, what is added to it, and which bits vary; its range are numbers up to
    `span` above the `least` one, or `normal_span` in a normal form, and the `other` one.
    """
    cells, most, key_words = layout.state_words * 8, apart(LANES * instances), plan.key_words
    fields: list[Any] = [("states", layout.in_lanes), ("successors", layout.in_lanes)]
    fields += [("words", "u8", (key_words, LANES)), ("after", "u8", (key_words, LANES)), ("changed", "u1", (2 * LANES,))]
    fields += [("key", "u8", (key_words, most)), ("code", "i8", (most,))]
    fields += [("fill", "i8", (LANES,)), ("journal", "i8", (FAILED + 1,))]
    fields += [("enabled", "u8"), ("touched", "u8"), ("bits", "u8", (cells,))]
    return np.dtype([*fields, *((name, "i8", (cells,)) for name in OF_CELLS)])


def empty_block(kind: np.dtype[Any], layout: Layout, plan: Plan, config: Settings, looking: Sequence[int]) -> np.ndarray:
    """A block of this `block_type`, on separate cache lines; each cell has its least value, which is its only one if it does not
    vary."""
    block = separate((kind.itemsize,), np.uint8).view(kind)
    block["bits"] = looking
    lowest = np.zeros((layout.state_words, 8), np.uint8)
    lowest[plan.word] = (-plan.bias.view(np.uint8) & plan.post.view(np.uint8)).reshape(-1, 8)
    for name in ("states", "successors"):
        block[name].view(np.uint8).reshape(-1, LANES)[: lowest.size] = lowest.reshape(-1, 1)
        for setting, value in config.numbers() if layout.alike else ():
            block[name]["config"][setting] = value
    for cell, at, bits, least, _ in places_of(plan):
        where = {"word": at // WORD_BITS, "shift": at % WORD_BITS, "bias": least, "mask": bits}
        for name, value in where.items():
            block[name][0, cell] = value
    for _, place, variable in layout.variables(config):
        for name, value in ends_in_lanes(variable, config).items():
            block[name][0, place] = value
    return block
