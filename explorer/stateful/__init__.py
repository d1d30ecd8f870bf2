"""Stateful testing with Hypothesis: behaviours of clusters that are too large to explore.

`step_kernels` and `stepper`: one compiled state that is stepped action by action. `machine`: the rules that
Hypothesis plays. `session`: a run from the corpus to the shrunk trace. `corpus`: the failures of earlier runs.
"""
