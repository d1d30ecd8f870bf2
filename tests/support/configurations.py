"""Settings of the Kafka model that nobody has chosen."""

from highwater.model.language.errors import UsageError

from support.kafka import KAFKA, TINY


def some_configuration(rnd):
    """(revision, configuration): up to five switches, and one to three kinds of fault, each once."""
    names = {group: [n for n, s in KAFKA.config.settings.items() if s.group == group] for group in ("switch", "fault")}
    while True:
        revision = rnd.choice(list(KAFKA.revisions))
        sizes = {"max_epoch": [1, 1, 2], "replicas": [0, 0, 1], "partitions": [1, 1, 1, 2]}
        settings = {**TINY, **{name: rnd.choice(values) for name, values in sizes.items()}}
        for name in rnd.sample(names["switch"], rnd.randint(0, 5)):
            kind = KAFKA.config.settings[name]
            settings[name] = kind.show(rnd.randint(kind.low, kind.high))
        settings |= dict.fromkeys(rnd.sample(names["fault"], rnd.randint(1, 3)), 1)
        try:
            return revision, KAFKA.configure(revision, **settings)
        except UsageError:
            continue  # settings that do not fit each other
