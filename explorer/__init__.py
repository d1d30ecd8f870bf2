"""Engines that explore a model, and the command line. Nothing here knows Kafka.

    Config -> initial states -> Next -> normal form -> canonical key -> fingerprint -> visited? -> properties
                                                                                            |
                                              report <- trace <- path of predecessors <- violated

Engines: `plain` is slow and obviously correct; `local` searches breadth-first on one machine; `spark` runs the
same search on executors; `stateful` lets Hypothesis choose the steps; `symbolic` proves. What they share:
`compiling` turns a model into machine code, `progress` decides what happens in the end, `runs` keeps the files of a run,
`budget` bounds it, by `machine` where no memory is given, `verdict` says what it found.

`mutation` breaks each rule of a model in turn, `lattice` asks which repairs a property needs, `sweep` explores a grid of
settings, `stats` makes tables of a finished run, `bench` measures the engines. `harness` runs scenarios in a user's tests,
`command_line` is the program, `start` where it begins, `clock` when.

Modules that engines share: `request` is what to check, `config_files` what files say of it, `sources` whether all processes
have the same Highwater, `search` what is reported meanwhile and at the end, `growth` how many states are expected, `promises`
tests what a model promises. `library` checks, walks, fuzzes and proves from Python, with `results`. `files` writes files,
`trace_files` counterexamples; `processes` forks; `extras` says what is installed.
"""
