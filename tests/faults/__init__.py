"""Faults that strike runs, drawn by a seed: local ones and ones on Spark.

    python -m tests.faults --kills 1000 --flips 1000
    python -m tests.faults --engine local --damages 500 --disks 200 --writers 100 --signals 200 --seed 7

Whatever happens, a run ends in the counts of an undisturbed one, or is refused in one sentence; and a level that was committed
is never lost.

    damage   what can happen to the files of a run
    runner   a warm process that forks a run whenever it is asked, so that a kill costs milliseconds
    local    the local engine: damages, kills, system calls that fail, full disks, two writers, signals
    spark    the engine on Spark: damages; drivers, executors and workers that are killed
"""
