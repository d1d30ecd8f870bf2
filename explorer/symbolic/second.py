"""A second solver, cvc5, for what Z3 has proved: a package that the extra `proofs` brings."""

from collections.abc import Sequence
from typing import Any

import z3

from ...model.language.errors import UsageError
from .solving import BROKEN, PROVED, UNKNOWN


def asked_of_cvc5(assertions: Sequence[Any], seconds: float) -> str:
    """What cvc5 says of formulas that Z3 found to contradict each other: proved, broken or unknown."""
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
    parser = package.InputParser(other)
    parser.setStringInput(package.InputLanguage.SMT_LIB_2_6, solver.to_smt2().replace("(check-sat)", ""), "question")
    symbols = parser.getSymbolManager()
    while not (command := parser.nextCommand()).isNull():
        command.invoke(other, symbols)
    found = other.checkSat()
    return PROVED if found.isUnsat() else BROKEN if found.isSat() else UNKNOWN
