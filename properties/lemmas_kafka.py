"""Lemmas of the Kafka model: what is true in every reachable state and makes proofs go through."""

from .property import Property

KAFKA_LEMMAS: tuple[Property, ...] = ()

KAFKA_PROOFS: dict[str, tuple[str, ...]] = {}
