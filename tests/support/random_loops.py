"""Random small models, as text: loops of every shape that is read for any size, alone, in each other, and behind helpers.

    python -m tests.support.random_loops FIRST LAST

compares what is proved of them for any size, each question by itself, with the unrolled questions at `SIZES`. From the seed
`UNREAD` on, actions have parts without a formula: a product, a count, a loop that returns where a product says so.
"""

import importlib.util
import random
import sys
import tempfile
from pathlib import Path

from highwater.explorer.symbolic.any_size import AnySize, Unrolled
from highwater.explorer.symbolic.induction import RANGES, Induction
from highwater.explorer.symbolic.relation import Relation
from highwater.explorer.symbolic.solving import BROKEN, PROVED
from highwater.model.language.errors import LanguageError, UsageError
from highwater.properties.property import quantified

SIZES = ((1, 1), (2, 2), (3, 3), (2, 4))
UNREAD = 10_000

HEAD = '''
from highwater.model.language import Model, Settings, State, derived, flag, integer, many, member, member_set, size
from highwater.model.members import contains, everyone, excluding, including
from highwater.properties.property import always


class Sizes(Settings):
    nodes = size(3, 1, 5, "members")
    length = size(3, 1, 6, "numbers")
    members = derived(lambda c: c.nodes)
    last = derived(lambda c: c.length - 1)


class Toy(State):
    node = member("a member")
    seen = member_set("members")
    a = integer(0, "length", "a number")
    length = integer(0, "length", "a number")
    on = flag("a flag")
    mark = many(integer(0, "length", "a mark"), "length", "marks")
    other = many(integer(0, "last", "a mark"), "length", "marks")
    sent = many(integer(0, "length", "a number"), "members", "numbers")
    cell = many(many(flag("a cell"), "length", "cells"), "length", "rows")


def first_states(config):
    state = Toy(config)
    return [state]

'''
TAIL = '''
MODEL = Model(
    state=Toy, config=Sizes, initial_states=first_states, actions=[{actions}], domains={{"node": "members", "index": "length"}},
    properties=[{claims}],
)
'''


class Writer:
    """Writes functions at random. `numbers`, `members`: the names that hold one at this place."""

    def __init__(self, seed: int) -> None:
        self.random, self.helpers = random.Random(seed), list[str]()
        self.numbers, self.members, self.indices = list[str](), list[str](), list[str]()
        self.has_unread = seed >= UNREAD

    def pick(self, *options):
        return self.random.choice(options)

    def number(self, depth=1):
        one = self.pick("s.a", "s.length", *self.numbers, *self.numbers, "0", "1", "call", "more", "mark", "sent", "size")
        one = "less" if one == "more" and self.random.random() < 0.2 else one
        if one == "mark" and self.indices:
            return f"s.{self.pick('mark', 'other')}[{self.pick(*self.indices)}]"
        if one == "sent" and self.members:
            return f"s.sent[{self.pick(*self.members)}]"
        if one in ("more", "less") and depth:
            return f"{self.pick('s.a', 's.length', 's.config.length')} {'+' if one == 'more' else '-'} 1"
        if one == "call" and depth and self.helpers:
            return f"{self.pick(*self.helpers)}(s, {self.number(0)})"
        else_ = {"size": "s.config.length", "mark": "s.a", "sent": "s.length", "more": "1", "less": "0", "call": "s.a"}
        return else_.get(one, one)

    def truth(self, depth=2):
        one = self.pick("on", "compare", "compare", "equal", "seen", "leads", "cell", "not", "and", "or")
        if one in ("and", "or", "not") and depth:
            first = self.truth(depth - 1)
            return f"not ({first})" if one == "not" else f"(({first}) {one} ({self.truth(depth - 1)}))"
        if one in ("seen", "leads") and self.members:
            who = self.pick(*self.members)
            return f"contains(s.seen, {who})" if one == "seen" else f"s.node == {who}"
        if one == "cell" and self.indices:
            return f"s.cell[{self.pick(*self.indices)}][{self.pick(*self.indices)}]"
        sign = self.pick("<", "<=", ">", ">=") if one == "compare" else self.pick("==", "!=")
        return "s.on" if one == "on" else f"{self.number()} {sign} {self.number()}"

    def loop(self, body, depth, deep=1):
        """Lines of a loop whose body `body(depth)` writes, at times in another loop."""
        is_members = self.random.random() < 0.4
        name = f"{'n' if is_members else 'p'}{depth}"
        mine = self.members if is_members else self.indices
        mine.append(name)
        if not is_members:
            self.numbers.append(name)
        size = "members" if is_members else self.pick("length", "length", "last")
        inner = self.loop(body, depth + 1, 0) if deep and self.random.random() < 0.35 else body()
        mine.remove(name)
        if not is_members:
            self.numbers.remove(name)
        return [f"for {name} in range(s.config.{size}):", *("    " + line for line in inner)]

    def fold(self, name):
        """Lines that give a name the value of a loop."""
        kind = self.pick("last", "min", "max", "constant", "truth")
        start = self.number()

        def body():
            value = {"constant": self.pick("0", "1", "s.a"), "truth": "1"}.get(kind) or (
                self.pick(*self.indices) if self.indices and self.random.random() < 0.6 else self.number()
            )
            if kind in ("min", "max"):
                value = f"{kind}({name}, {value})"
            elif kind == "last" and self.indices and self.random.random() < 0.3:
                value = f"{self.indices[-1]} + 1"
            return [f"if {self.truth(1)}:", f"    {name} = {value}"]

        return [f"{name} = {start}", *self.loop(body, 0)]

    def helper(self, number):
        """A function that gives a number."""
        self.numbers, self.members, self.indices = ["x"], [], []
        if self.random.random() < 0.5:
            found = self.pick("p0", "p0", "0", "1")  # the index, or whether there is one
            body = [f"    if {self.truth(1)}:", f"        return {found}"]
            lines = ["for p0 in range(s.config.length):", *body, f"return {self.number(0)}"]
        else:
            lines = [*self.fold("found"), "return found"]
        name = f"helper_{number}"
        text = self.function(name, "s, x", lines)
        self.helpers.append(name)
        return text

    def unread(self):
        """Lines of which a part has no formula; its value lies in the range where it is used, which is assumed of such parts."""
        kind = self.pick("index", "number", "truth", "count", "return")
        if kind == "index":
            return [self.pick("s.mark[index * 1] = s.a", "s.sent[node] = s.mark[index * 1]", "s.cell[index * 1][index] = 1")]
        if kind == "number":
            return [self.pick("s.a = s.length * 1", "s.mark[index] = s.a * 1")]
        self.indices.append("p8")
        condition = self.truth(1)
        self.indices.remove("p8")
        if kind == "truth":
            return [f"if index * 2 {self.pick('==', '<')} s.a * 2:", *("    " + line for line in self.write())]
        if kind == "count":
            counted = [f"    if {condition}:", "        count += 1"]
            return ["count = 0", "for p8 in range(s.config.length):", *counted, f"s.{self.pick('a', 'length')} = count"]
        found = [f"    if p8 * 2 == s.a * 2 and ({condition}):", f"        s.on = {self.pick('0', '1')}", "        return True"]
        return ["for p8 in range(s.config.length):", *found]

    def write(self):
        if self.has_unread and self.random.random() < 0.5:
            return self.unread()
        one = self.pick("a", "a", "on", "on", "seen", "node", "mark", "sent", "loop")
        if one in ("a", "on"):
            return [f"s.{self.pick('a', 'length')} = {self.number()}"] if one == "a" else [f"s.on = {self.pick('0', '1')}"]
        if one == "seen":
            return [f"s.seen = {self.pick('including', 'excluding')}(s.seen, node)"]
        if one == "loop":
            return self.loop(lambda: [f"if {self.truth(1)}:", f"    {self.target()} = {self.pick('0', '1', 's.a')}"], 5)
        return ["s.node = node"] if one == "node" else [f"s.{one}[{'index' if one == 'mark' else 'node'}] = {self.number()}"]

    def target(self):
        indices = self.indices[-1:] if self.indices[1:] else []
        members = self.members[-1:] if self.members[1:] else []
        some = [*(f"s.mark[{one}]" for one in indices), *(f"s.sent[{one}]" for one in members)]
        return self.pick(*some) if some else "s.mark[index]"

    def action(self, number):
        self.numbers, self.members, self.indices = ["index"], ["node"], ["index"]
        lines = [f"if {self.truth()}:", "    return False"]
        if self.random.random() < 0.6:
            lines += self.loop(lambda: [f"if {self.truth(1)}:", "    return False"], 0)
        if self.random.random() < 0.6:
            lines += self.fold("found")
            self.numbers += ["found"] * 3
        for _ in range(self.pick(1, 1, 2)):
            lines += self.write() if self.random.random() < 0.7 else [f"if {self.truth(1)}:", *("    " + x for x in self.write())]
        return self.function(f"act_{number}", "s, node, index", [*lines, "return True"])

    def claim(self, number):
        self.numbers, self.members, self.indices = ["index"], ["node"], ["index"]
        lines = []
        if self.random.random() < 0.4:
            answer = self.pick("True", "False")
            lines += [*self.loop(lambda: [f"if {self.truth(1)}:", f"    return {answer}"], 0)]
        return self.function(f"claim_{number}", "s, node, index", [*lines, f"return {self.truth()}"])

    @staticmethod
    def function(name, parameters, lines):
        return "\n".join([f"def {name}({parameters}):", '    """At random."""', *("    " + one for one in lines), "", ""])


def text_of(seed: int) -> str:
    """A model: two helpers, two actions, two claims."""
    writer = Writer(seed)
    parts = [*map(writer.helper, range(2)), *map(writer.action, range(2)), *map(writer.claim, range(2))]
    tail = TAIL.format(actions="act_0, act_1", claims="always(claim_0), always(claim_1)")
    return HEAD + "\n".join(parts) + tail


def model_of(seed: int, folder: Path):
    """The model of that text, in a file."""
    path = folder / f"random_{seed}.py"
    path.write_text(text_of(seed))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # where the text of functions is looked for
    spec.loader.exec_module(module)
    return module.MODEL


def of_any_size(model, claims, timeout):
    """What each question says by itself, where all indices lie in their arrays: else no claim is proved."""
    any_size = AnySize(model, model.config(), claims, timeout)
    if any(one.verdict != PROVED for one in any_size.claim_bounds()):
        return {}
    found = {("initially", one.name): one.verdict for one in any_size.initial()}
    for action in any_size.actions:
        step = any_size.step(action)
        places = [
            any_size._asked(place, step.enabled[:-1], any_size.assumed, holds) for place, holds in step.obligations.items()
        ]
        if all(one.verdict == PROVED for one in places):
            for name in [*(claim.name for claim in claims), RANGES]:
                found[action.name, name] = any_size.preserved(name, step, Unrolled(any_size._small)).verdict
    return found


def unrolled(model, claims, nodes, length):
    """The claims that break at a size, by action."""
    config = model.config(nodes=nodes, length=length)
    induction = Induction(Relation(model, config, claims), claims, (), 20.0, True)
    found = {("initially", one.name) for one in induction.initial() if one.verdict == BROKEN}
    for instance in induction.relation.instances(False):
        checked = induction.check(instance)
        found |= {(instance.action.name, one.name) for one in (*checked.goals, *checked.bounds) if one.verdict == BROKEN}
    return found


def disagreements(model, timeout=1.0, sizes=SIZES):
    """What is proved for any size and broken at one, and how much was proved; None for a model that is refused."""
    claims = quantified(list(model.properties), model.domains)
    try:
        found = of_any_size(model, claims, timeout)
    except (LanguageError, UsageError):
        return None
    proved = {key for key, verdict in found.items() if verdict == PROVED}
    return [(size, key) for size in sizes if proved for key in proved & unrolled(model, claims, *size)], len(proved)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as where:
        refused = compared = proved = 0
        for seed in range(int(sys.argv[1]), int(sys.argv[2])):
            said = disagreements(model_of(seed, Path(where)))
            if said is None:
                refused += 1
            else:
                compared, proved = compared + 1, proved + said[1]
                if said[0]:
                    print(seed, said[0], flush=True)
        print(f"{compared} compared, {proved} questions proved, {refused} refused")
