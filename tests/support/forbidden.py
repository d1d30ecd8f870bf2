"""One function for each construct that the language of models does not have.

The comment `# refused: ...` stands on the line that the error must name, and says what it must say.
"""

NAMES = ("a", "b")
HALF = 0.5
LIMIT = 3


def helper(s, number):
    """A proper function."""
    return number + 1


def uses_while(s):
    while s.count < 3:  # refused: While
        s.count += 1
    return True


def uses_break(s):
    for number in range(3):
        if number == s.count:
            break  # refused: Break
    return True


def uses_continue(s):
    for number in range(3):
        if number == s.count:
            continue  # refused: Continue
        s.count = number
    return True


def uses_float(s):
    s.count = 0.5  # refused: the constant 0.5
    return True


def uses_string(s):
    s.name = "leader"  # refused: the constant 'leader'
    return True


def uses_none(s):
    s.leader = None  # refused: the constant None
    return True


def uses_true_division(s):
    s.count = s.count / 2  # refused: Div
    return True


def uses_power(s):
    s.count = s.count**2  # refused: Pow
    return True


def uses_list(s):
    s.log = [1, 2]  # refused: List
    return True


def uses_tuple(s):
    s.pair = (1, 2)  # refused: Tuple
    return True


def uses_dictionary(s):
    s.table = {1: 2}  # refused: Dict
    return True


def uses_set(s):
    s.isr = {1, 2}  # refused: Set
    return True


def uses_comprehension(s):
    s.log = [n for n in range(3)]  # noqa: C416  # refused: ListComp
    return True


def uses_slice(s):
    s.log = s.log[0:2]  # refused: Slice
    return True


def uses_membership(s):
    return s.leader in s.isr  # refused: In


def uses_identity(s):
    return s.leader is s.isr  # refused: Is


def uses_lambda(s):
    s.count = (lambda n: n)(1)  # refused: call of something other than a named function
    return True


def uses_inner_function(s):
    def inner(n):  # refused: FunctionDef
        return n

    return inner(s.count)


def uses_default(s, number=1):  # refused: more than plain positional parameters
    return number


def uses_star(s, *numbers):  # refused: more than plain positional parameters
    return True


def uses_keyword_only(s, *, number):  # refused: more than plain positional parameters
    return number


def uses_keyword_argument(s):
    return helper(s, number=1)  # refused: plain arguments


def uses_method(s):
    return s.log.count(1)  # refused: call of something other than a named function


def uses_tuple_assignment(s):
    s.one, s.other = s.other, s.one  # refused: an assignment to several targets
    return True


def uses_chained_assignment(s):
    s.one = s.other = 1  # refused: an assignment to several targets
    return True


def uses_walrus(s):
    return (n := s.count) > n  # refused: NamedExpr


def uses_loop_over_state(s):
    for _ in range(s.count):  # refused: a loop whose range depends on the state
        s.total += 1
    return True


def uses_loop_over_array(s):
    for slot in s.log:  # refused: a loop over something other than a range
        s.total += slot
    return True


def uses_loop_with_else(s):
    for _ in range(2):  # refused: a loop with an else
        s.total += 1
    else:
        s.total = 0
    return True


def uses_loop_over_variable(s):
    end = s.count
    for _ in range(end):  # refused: a loop whose range depends on the state
        s.total += 1
    return True


def uses_loop_over_parameter(s, number):
    for _ in range(number):  # refused: a loop whose range depends on the state
        s.total += 1
    return True


def uses_loop_over_answer(s):
    for _ in range(helper(s, 1)):  # refused: a loop whose range depends on the state
        s.total += 1
    return True


def uses_try(s):
    try:  # refused: Try
        s.count += 1
    finally:
        s.count += 1
    return True


def uses_assert(s):
    assert s.count < 3  # refused: Assert
    return True


def uses_delete(s):
    del s.count  # refused: Delete
    return True


def uses_import(s):
    import math  # refused: Import

    return math


def uses_global(s):
    global LIMIT  # refused: Global
    LIMIT = 4
    return True


def uses_yield(s):
    yield s.count  # refused: Yield


def uses_match(s):
    match s.count:  # refused: Match
        case 0:
            return True


def uses_unknown_name(s):
    return missing(s)  # noqa: F821  # refused: missing is neither a model function nor an integer constant


def uses_container_constant(s):
    return NAMES  # refused: NAMES is neither a model function nor an integer constant


def uses_float_constant(s):
    return HALF  # refused: HALF is neither a model function nor an integer constant


def uses_other_builtin(s):
    return len(s.log)  # refused: len is neither a model function nor an integer constant


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
