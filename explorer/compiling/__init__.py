"""From a model to machine code: the text that is compiled, and its surroundings.

Read `compiled` first: a model ready for an engine; `compiled_for` makes one for a request. `failure` finds where a model
failed. `generate` writes the text; `kernels`, `packing_kernels` and `hash_table` are the inner loops, `machine_instructions` the
instructions that Python has no word for, `renaming_kernels` those of symmetry. `lanes` and `lane_kernels` are the same for many
states at once, where the processor can do that; `touched` knows what need not be asked again after a step; `order` sorts
states for them, with `order_kernels`, by the variables that decide most.

    steps, checks        the actions and the properties as text
    packing              a state in a few words, as text; `ranges`: whether each variable stays in its range
    symmetry, renaming   whether symmetry is sound, and a renaming as text; `symmetry_samples`: a plugin's promise, before a run
    arrays, memory       the arrays that kernels work on, and where large ones lie
    visited, meta_words  the visited set, and from where each state was found
    beginnings           the initial states, as rows
    path                 from a finding back to a trace
    walker               one state that is stepped
    shortcuts            its path as a trace, by a shorter way if there is one
    background_compiler  compiling in a child process; `shared`: once for several configurations
"""
