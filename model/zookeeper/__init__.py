"""ZooKeeper: the store that controllers, leaders and operators share.

`znodes`: conditional writes and ephemeral nodes. `watches`: one-shot events, seen in order and late.
`sessions`: a session may expire while its broker lives.
"""
