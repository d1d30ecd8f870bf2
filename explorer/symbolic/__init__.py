"""Proofs with Z3 from the model's own source.

Nothing here describes a model. `interpreter` reads the syntax trees of the plain functions that Python runs
and Numba compiles (`model.language.reading.program`), and says what they compute for all states at once, in
`terms`: truths, and bit-vectors with known bounds. `frames` keeps the calls that it is in, and copies and
compares records and arrays. `state` is a state of terms,
`relation` a model's whole transition relation, one step per action and arguments.

On that stand: `induction` (is a set of claims preserved by every action?), `needless` (which guards do the
claims imply?), `ranking` (does a goal follow, because measures decrease?), `bounded` (what is reachable within a
number of steps?), and `proof`, which puts them together for `highwater prove`. `solving` asks the questions, several at a time in
`explorer.processes`; `lookup` looks a state up among those that a run has explored. `candidates` makes
claims of a model's own words, and `houdini` keeps what of them is inductive. `tla` writes the same trees as a
module of TLA+: `tla_writer` its expressions, from `tla_words`.

For any size: `orders` has the values, `unsized` a state of functions, `quantified` reads the same trees with quantifiers for
loops, whose turns `looping` keeps, `unread` what has no formula as anything, and `initial` the initial states. `any_size` asks
the questions: `asking` puts each to Z3 in several ways, `splitting` in parts, `conditions` for each way in which conditions are
decided, with `instances` of the lemmas. `fragment` says whether a question is decidable, and `second` asks cvc5.
"""
