"""Traces on real brokers: Kafka from 0.10 to 4.4, with Highwater as its controller.

A session goes through these, from the outside in: `runs` (a cluster for a trace or for many), `perform` (step, compare,
step), `steps` and `stage` (what a step is on brokers), `compare` and `explain` (the model beside what can be seen),
`walks` (random behaviours that can be forced). Below them: `cluster` (ZooKeeper and brokers), `controller` (nodes and
requests), `gated` (any cluster: brokers and gates), `gate` (what lets frames pass), `process` and `java/` (Java processes),
`wire` and `requests` (the protocol), `disk` (segments and checkpoints), `session_password`, `releases` and `artifacts`.
Under KRaft: `kraft_cluster`, `kraft_controller`, `kraft_steps`, `kraft_nodes` (processes), `schemas` (messages, from the
jars), `metadata_log`; for traces of the family `kraft` `metadata_steps`, `metadata_compare`, `isr_requests` (AlterPartition).
From brokers to the model: `logs`, `observe`, `fitting`, and under KRaft `metadata_observe`, `metadata_fitting`.
"""
