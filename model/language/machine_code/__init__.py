"""From a program to machine code, whatever the program says.

`layout` is a state as an array of bytes, and as a packed key. `loader` compiles a text, in the way that `processor` chooses.
`lowering` sends functions to LLVM directly (`lowered_kinds`, `lowered_expressions`, `lowered_body`), and for many
states at once in `lowered_lanes` and `lowered_lanes_body` (`lane_values`, `lane_instructions`).
Numba compiles the others (`numba_functions`): `pipeline`, `numba_bridge`, `numba_cache`, and in `numba_private` what of its
private parts this needs.
"""
