"""What must hold, what must be reachable, and since which revision: begin with `catalogue`.

A property is a function of a state, or of two, in the language of models, so every engine can run it. Its
docstring says the claim, why a user of Kafka would care, and which golden trace breaks it.
"""
