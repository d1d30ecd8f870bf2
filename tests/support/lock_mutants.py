"""The mutants of the toy lock, with a catalogue of its own: run as a program, it prints what becomes of each, as JSON."""

import json
import sys
from dataclasses import replace

from highwater.explorer.mutation import analysis
from highwater.explorer.mutation.record import MutantRecord
from highwater.properties.property import always, quantified, recoverable, step

from support.toys import LOCK, one_at_a_time

SIZES = [("rude", {}), ("peterson", {})]


def is_idle(s, process):
    """A process is outside, and has not asked to go in."""
    return s.process[process].place == 0


def leaves_from_inside(s, t, process):
    """Who comes to be outside was inside."""
    return t.process[process].place != 0 or s.process[process].place == 0 or s.process[process].place == 3


RULES = quantified([step(leaves_from_inside, None)], {"process": "members"})

PROPERTIES = {
    "properties_of": [always(one_at_a_time, "peterson")],
    "progress_of": [recoverable(is_idle, "peterson")],
}


def main(record, jobs=1):
    """All mutants, at both sizes; `record`: a file, or an empty name."""
    for name, properties in PROPERTIES.items():
        found = quantified(properties, {"process": "members"})
        setattr(analysis, name, lambda _, found=found: found)
    runs = analysis.MutantRuns(replace(LOCK, step_invariants=tuple(RULES)), SIZES, record=MutantRecord(record))
    explored = []
    explore = runs.explore
    runs.explore = lambda place, mutant, *rest, **named: explored.append(place) or explore(place, mutant, *rest, **named)
    results = analysis.results_of(runs, runs.mutants, jobs=jobs)
    rows = [[r.mutant.function, r.mutant.text, r.verdict, r.property, r.steps, r.size] for r in results]
    print(json.dumps([rows, explored]))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
