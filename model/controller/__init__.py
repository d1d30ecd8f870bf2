"""The controller: one broker decides who leads (V3 A, B, D; I1).

`memory`: what a controller knows and loses. `decide`: publishing a decision, in one step or in three.
`broker_change`: A. `topic_change`: B. `fail_over`: D. `preferred_election`: I1. `send_commands`: A.4.
"""
