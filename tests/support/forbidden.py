"""What the language of models does not have.

In functions the comment `# refused: ...` stands on the line that the error must name, and says what it must say.
"""

HALF = 0.5


def helper(s, number):
    """A proper function."""
    return number + 1


LOOP = "a loop whose range is neither numbers nor settings"
SEVERAL = "an assignment to several targets"
UNUSED = "an expression whose value is not used"
NOT_NAMED = "call of something other than a named function"
NEITHER = "is neither a model function nor an integer constant"

BODIES = {
    "while s.count < 3: s.count += 1": "While",
    "s.count = 0.5": "the constant 0.5",
    "s.name = 'leader'": "the constant 'leader'",
    "s.leader = None": "the constant None",
    "s.count = s.count / 2": "Div",
    "s.count = s.count ** 2": "Pow",
    "s.log = [1, 2]": "a list",
    "s.pair = (1, 2)": "Tuple",
    "s.table = {1: 2}": "Dict",
    "s.isr = {1, 2}": "Set",
    "s.log = [n for n in range(3)]": "a list",
    "s.log = s.log[0:2]": "Slice",
    "return s.leader in range(1, 9, 2)": "`in` with something other than a tuple of values, range(a, b), or a set,",
    "return s.leader is s.isr": "`is` with something other than a member of a Choice, where == compares,",
    "s.count = (lambda n: n)(1)": NOT_NAMED,
    "def inner(n): return n": "FunctionDef",
    "return helper(s, number=1)": "plain arguments",
    "return s.log.index(1)": NOT_NAMED,
    "s.count > 0 and helper(s, 1)": UNUSED,
    "s.count": UNUSED,
    "s.one, s.other = helper(s, 1)": SEVERAL,
    "return any([s.count])": "any of something other than a generator",
    "return min(n for n in range(3))": "min of a generator without default=",
    "return (n := s.count) > n": "NamedExpr",
    "for _ in range(s.count): s.total += 1": LOOP,
    "for slot in helper(s, 1): s.total += slot": "a loop over something other than a range",
    "for _ in range(2): s.total += 1\n    else: s.total = 0": "a loop with an else",
    "for _ in range(helper(s, 1)): s.total += 1": LOOP,
    "try: s.count += 1\n    finally: s.count += 1": "Try",
    "assert s.count < 3": "Assert",
    "del s.count": "Delete",
    "import math": "Import",
    "global LIMIT": "Global",
    "yield s.count": "Yield",
    "match s.count:\n        case 0: return True": "Match",
    "return missing(s)": f"missing {NEITHER}",
    "return NAMES": f"NAMES {NEITHER}",
    "return HALF": f"HALF {NEITHER}",
    "return s.count < WIDE": "WIDE is beyond 64 bits in uses",
    "return s.count < 18446744073709551616": "a number beyond 64 bits in uses",
}
"""What the first line of a function of `s` may not be, and what the error says of it."""

SIGNATURES = ("s, number=1", "s, *numbers", "s, *, number", "s, /, number")
"""More than plain positional parameters."""


def uses_loop_over_variable(s):
    end = s.count
    for _ in range(end):  # refused: a loop whose range is neither numbers nor settings
        s.total += 1
    return True


def uses_loop_over_parameter(s, number):
    for _ in range(number):  # refused: a loop whose range is neither numbers nor settings
        s.total += 1
    return True


def uses_float_constant(s):
    return HALF  # refused: HALF is neither a model function nor an integer constant


def calls_forbidden(s):
    return uses_float_constant(s)


def calls_itself(s, number):
    return calls_itself(s, number)


def calls_back(s):
    return calls_forth(s)


def calls_forth(s):
    return calls_back(s)


def makes_closure():
    """A function that is a closure."""
    number = 1

    def closure(s):
        return s.count + number

    return closure


def plainly(function):
    """A decorator that does nothing."""
    return function


@plainly
def is_decorated(s):
    return True
