"""Engines that explore a model, and the command line. Nothing here knows Kafka.

    Config -> initial states -> Next -> normal form -> canonical key -> fingerprint -> visited? -> properties
                                                                                            |
                                              report <- trace <- path of predecessors <- violated

Read `breadth_first` first: the search, level by level, over shards. `compiled` is a model ready for it;
`generate` writes the text that is compiled, of the model's own functions, of `kernels` and `table_kernels` (the inner
loops) and of what follows from the kinds of the variables (`symmetry`). `visited` is memory, `budget` the
bounds, `run_directory` what is on disk, `path` the way back to a counterexample, `check` all of it together.

`plain` is the slow engine that is obviously right; `random_walk` goes where exhaustion cannot; `graph` gives the
state graph to networkx; `symbolic` proves; `measure` says how fast all this is.
"""
