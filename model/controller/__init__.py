"""The controller: one broker decides who leads (V3 A, B, D; I1).

`memory`: what a controller knows and loses. `decide`: publishing a decision, in one step or in three.
`broker_change`: A. `topic_change`: B. `fail_over`: D. `preferred_election`: I1. `send_commands`: A.4.
`multi`: Z9. `reassignment`: F. `partition_change`: H. `topic_deletion`: B.2. `move_leaders`: M3. `placement`: J1.
`connections`: C6. `alert`: M10. `who_lives`: N9. `choices`: what releases do.
"""
