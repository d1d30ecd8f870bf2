"""ZooKeeper: the store that controllers, leaders and operators share.

`znodes`: conditional writes and ephemeral nodes. `watches`: one-shot events, seen in order and late.
`sessions`: what expires under a broker that lives on.
"""
