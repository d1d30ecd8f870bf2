"""Whole models at random, written in the language of models: every kind of variable, parameter, property and statement."""

import random

from highwater.model.language.errors import UsageError
from highwater.properties.plugins import models_with

NUMBERS = {
    "integer(0, 'top', 'a number')": ("0", "s.config.top"),
    "integer(-2, 3, 'a number')": ("-2", "3"),
    "integer(-130, 3, 'a wide number')": ("-130", "3"),
    "integer(0, 300, 'a wide number')": ("0", "300"),
}
"""Declarations of numbers, and their bounds."""

KINDS = {"number": list(NUMBERS), "flag": ["flag('a flag')"], "member": ["member('a member')"], "set": ["member_set('a set')"]}
"""The declarations of each kind of variable."""

PLACES = (
    "s.first", "s.second", "s.node[{m}].own", "s.node[{m}].other", "s.node[{m}].item[{k}].value", "s.node[{m}].head.value",
    "s.grid[{m}][{k}]",
)  # fmt: skip
"""Every variable; `m` and `k` stand for a member and a slot."""

HEAD = '''"""A model that nobody has thought of."""

from highwater.model.language import (
    MEMBERS, NO_MEMBER, Model, Record, Revision, Settings, State, actions, budget, choice, derived, flag, integer, many, member,
    member_set, no_asymmetry, one, size, switch,
)
from highwater.model.language.steps import Rule
from highwater.properties.extended import extended
from highwater.properties.property import always, sometimes, step

DOMAINS = {"node": MEMBERS, "other": MEMBERS, "slot": "slots"}


class Config(Settings):
    nodes = size(2, 1, 3, "nodes")
    slots = size(2, 1, 3, "slots")
    top = size(2, 0, 9, "the highest number")
    faults = budget("faults", 1)
    on = switch("a switch")
    way = choice(["one", "two"], "a choice")
    members = derived(lambda c: c.nodes)


def least(a, b):
    if a > b:
        return b - 1
    return a


def has(some, node):
    return some >> node & 1 == 1


def size_of(s, some):
    found = 0
    for node in range(s.config.members):
        if has(some, node):
            found += 1
    return found


def normal(s):
    s.unread = 0


'''

STATE = """class Item(Record):
    value = {value}


class Node(Record):
    own = {own}
    other = {other}
    item = many(Item, "slots", "items")
    head = one(Item, "an item")


class Whole(State):
    first = {first}
    second = {second}
    node = many(Node, MEMBERS, "nodes")
    grid = many(many({grid}, "slots"), MEMBERS, "a grid")
    paid = integer(0, "faults", "faults so far")
    unread = integer(0, 3, "what no one reads", normal_high=0)


def begin(config):
    one, two = Whole(config), Whole(config)
    two.paid = config.faults
    return [one, two]


"""

FOOT = """CLAIMS = [{claims}]
MODEL = Model(
    name="random", title="A random model", state=Whole, config=Config, initial_states=begin, normal_form=normal,
    actions=actions(DOMAINS, [{actions}]), revisions={{"only": Revision("only", "there is one", {{}})}},
    capacities={{"small": {{MEMBERS: 3, "slots": 3}}}}, domains=DOMAINS, asymmetry=no_asymmetry,
)


def register(models):
    return [extended(MODEL, properties=CLAIMS, symmetric={symmetric})]
"""


class Writer:
    """Writes one model. In a `symmetric` one, members are compared, kept, counted and used as indices, and nothing else."""

    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.symmetric = self.dice.random() < 0.5
        self.declared = {name: self.declaration() for name in ("value", "own", "other", "first", "second", "grid")}
        self.kinds = {place: self.declared[self.field(place)] for place in PLACES}
        self.variables = 0

    def declaration(self):
        """(kind, declaration) of a variable."""
        kind = self.dice.choice(["number", "number", "flag", "member", "set"])
        return kind, self.dice.choice(KINDS[kind])

    @staticmethod
    def field(place):
        """The name under which the kind of a place is declared."""
        return next((name for name in ("value", "own", "other", "first", "second") if place.endswith(name)), "grid")

    # Expressions; `scope` has the names that are known, and what each is.

    def names(self, scope, kind):
        """The names of this kind."""
        return [name for name, other in scope.items() if other == kind]

    def place(self, scope, kinds, state="s"):
        """A variable of one of these kinds; None when there is none that the scope can reach."""
        members = self.names(scope, "member")
        members += [] if self.symmetric else [f"({self.simple(scope)} & 7) % s.config.members"]
        slots = [*self.names(scope, "slot"), "0", f"max(0, {self.simple(scope)}) % s.config.slots"]
        known = [place for place, (kind, _) in self.kinds.items() if kind in kinds and (members or "{m}" not in place)]
        if not known:
            return None
        chosen = self.dice.choice(known)
        return state + chosen.format(m=self.dice.choice(members or ["0"]), k=self.dice.choice(slots))[1:]

    def simple(self, scope):
        """A number without variables of the state."""
        names = [*self.names(scope, "number"), *self.names(scope, "slot")]
        names += [] if self.symmetric else self.names(scope, "member")
        return self.dice.choice([*names, str(self.dice.randint(-3, 4)), "s.config.top", "s.config.on"])

    def number(self, scope, depth=2):
        """A number of a few digits."""
        dice, part = self.dice, lambda: self.number(scope, depth - 1)
        if depth == 0 or dice.random() < 0.3:
            return (dice.random() < 0.6 and self.place(scope, ("number", "flag"))) or self.simple(scope)
        forms = [
            lambda: f"({part()} {dice.choice('+-&|^')} {part()})",
            lambda: f"({part()} * {dice.randint(-2, 3)})",
            lambda: f"({part()} {dice.choice(['%', '//'])} {dice.choice(['2', '3', '-2'])})",
            lambda: f"({part()} >> {dice.randint(0, 2)})",
            lambda: f"{dice.choice(['min', 'max', 'least'])}({part()}, {part()})",
            lambda: f"({part()} if {self.test(scope, depth - 1)} else {part()})",
            lambda: f"({part()} {dice.choice(['and', 'or'])} {part()})",
            lambda: f"({self.test(scope, depth - 1)} + {part()})",
            lambda: f"(~{part()})",
            lambda: f"size_of(s, {self.members(scope)})",
        ]
        return dice.choice(forms)()

    def member(self, scope):
        """A member or NO_MEMBER."""
        return self.dice.choice([*self.names(scope, "member"), self.place(scope, ("member",)) or "NO_MEMBER", "NO_MEMBER"])

    def members(self, scope):
        """A set of members."""
        mine, some = self.names(scope, "member"), self.place(scope, ("set",)) or "0"
        forms = [some, f"({some} & {self.place(scope, ('set',)) or '1'})" if not self.symmetric else some]
        forms += [f"({some} {self.dice.choice(['|', '^', '& ~'])}(1 << {node}))" for node in mine]
        return self.dice.choice(forms)

    def test(self, scope, depth=1):
        """A truth."""
        dice = self.dice
        if depth and dice.random() < 0.4:
            joined = f" {dice.choice(['and', 'or'])} ".join(self.test(scope, depth - 1) for _ in range(dice.randint(2, 3)))
            return dice.choice([f"({joined})", f"(not ({joined}))"])
        forms = [
            f"({self.number(scope, depth)} {dice.choice(['<', '<=', '==', '!=', '>', '>='])} {self.number(scope, depth)})",
            f"({self.member(scope)} {dice.choice(['==', '!='])} {self.member(scope)})",
            f"({self.members(scope)} {dice.choice(['==', '!='])} {self.members(scope)})",
            dice.choice(["s.config.way == 1", "s.config.on"]),
        ]
        return dice.choice([*forms, *(f"has({self.members(scope)}, {node})" for node in self.names(scope, "member"))])

    # Statements.

    def write(self, scope, pad):
        """A variable gets a value within its range."""
        dice, kind = self.dice, self.dice.choice(["number", "number", "flag", "member", "set"])
        place = self.place(scope, (kind,))
        if place is None:
            return [f"{pad}pass"]
        if kind == "number":
            low, high = NUMBERS[self.declared[self.field(place)][1]]
            grows = [f"{pad}if {place} < {high}:", f"{pad}    {place} += 1"]
            return dice.choice([grows, grows, [f"{pad}{place} = max({low}, min({high}, {self.number(scope)}))"]])
        if kind == "flag":
            return [f"{pad}{place} = {dice.choice([f'1 - {place}', f'1 if {self.test(scope)} else 0', '1'])}"]
        value = self.member(scope) if kind == "member" else self.members(scope)
        return [f"{pad}{place} = {value}"]

    def block(self, scope, pad, depth=2):
        """Some statements; what they name is known in them alone."""
        scope, lines = dict(scope), []
        for _ in range(self.dice.randint(1, 3)):
            form = self.dice.choice(["write", "write", "write", "if", "for", "name", "record"] if depth else ["write"])
            self.variables += 1
            name = f"v{self.variables}"
            if form == "if":
                lines += [f"{pad}if {self.test(scope)}:", *self.block(scope, pad + "    ", depth - 1)]
                lines += [f"{pad}else:", *self.block(scope, pad + "    ", depth - 1)] if self.dice.random() < 0.4 else []
            elif form == "for":
                over = "slot" if self.symmetric or self.dice.random() < 0.5 else "member"
                lines += [f"{pad}for {name} in range(s.config.{over}s):"]
                lines += self.block({**scope, name: over}, pad + "    ", depth - 1)
            elif form == "name":
                lines, scope = [*lines, f"{pad}{name} = {self.number(scope)}"], {**scope, name: "number"}
            elif form == "record" and self.names(scope, "member") and self.kinds[PLACES[2]][0] == "flag":
                lines += [f"{pad}{name} = s.node[{self.names(scope, 'member')[0]}]", f"{pad}{name}.own = 1 - {name}.own"]
            else:
                lines += self.write(scope, pad)
        return lines

    # Functions.

    def parameters(self):
        """Names of parameters, and what each is; symmetric ones have a member."""
        given = self.dice.sample(["node", "other", "slot"], self.dice.randint(0, 3))
        given += ["node"] if self.symmetric and not {"node", "other"} & set(given) else []
        return {name: "slot" if name == "slot" else "member" for name in given}

    def action(self, name, scope):
        """An action."""
        lines = [f"def {name}({', '.join(['s', *scope])}):", f'    """{name}."""']
        scope, pays = dict(scope), self.dice.random() < 0.2
        lines += ["    if s.paid >= s.config.faults:", "        return False"] if pays else []
        for _ in range(self.dice.choice([0, 0, 1])):
            lines += [f"    if {self.test(scope)}:", "        return False"]
        kept = self.place(scope, ("member",))
        if kept and self.dice.random() < 0.4:
            lines += [f"    him = {kept}", "    if him == NO_MEMBER:", "        return False"]
            scope["him"] = "member"
        lines += ["    s.paid += 1"] if pays else []
        lines += ["    s.unread = 3", *self.write(scope, "    "), *self.block(scope, "    ")]
        if self.dice.random() < 0.2:
            lines += [f"    if {self.test(scope)}:", "        return True", *self.write(scope, "    ")]
        return [*lines, "    return True"]

    def claim(self, name, over_steps):
        """A property."""
        scope = self.parameters()
        lines = [f"def {name}({', '.join(['s', *(['t'] if over_steps else []), *scope])}):", f'    """{name}."""']
        place = self.place(scope, ("number", "flag")) if over_steps else None
        if place:
            after = place.replace("s.", "t.", 1)
            return [*lines, f"    return {self.test(scope)} or {after} {self.dice.choice(['<=', '>=', '=='])} {place}"]
        return [*lines, f"    if {self.test(scope)}:", f"        return {self.test(scope)}", f"    return {self.test(scope)}"]

    def text(self):
        """The whole module."""
        parts, shared = [], self.parameters()
        names = [f"act_{letter}" for letter in "abcde"[: self.dice.randint(3, 5)]]
        for name in (*names, "first_way", "second_way"):
            parts.append(self.action(name, shared if name.endswith("way") else self.parameters()))
        parts.append([f"by_way = Rule('by_way', 'way', [{self.dice.choice(['first_way, second_way', 'first_way, None'])}])"])
        claims = []
        for kind, over_steps in (("always", False), ("always", False), ("step", True), ("step", True), ("sometimes", False)):
            claims.append(f"claim_{'abcde'[len(claims)]}")
            parts.append(self.claim(claims[-1], over_steps))
            claims[-1] = f"{kind}({claims[-1]}, since='only')"
        body = "\n\n\n".join("\n".join(lines) for lines in parts)
        foot = FOOT.format(claims=", ".join(claims), actions=", ".join([*names, "by_way"]), symmetric=self.symmetric)
        state = STATE.format(**{name: text for name, (_, text) in self.declared.items()})
        return f"{HEAD}{state}{body}\n\n\n{foot}"


def random_model(seed, folder):
    """(model, whether members can be renamed), registered as a plugin that lies in a folder of `sys.path`."""
    writer, name = Writer(seed), f"random_model_{seed}"
    (folder / f"{name}.py").write_text(writer.text())
    try:
        return models_with((name,))["random"], writer.symmetric
    except UsageError as error:
        raise AssertionError(f"the model of seed {seed} is refused: {error}") from None
