"""Mutation analysis: break each rule of a model by itself, and see which property is violated."""
