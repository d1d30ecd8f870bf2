"""A second solver, cvc5, for what Z3 has proved: a package that the extra `proofs` brings.

Its proofs can be written down (Alethe) beside their questions (SMT-LIB), for a checker that shares nothing with either solver:

    carcara check --allow-int-real-subtyping --expand-let-bindings --rare-file DIR/rewrites.rare DIR/1f.alethe DIR/1f.smt2
"""

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import z3

from ...model.language.errors import UsageError
from ..files import write_file
from .solving import BROKEN, PROVED, UNKNOWN

REWRITES = """
(declare-rare-rule eq-symm ((@T Type) (t @T) (s @T)) :args (t s) :premises () :conclusion (= (= t s) (= s t)))
(declare-rare-rule eq-refl ((@T Type) (t @T)) :args (t) :premises () :conclusion (= (= t t) true))
(declare-rare-rule bool-double-not-elim ((t Bool)) :args (t) :premises () :conclusion (= (not (not t)) t))
(declare-rare-rule bool-impl-elim ((t Bool) (s Bool)) :args (t s) :premises () :conclusion (= (=> t s) (or (not t) s)))
(declare-rare-rule bool-and-de-morgan ((@L Type) (x Bool) (y Bool) (zs @L :list)) :args (x y zs) :premises ()
  :conclusion (= (not (and x y zs)) (or (not x) (not (and y zs)))))
(declare-rare-rule bool-or-de-morgan ((@L Type) (x Bool) (y Bool) (zs @L :list)) :args (x y zs) :premises ()
  :conclusion (= (not (or x y zs)) (and (not x) (not (or y zs)))))
(declare-rare-rule bool-and-de-morgan-of-two ((x Bool) (y Bool)) :args (x y) :premises ()
  :conclusion (= (not (and x y)) (or (not x) (not y))))
(declare-rare-rule bool-or-de-morgan-of-two ((x Bool) (y Bool)) :args (x y) :premises ()
  :conclusion (= (not (or x y)) (and (not x) (not y))))
(declare-rare-rule bool-eq-true ((t Bool)) :args (t) :premises () :conclusion (= (= t true) t))
(declare-rare-rule bool-eq-false ((t Bool)) :args (t) :premises () :conclusion (= (= t false) (not t)))
(declare-rare-rule bool-not-ite-elim ((c Bool) (x Bool) (y Bool)) :args (c x y) :premises ()
  :conclusion (= (not (ite c x y)) (ite c (not x) (not y))))
(declare-rare-rule eq-ite-lift ((@T Type) (c Bool) (t @T) (s @T) (r @T)) :args (c t s r) :premises ()
  :conclusion (= (= (ite c t s) r) (ite c (= t r) (= s r))))
(declare-rare-rule ite-true-cond ((@T Type) (x @T) (y @T)) :args (x y) :premises () :conclusion (= (ite true x y) x))
(declare-rare-rule ite-false-cond ((@T Type) (x @T) (y @T)) :args (x y) :premises () :conclusion (= (ite false x y) y))
(declare-rare-rule ite-then-true ((c Bool) (x Bool)) :args (c x) :premises () :conclusion (= (ite c true x) (or c x)))
(declare-rare-rule ite-then-false ((c Bool) (x Bool)) :args (c x) :premises () :conclusion (= (ite c false x) (and (not c) x)))
(declare-rare-rule ite-else-true ((c Bool) (x Bool)) :args (c x) :premises () :conclusion (= (ite c x true) (or (not c) x)))
(declare-rare-rule ite-else-false ((c Bool) (x Bool)) :args (c x) :premises () :conclusion (= (ite c x false) (and c x)))
(declare-rare-rule ite-not-cond ((@T Type) (c Bool) (x @T) (y @T)) :args (c x y) :premises ()
  :conclusion (= (ite (not c) x y) (ite c y x)))
(declare-rare-rule ite-eq-branch ((@T Type) (c Bool) (x @T)) :args (c x) :premises () :conclusion (= (ite c x x) x))
(declare-rare-rule bool-or-taut ((@K Type) (@L Type) (@M Type) (xs @K :list) (w Bool) (ys @L :list) (zs @M :list))
  :args (xs w ys zs) :premises () :conclusion (= (or xs w ys (not w) zs) true))
(declare-rare-rule bool-or-taut2 ((@K Type) (@L Type) (@M Type) (xs @K :list) (w Bool) (ys @L :list) (zs @M :list))
  :args (xs w ys zs) :premises () :conclusion (= (or xs (not w) ys w zs) true))
(declare-rare-rule ite-eq ((@T Type) (c Bool) (t @T) (s @T)) :args (c t s) :premises ()
  :conclusion (= (ite c (= (ite c t s) t) (= (ite c t s) s)) true))
"""
"""cvc5's rewrites that the proofs use, as the checker reads them."""

OF_TWO = re.compile(r'"bool-(and|or)-de-morgan" (.*) rare-list\)\)')
"""De Morgan's rule where nothing is left for its list: the checker has it as a rule of its own."""


def asked_of_cvc5(assertions: Sequence[Any], seconds: float, proofs: Path | None = None) -> str:
    """What cvc5 says of formulas that Z3 found to contradict each other: proved, broken or unknown. `proofs`: where proofs go."""
    try:
        import cvc5  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise UsageError("--cvc5 needs the package cvc5: pip install 'highwater-kafka[proofs]'") from None
    solver = z3.Solver()
    solver.add(*assertions)
    package: Any = cvc5
    other = package.Solver()
    other.setLogic("ALL")
    other.setOption("tlimit-per", str(int(seconds * 1000)))
    other.setOption("full-saturate-quant", "true")
    if proofs is not None:
        other.setOption("produce-proofs", "true")
    parser, text = package.InputParser(other), solver.to_smt2()
    parser.setStringInput(package.InputLanguage.SMT_LIB_2_6, text.replace("(check-sat)", ""), "question")
    symbols = parser.getSymbolManager()
    while not (command := parser.nextCommand()).isNull():
        command.invoke(other, symbols)
    found = other.checkSat()
    if proofs is not None and found.isUnsat():
        proof = other.proofToString(other.getProof()[0], package.ProofFormat.ALETHE)
        written, name = proof.decode() if isinstance(proof, bytes) else proof, hashlib.sha256(text.encode()).hexdigest()[:16]
        written = OF_TWO.sub(r'"bool-\1-de-morgan-of-two" \2))', written)
        for file, content in {"rewrites.rare": REWRITES, f"{name}.smt2": text, f"{name}.alethe": written}.items():
            write_file(str(proofs / file), content)
    return PROVED if found.isUnsat() else BROKEN if found.isSat() else UNKNOWN
