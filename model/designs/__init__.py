"""The designs before the controller, and V3 beside them: who elects, and how replicas hear of it (V1, V2, V3, K1).

V1: the replicas race to create an ephemeral node, and each watches it. V2: the same race, but what a follower does is written
by the leader into a queue in the store, one for each broker. V3: a controller decides, publishes in one node and sends requests.

What is left out: logs, truncation and high watermarks (the Kafka model has them); a controller that fails; topics that come and
go. A replica that follows a leader is taken to have what that leader has committed.

Read `state`, then `store`, then a file for each design: `race` (V1, V2), `sequence` (K1), `queue` (V2), `controller` (V3);
`isr` and `brokers` are shared. `next` has all on one page.
"""
