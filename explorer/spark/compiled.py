"""The module in which the functions of `kernels` run compiled."""

from functools import cache

from ...model.language.machine_code.loader import Loaded
from ..compiling import meta_words
from ..progress.compiled import compiled_loops
from . import kernels

ENTRIES = ("second_words", "route", "collect", "rehome", "in_order", "pick", "mark_known")


@cache
def loops(width: int, key_words: int = 0) -> Loaded:
    """The module for fingerprints of `width` words and keys of `key_words`; for keys of any size where this is not given."""
    sizes = {"width_of": width, **({"words_of": key_words} if key_words else {})}
    called = meta_words.action_code, meta_words.parent_index
    return compiled_loops("spark", kernels, (meta_words,), called, ENTRIES, sizes)
