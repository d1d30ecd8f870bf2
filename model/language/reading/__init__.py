"""The text of a model, read: from the functions that a user writes to one closed, typed and checked program.

`parsed` has the syntax tree of a function, walked by `trees`; `desugared` and `desugared_statements` say in the words of the
language what is written for short. `typed_reading` makes the typed tree of it (`typed_tree`), once, and all that follows is a
visitor of that tree: `program` holds functions to the rules of the language, `plugin_checks` puts checks into what is not
Highwater's own (`arithmetic`, `shapes`, `constant_indices`), `specialise` folds a program for one configuration, and `source`
prints it as it was written; `values`, `footprint` (what an action reads and writes), `faults`, `sorts`, `sorted_text` and
`preferences` (what stands against renaming members) ask about it; machine code, provers, TLA+ and mutants are made of it.

Syntax that is not a model's function is read by `beginnings` (initial states one at a time; `beginnings_compiled`: as a
function), `deciding` (what made a property false) and `python_files`: outside this folder nothing looks into a syntax tree.
What plugins and models of one's own do wrong as they run is found by `step_checks` and `normal_form_reads`.
"""
