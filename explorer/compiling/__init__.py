"""From a model to machine code: the text that is compiled, and its surroundings.

Read `compiled` first: a model ready for an engine. `generate` writes the text; `kernels` and `hash_table` are the inner
loops, `machine_instructions` the instructions that Python has no word for, `symmetry` the tables of renamings. `lanes` and
`lane_kernels` are the same for many states at once, where the processor can do that; `order` sorts states for them.
"""
