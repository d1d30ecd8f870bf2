"""Faults that strike runs, drawn by a seed: local ones and ones on Spark.

    python -m tests.faults --kills 1000 --flips 1000
    python -m tests.faults --engine local --damages 500 --disks 200 --writers 100 --signals 200 --seed 7
    python -m tests.faults --all --hours 1     every part in turn, for as long as it is told

Whatever happens, a run ends in the counts of an undisturbed one, or is refused in one sentence; and a level that was committed
is never lost.

    damage   what can happen to the files of a run
    runner   a warm process that forks a run whenever it is asked, so that a kill costs milliseconds
    local    the local engine: damages, kills, system calls that fail, full disks, two writers, signals
    store    runs on Spark whose object store drops, cuts, changes and loses what passes
    differential  configurations across engines, progress against networkx, flags across outputs
    commands  signals at twelve commands
    spark    the engine on Spark: damages; drivers, executors and workers that are killed
"""
