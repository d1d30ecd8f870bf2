"""The text of a model, read: from the functions that a user writes to one closed, typed and checked program.

`trees` are syntax trees, `program` the functions of a model, held to the rules of the language; `desugared` and
`desugared_statements` say in its words what is written for short, and `members` are numbers. `typed_tree`, made by
`typed_reading`, is what machine code, provers, TLA+ and mutants are made from (`python_text` writes it as Python), and
`footprint` (what an action reads and writes), `faults`, `sorts` and `preferences` (what stands against renaming members).
`specialise` folds a program for one configuration, and `source` prints it as it was written. `beginnings` makes initial states
one at a time, `beginnings_compiled` as a function.

What plugins and models of one's own do wrong is found by `plugin_checks` (`arithmetic`, `constant_indices`, `shapes`, `values`),
`step_checks` and `normal_form_reads`; `deciding` finds what made a property false, and `python_files` what else is asked of a
file: outside this folder nothing looks into a syntax tree.
"""
