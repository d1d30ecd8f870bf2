"""Configurations: what people write, one sentence for what does not fit, and no change afterwards."""

import pytest
from highwater.model.config import Config as KafkaConfig
from highwater.model.language import Settings, UsageError, budget, choice, derived, size, switch
from highwater.model.language.errors import hint
from highwater.model.language.settings import changed
from highwater.properties.registry import KAFKA, PUBLISHED
from hypothesis import given
from hypothesis import strategies as st


class Config(Settings):
    brokers = size(3, 1, 7, "brokers")
    crashes = budget("crashes")
    fetch = choice(["rendezvous", "in-flight"], "how")
    fenced = switch("whether", 1)
    members = derived(lambda c: c.brokers)
    pairs = derived(lambda c: c.members * (c.members - 1))

    def check(self):
        if self.crashes > self.brokers:
            raise UsageError("crashes is more than brokers: each can crash once")


def test_defaults_and_derived_numbers():
    config = Config()
    assert (config.brokers, config.crashes, config.fetch, config.fenced) == (3, 0, 0, 1)
    assert (config.members, config.pairs) == (3, 6)
    assert dict(config.numbers()) == {"brokers": 3, "crashes": 0, "fetch": 0, "fenced": 1, "members": 3, "pairs": 6}


def test_what_people_write():
    assert Config(brokers="5", fetch="in-flight").shown() == {"brokers": 5, "crashes": 0, "fetch": "in-flight", "fenced": 1}


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({"brokers": 8}, "brokers must lie between 1 and 7, not 8"),
        ({"brokers": 0}, "brokers must lie between 1 and 7, not 0"),
        ({"brokers": -(10**30)}, "brokers must lie between 1 and 7, not a number of many digits"),
        ({"brokers": "three"}, "brokers must be a whole number from 1 to 7, not 'three'"),
        ({"brokers": "--5"}, "brokers must be a whole number from 1 to 7, not '--5'"),
        ({"brokers": 2.0}, "brokers must be a whole number from 1 to 7, not 2.0"),
        ({"brokers": True}, "brokers must be a whole number from 1 to 7, not True"),
        ({"brokers": None}, "brokers must be a whole number"),
        ({"brokers": "9" * 5000}, "brokers must be a whole number"),
        ({"brokers": [1]}, "brokers must be a whole number"),
        ({"fenced": 2}, "fenced must lie between 0 and 1"),
        ({"fetch": "teleport"}, "fetch must be one of rendezvous, in-flight, not 'teleport'"),
        ({"fetch": 1}, "fetch must be one of rendezvous, in-flight, not 1"),
        ({"fetch": ["rendezvous"]}, "fetch must be one of"),
        ({"broker": 3}, "there is no setting 'broker'; did you mean brokers?"),
        ({"crash": 3}, "there is no setting 'crash'; did you mean crashes?"),
        ({"zzz": 3}, "there is no setting 'zzz'; known are brokers, crashes, fetch, fenced"),
        ({"members": 3}, "there is no setting 'members'"),
        ({"brokers": 1, "crashes": 2}, "crashes is more than brokers"),
    ],
)
def test_bad_settings_give_one_sentence(given_, said):
    with pytest.raises(UsageError) as error:
        Config(**given_)
    text = str(error.value)
    assert said in text
    assert "\n" not in text and len(text) < 300


@given(st.dictionaries(st.sampled_from(list(KafkaConfig.settings)), st.one_of(
    st.integers(), st.text(max_size=30), st.none(), st.floats(), st.lists(st.integers(), max_size=2), st.binary(max_size=5),
), max_size=4))  # fmt: skip
def test_any_value_is_taken_or_refused_in_one_sentence(given_):
    try:
        config = KAFKA.configure("kip-320", **given_)
    except UsageError as error:
        assert "\n" not in str(error) and len(str(error)) < 400
    else:
        assert KafkaConfig(**config.shown()) == config


def test_immutable():
    config = Config()
    with pytest.raises(AttributeError, match=r"with_\(brokers="):
        config.brokers = 5
    assert config.with_(brokers=5).brokers == 5
    assert config.brokers == 3


def test_equal_configurations_are_one_key():
    assert Config(brokers=3) == Config()
    assert hash(Config(brokers=3)) == hash(Config())
    assert Config(brokers=4) != Config()
    assert len({Config(), Config(brokers=3), Config(brokers=4)}) == 2


def test_changed_lists_only_differences():
    assert changed(Config(brokers=5, fetch="in-flight"), Config()) == {"brokers": 5, "fetch": "in-flight"}
    assert changed(Config(), Config()) == {}


def test_unknown_setting_is_an_attribute_error():
    with pytest.raises(AttributeError, match="there is no setting nothing"):
        _ = Config().nothing


@pytest.mark.parametrize("model", [KAFKA, PUBLISHED], ids=lambda m: m.name)
def test_every_revision_can_be_configured(model):
    for name in model.revisions:
        config = model.configure(name)
        assert config.shown() == {**config.shown(), **model.revisions[name].settings}


def test_of_many_names_a_sentence_has_the_first():
    names = [f"name{number}" for number in range(30)]
    assert hint("zzz", names).endswith("name18, name19 and 10 more") and "name20" not in hint("zzz", names)
    assert hint("zzz", names[:20]).endswith("name18, name19")
    assert hint("name29", names) == "did you mean name29?"


class Fixed(Config):
    brokers = derived(lambda c: 2)
    pairs = size(1, 1, 3, "pairs that are looked at")


def test_a_class_below_fixes_a_setting_or_makes_one_of_what_is_fixed():
    config = Fixed(pairs=3)
    assert (config.brokers, config.members, config.pairs) == (2, 2, 3)
    assert list(config.shown()) == ["crashes", "fetch", "fenced", "pairs"]
    with pytest.raises(UsageError, match="there is no setting 'brokers'"):
        Fixed(brokers=3)
    assert Config().members == 3
