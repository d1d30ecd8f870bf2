"""Highwater: a model checker and property-test harness for Kafka's ZooKeeper-era replication.

This file makes `highwater` a package like any other: Python finds one without it in a folder, but not in a wheel
that `spark-submit --py-files` puts on the path as it is.
"""
