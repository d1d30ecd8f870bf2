"""Mutation analysis: break each rule of a model by itself, and see which property is violated.

    mutants   the mutants of a model, from its typed trees
    programs  what a mutant is at one size, as a digest
    analysis  what each mutant does: explored at small sizes, and compared with the model
    record    what was seen of mutants, in a file
"""
