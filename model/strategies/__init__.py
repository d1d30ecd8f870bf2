"""ZH's two strategies of synchronisation: what is committed is on all of the ISR, or on a majority (K2, Q12).

One partition, and everything left out that the Kafka model has for the ISR: no store, no controller that may be late, no
zombie. A replica that stops, stops for all to see. What remains is the question that ZH asks: how many replicas may fail before
a committed record is lost, or nothing can be committed any more.

Read `state`, then `replication` (what both strategies share), then `by_isr` and `by_majority`; `next` has all on one page.
"""
