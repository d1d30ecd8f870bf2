"""The text that is compiled for a model: its program, and what the kernels need of it.

From the declaration alone come Next (`steps`), the checks of properties (`checks`), packing (`packing`) and the two
functions of symmetry (`renaming`). In a program for one configuration all sizes are numbers; in the generic one they are
read from the state's configuration.
"""

import inspect
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from types import ModuleType
from typing import Any

from ...model.language.actions import Model
from ...model.language.machine_code.lane_values import OF_SETS
from ...model.language.machine_code.layout import Layout
from ...model.language.machine_code.loader import Loaded, load, source_digest
from ...model.language.reading.arithmetic import HELPER_NAMES
from ...model.language.reading.constant_indices import without_bounds
from ...model.language.reading.parsed import bare, parse
from ...model.language.reading.plugin_checks import with_plugin_checks
from ...model.language.reading.program import Program, program, validate_reads_only
from ...model.language.reading.specialise import refuses_always, specialise, specialise_shared
from ...model.language.reading.step_checks import has_plugin_step, plugin_actions_in
from ...model.language.settings import Settings
from ...model.language.steps import parameters_of
from . import arrays, hash_table, kernels, lane_kernels, meta_words, order_kernels, packing_kernels, renaming_kernels
from .checks import PREDICATES, Checked, checks_text
from .lanes import OF_LANES, LaneText, spread_text
from .packing import MAX_UNROLLED, pack_text, unpack_text
from .ranges import BEYOND, RANGE_CHECKS, range_checks_text
from .renaming import rename_text, signature_text
from .shared import Shared
from .steps import steps_text

ENTRIES = ("expand", "canonise", "reveal", "wander")
TABLE_ENTRIES = ("insert", "insert_exact", "rehash", "fingerprints", "rank", "sort_ranks", "put_in_order")
"""The functions that Python calls: of a model, and of the visited set."""

KERNELS = (arrays, meta_words, hash_table, order_kernels, packing_kernels, renaming_kernels, kernels)

NOT_INLINED = ("steps", "to_normal_form", "signature", "rename", "note", "arrive", "check_steps_in_lanes", "normal_form_in_lanes")

def kernel_names(modules: Sequence[ModuleType] = KERNELS) -> list[tuple[str, Any]]:
    """The functions and constants in the files of kernels."""
    names = {n: v for module in modules for n, v in vars(module).items()}
    own = {module.__name__ for module in modules}
    return [(n, v) for n, v in names.items() if not inspect.isfunction(v) or v.__module__ in own]


HEADER = (
    f"# {source_digest(files(__package__) / 'machine_instructions.py')}\n"
    f"from {__package__}.machine_instructions import (\n"
    "    deposit_bits, extract_bits, high_product, prefetch, push_slot, slots_like, slots_with, trailing_zeros\n)"
)
"""The imports of generated modules; because of the digest, code compiled with other instructions belongs to another module."""


def text_for(
    model: Model, layout: Layout, checked: Checked, config: Settings | None, symmetry: bool, shared: Sequence[Settings] = (),
    in_lanes: bool = False,
) -> str:  # fmt: skip
    """Everything that is compiled: for `config` alone, for those that share it with this one, or for every one of the layout.

    Without symmetry the functions that it needs do nothing. `in_lanes`: many states are expanded at once.
    """
    functions = functions_of(model, checked)
    known: Settings | Shared | None = config
    if shared:
        known = Shared(shared)
        whole = specialise_shared(checked_program(model, functions), shared, model.state)
        whole = only_needed(whole, model, functions)
    elif config is None:
        whole = checked_program(model, functions)
    else:
        whole = without_bounds(only_needed(specialised(model, config, functions), model, functions), config)
    validate_reads_only(whole, [whole.name_of(p.function) for p in checked])
    checked_whole = checked_program(model, functions)
    plugin_code = plugin_actions_in(model.actions, checked_whole)
    step_checks = has_plugin_step(model, checked_whole)
    normal = f"{whole.name_of(model.normal_form)}(s)" if model.normal_form else "pass"
    parts = [
        f"STATE_WORDS = {layout.state_words}",
        *constant_texts(),
        whole.text(),
        *(range_checks_text(model, known) if step_checks else ()),
        steps_text(model, whole, known, plugin_code),
        *checks_text(checked, whole, known),
        f"def to_normal_form(s):\n    {normal}{BEYOND if step_checks else ''}",
        signature_text(model if symmetry else None, config),
        rename_text(model if symmetry else None, config),
    ]
    simple = simple_kernels(checked, symmetry)
    parts += simple.values()
    simple |= dict.fromkeys(() if symmetry else functions_in(renaming_kernels), "")
    plan = layout.plan(config) if config is not None else None
    if plan is not None and config is not None and len(plan.word) <= MAX_UNROLLED:
        without = ("pack", "unpack", "words_of", *TABLE_ENTRIES, *simple, *(["expand"] if in_lanes else []))
        parts += [*kernel_texts(without), words_of_text(plan.key_words)]
        parts += [pack_text(plan, layout), unpack_text(plan, layout)]
        if in_lanes:
            of_sets = [name for name in whole.functions if hasattr(checked_whole.originals.get(name), "of_sets")]
            lanes = LaneText(model, whole, known or config, config, layout, checked, plugin_code, step_checks)
            parts += [f"{OF_SETS} = {of_sets}", *lanes.parts()]
            parts += [spread_text(plan), *kernel_texts(simple, (lane_kernels,))]
    else:
        parts += kernel_texts({*TABLE_ENTRIES, *simple})
    return "\n\n\n".join(parts) + "\n"


def simple_kernels(checked: Checked, symmetry: bool) -> dict[str, str]:
    """Kernels that have less to do here, by name: without symmetry a state has one key, and without properties of steps nothing
    is checked of them. What is not there is not compiled."""
    found = {}
    if not symmetry:
        body = "pack(scratch.rows, at, packing, scratch.key, 0)"
        found["canonical_key"] = f"def canonical_key(scratch, at, packing, renaming):\n    {body}"
        found["represent"] = "def represent(keys, at, packing, scratch, renaming):\n    pass"
    if not (checked.groups[1] or checked.groups[3]):
        found["check_step"] = "def check_step(recs, j, code, checks, index):\n    pass"
    return found


@cache
def table_module(key_words: int) -> Loaded:
    """The kernels of the visited set for keys of this many words. They know no model, so all models share them."""
    without = ("words_of", *(name for module in KERNELS[-3:] for name in functions_in(module)))
    parts = [*constant_texts(), *kernel_texts(without), words_of_text(key_words)]
    return load(f"table-{key_words}", "\n\n\n".join(parts) + "\n", TABLE_ENTRIES, (), HEADER, kernels_of_bundles())


LOCAL_NAMES = frozenset({
    "able", "active", "at", "b", "base", "before", "block", "code", "codes", "first", "found", "gathered", "h", "here",
    "index", "kept", "keys", "left", "live", "me", "n", "notes", "order", "packing", "past", "places", "recs", "renaming",
    "rows", "s", "scratch", "sort", "t", "taken", "to", "touched", "union", "w", "x",
})  # fmt: skip
"""The variables of generated functions. What those call has other names: a variable would stand for it."""


RESERVED = {
    *(name for name, _ in kernel_names((*KERNELS, lane_kernels))), *PREDICATES, *HELPER_NAMES, *RANGE_CHECKS, *OF_LANES,
    "steps", "STATE_WORDS", "to_normal_form", "signature", "rename",
}  # fmt: skip
"""The functions and constants of generated text; those of a model have other names."""


def words_of_text(key_words: int) -> str:
    """`words_of`, for keys whose words are counted."""
    return f"def words_of(keys):\n    return {key_words}"


def functions_of(model: Model, checked: Checked) -> tuple[Callable[..., Any], ...]:
    """The functions that are compiled beside the actions."""
    return (*(p.function for p in checked), *([model.normal_form] if model.normal_form else ()))


@lru_cache(maxsize=4)
def checked_program(model: Model, others: tuple[Callable[..., Any], ...]) -> Program:
    """The actions and other functions; what is not Highwater's own among them runs with checks. Not to be changed."""
    functions = [*(a.function for a in model.actions), *others]
    variables = {*LOCAL_NAMES, *(name for other in others for name in parameters_of(other))}
    whole = program(functions, RESERVED, model.config, variables)
    return with_plugin_checks(whole, map(whole.name_of, functions), model.state, model.config)


@lru_cache(maxsize=4)
def specialised(model: Model, config: Settings, others: tuple[Callable[..., Any], ...]) -> Program:
    """The actions and other functions under one configuration. Not to be changed: two callers share it."""
    return specialise(checked_program(model, others), config, model.state)


def only_needed(whole: Program, model: Model, others: Sequence[Callable[..., Any]]) -> Program:
    """The program without functions that nothing calls any more."""
    steps = [whole.name_of(a.function) for a in model.actions]
    roots = [name for name in steps if not refuses_always(whole.functions, name)] + [whole.name_of(f) for f in others]
    needed = whole.called_by(roots)
    functions = {name: tree for name, tree in whole.functions.items() if name in needed}
    return Program(functions, whole.files, whole.names)


@cache
def switched_on(model: Model, config: Settings, others: tuple[Callable[..., Any], ...] = ()) -> tuple[bool, ...]:
    """For each action of Next whether the configuration has it: settings alone can rule it out.

    `others`: what else is specialised, when that has been done with them already.
    """
    whole = specialised(model, config, others)
    return tuple(not refuses_always(whole.functions, whole.name_of(a.function)) for a in model.actions)


def functions_in(module: ModuleType) -> list[str]:
    """The functions of one file of kernels."""
    return [name for name, value in kernel_names([module]) if inspect.isfunction(value)]


def constant_texts(modules: Sequence[ModuleType] = (*KERNELS, lane_kernels)) -> Iterator[str]:
    """The constants of kernels."""
    return (f"{name} = {value}" for name, value in kernel_names(modules) if name.isupper() and isinstance(value, int))


def kernels_of_bundles() -> list[str]:
    """The kernels that take arrays in bundles (`arrays`), which Numba alone knows."""
    bundles = {name for name, value in vars(arrays).items() if inspect.isclass(value) and issubclass(value, tuple)}
    names = [*kernel_names(), *kernel_names((lane_kernels,))]
    functions = [(name, value) for name, value in names if inspect.isfunction(value) and name not in ("pack", "unpack")]
    return [name for name, value in functions if bundles & set(value.__annotations__.values())]


def kernel_texts(without: Collection[str], modules: Sequence[ModuleType] = KERNELS) -> Iterator[str]:
    """The functions of kernels, without annotations and docstrings; some are generated instead."""
    for name, value in kernel_names(modules):
        if inspect.isfunction(value) and name not in without:
            yield bare_text(value)


@cache
def bare_text(function: Callable[..., Any]) -> str:
    """A function without its annotations and its docstring."""
    return bare(parse(function)[0])
