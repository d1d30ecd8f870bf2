"""Faults that strike run directories, drawn by a seed: files are damaged, and processes are killed at random moments.

    python tests/faults/many.py --damages 1000 --kills 1000

Whatever happens, the run ends in the counts of an undisturbed one, or is refused in one sentence. `tests/spark/kill_runs.py` does
the same to drivers, executors and workers of Spark.
"""
