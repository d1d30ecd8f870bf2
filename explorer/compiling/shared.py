"""Several configurations that run the same code, so that it is compiled once."""

from collections.abc import Sequence

from ...model.language.actions import Model
from ...model.language.machine_code.layout import Layout
from ...model.language.reading.specialise import differing
from ...model.language.settings import Settings
from ...properties.catalogue import properties_of


class Shared:
    """Configurations whose states are laid out alike. Its attributes are the numbers that are the same in all of them."""

    def __init__(self, configs: Sequence[Settings]) -> None:
        left = differing(configs)
        self.__dict__.update({name: value for name, value in configs[0].numbers() if name not in left})


def laid_out_alike(model: Model, configs: Sequence[Settings]) -> list[tuple[Settings, ...]]:
    """The configurations in groups that can share code: those whose states are the same bytes, with as many arguments."""
    dimensions = {dimension for called in (*model.actions, *properties_of(model)) for dimension in called.dimensions}
    groups: dict[object, list[Settings]] = {}
    for config in configs:
        sizes = tuple(getattr(config, dimension) for dimension in sorted(dimensions))
        groups.setdefault((str(Layout(model, "exact", config).dtype), sizes), []).append(config)
    return [tuple(group) for group in groups.values()]
