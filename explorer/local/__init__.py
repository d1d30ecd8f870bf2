"""The search on one machine: breadth-first, level by level, and random walks.

Read `breadth_first` first, then `compiling.visited` (memory), `run_directory` (disk), `compiling.path` (the path back to a
counterexample) and `check` (from a request to an outcome). `race` explores while the compiler works, with the kernels
of `uncompiled`. `sorting` says in which order a level is expanded. `edges` finds the steps of a finished search again, for
`progress`: what can or must happen in the end.
`random_walk` goes where exhaustion cannot.
"""
