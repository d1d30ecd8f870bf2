"""How Numba compiles the functions of a text: the passes that our language needs, and machine code for entries alone.

Numba compiles each function by itself, down to machine code with all that is expanded into it, and then expands it again where it
is called. Of our functions Python calls a few, the entries; the others are only ever called from these. So an inner function is
kept as LLVM's intermediate code (`Inner`), and an entry gathers that of all functions below it, once each, is optimised as a
whole, but for functions in lanes (`simplified`), and becomes machine code (`Entry`).

Numba's usual passes also look for what our texts do not have: closures, `with`, generators, literals that are types, branches
that are dead for some types, and expressions over whole arrays.
"""

from __future__ import annotations

from typing import Any

from llvmlite.binding import (
    create_new_module_pass_manager,
    create_pass_builder,
    create_pipeline_tuning_options,
    get_process_triple,
    parse_assembly,
)
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import IRLegalization, NativeLowering, NoPythonBackend, NopythonTypeInference, PreLowerStripPhis
from numba.core.untyped_passes import (
    FixupArgs,
    GenericRewrites,
    IRProcessing,
    ReconstructSSA,
    RewriteSemanticConstants,
    TranslateByteCode,
)

from .lowering import Made, texts_of

BEFORE = (TranslateByteCode, FixupArgs, IRProcessing, RewriteSemanticConstants, GenericRewrites, ReconstructSSA)
TYPED = (NopythonTypeInference, PreLowerStripPhis, IRLegalization)


class Gathered(JITCodeLibrary):
    """The code of a function; `lowered`: what it calls that is not Numba's."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.lowered: dict[Made, None] = {}

    def _optimize_functions(self, ll_module: Any) -> None:
        """Numba optimises each function before it is linked; all of them are, once, when they are together."""


class Inner(Gathered):
    """The code of a function that only compiled functions call: no machine code is made of it alone."""

    def finalize(self) -> None:
        """Leave the code as it is: entries optimise it together with their own."""
        self._raise_if_finalized()
        self._finalized = True


class Entry(Gathered):
    """The code of a function that Python calls, and of all below it."""

    lanes = ""
    """The text of the functions in lanes that it calls."""

    def _optimize_final_module(self) -> None:
        """Once, by LLVM's second level: Numba's two rounds of the third take longer, and the code is not faster.

        Functions in lanes are optimised apart, by fewer passes, and linked afterwards: here they would take three times as long.
        """
        passes, builder = self._codegen._module_pass_manager(opt=2)
        passes.run(self._final_module, builder)
        if self.lanes:
            self._final_module.link_in(simplified(self.parsed(self.lanes), self._codegen._tm))

    def finalize(self) -> None:
        """Link, optimise and make machine code; LLVM links what is called only after its callers."""
        below: dict[Any, None] = {}
        for library in self._linking_libraries:
            gather(library, below)
        self._linking_libraries = list(reversed(below))
        lowered = {made: None for library in (self, *below) for made in getattr(library, "lowered", ())}
        if lowered:
            text, self.lanes = texts_of(lowered)
            library = Inner(self._codegen, "lowered")
            library._final_module, library._finalized = self.parsed(text), True
            self._linking_libraries.append(library)
        super().finalize()

    def parsed(self, text: str) -> Any:
        """The module of functions that are given as text."""
        module = parse_assembly(text)
        module.data_layout = self._codegen._data_layout
        module.triple = get_process_triple()
        return module


def simplified(module: Any, machine: Any) -> Any:
    """The module of functions in lanes, in which these are expanded where they are called.

    They are already vector code, without loops over memory: what is left is to put variables into registers, to write out short
    loops. Functions are made small before they are expanded; those that nobody calls then go. LLVM's NewGVN, which would compute
    equal values once, fails an assertion on some functions (v3 with two partitions), and the code is not faster with it.
    """
    passes = create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.add_instruction_combine_pass()
    passes.add_always_inliner_pass()
    passes.add_global_dead_code_eliminate_pass()
    passes.add_sroa_pass()
    passes.add_loop_rotate_pass()
    passes.add_loop_unroll_pass()
    passes.add_dead_store_elimination_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    passes.run(module, create_pass_builder(machine, create_pipeline_tuning_options()))
    return module


def gather(library: Any, into: dict[Any, None]) -> None:
    """Add a library, after those that it calls."""
    if library not in into:
        if isinstance(library, Inner):
            for step in library._linking_libraries:
                gather(step, into)
        into[library] = None


@register_pass(mutates_CFG=True, analysis_only=False)
class LoweringOfInner(NativeLowering):
    """Makes intermediate code of an inner function."""

    _name = "lowering_of_inner"

    def run_pass(self, state: Any) -> bool:
        """As Numba's, without machine code."""
        state.flags.no_compile = True
        state.library = Inner(state.targetctx.codegen(), state.func_id.func_qualname)
        super().run_pass(state)
        lowered = state["cr"]
        stands_for = list[int]().index  # Numba knows a function by what Python calls: here another one each time
        state.targetctx.insert_user_function(stands_for, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=stands_for)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class LoweringOfEntry(NativeLowering):
    """Makes machine code of an entry and all that it calls."""

    _name = "lowering_of_entry"

    def run_pass(self, state: Any) -> bool:
        """As Numba's, with a library that gathers."""
        state.library = Entry(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


class _Pipeline(CompilerBase):
    lowering: Any

    def define_pipelines(self) -> list[PassManager]:
        """The passes, in order."""
        manager = PassManager("highwater")
        for step in (*BEFORE, *TYPED, self.lowering, NoPythonBackend):
            manager.add_pass(step, step.__name__)
        manager.finalize()
        return [manager]


class InnerPipeline(_Pipeline):
    """For functions that only compiled functions call."""

    lowering = LoweringOfInner


class EntryPipeline(_Pipeline):
    """For functions that Python calls."""

    lowering = LoweringOfEntry
