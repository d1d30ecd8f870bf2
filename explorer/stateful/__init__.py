"""Stateful testing with Hypothesis: behaviours of clusters that are too large to explore.

`machine`: the rules that Hypothesis plays, over `compiling.walker`. `session`: a run from the corpus to the shrunk trace.
`corpus`: the failures of earlier runs.
"""
