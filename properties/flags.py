"""Names that a setting cannot have, since commands that take settings as flags have those flags already."""

from collections.abc import Iterable, Mapping

from ..model.language.actions import Model
from ..model.language.errors import UsageError

FLAGS = frozenset(
    """
    actions add against all_instances allow_incomplete any_size as_checked at beside bits bounded compiled_seconds conf
    config core_price corpus costs cvc5 deadlock depth engine enough exact exact_code executor_cores executor_disk
    executor_network executors first_violation format from function generic guards help houdini html jobs json junit
    keep keep_going kind latency length markdown master memory model most_states narrow no_symmetry notify out output plugin
    port progress proofs property quiet record release repair resume resume_from revision rules run_dir runs sarif
    seconds seed sessions set shards spark_log states steps symmetry threads timeout tla traces vary verbose version walks
    web with worker_memory
    """.split()  # noqa: SIM905 - a hundred words read better without their quotes
)
"""The flags of commands, as settings are written. A test compares them with the commands, which are loaded later than models."""


def validate_flags(brought: Iterable[Model], models: Mapping[str, Model]) -> None:
    """UsageError when a setting of the models that a plugin brought has the flag of something else.

    All models share one command line, so a switch `half` of one, which is switched off by `--no-half`, excludes a setting
    `no_half` of every model.
    """
    known = {name for model in models.values() for name in model.config.settings}
    for model in brought:
        for name in model.config.settings:
            flag = "--" + name.replace("_", "-")
            if name in FLAGS:
                about = f"the model {model.name} has a setting {name!r:.40}"
                raise UsageError(f"{about}, and {flag} is a flag of commands; rename it")
            positive = name.removeprefix("no_")
            pair = (positive, name) if positive != name else (name, f"no_{name}")
            if known.issuperset(pair):
                raise UsageError(
                    f"the model {model.name} has a setting {name!r:.40}, and --no-{pair[0].replace('_', '-')} would mean both"
                    f" {pair[0]} switched off and {pair[1]}; rename one of them"
                )
