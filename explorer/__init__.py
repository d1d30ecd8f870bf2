"""Engines that explore a model, and the command line. Nothing here knows Kafka.

    Config -> initial states -> Next -> normal form -> canonical key -> fingerprint -> visited? -> properties
                                                                                            |
                                              report <- trace <- path of predecessors <- violated

Engines: `plain` is slow and obviously correct; `local` searches breadth-first on one machine; `spark` runs the
same search on executors; `stateful` lets Hypothesis choose the steps; `symbolic` proves. What they share:
`compiling` turns a model into machine code, `budget` bounds a run, `verdict` says what a run found.

`mutation` breaks each rule of a model in turn, `harness` runs scenarios in a user's tests, `command_line` is the program.
"""
