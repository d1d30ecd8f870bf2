"""The state under KRaft is that of the Kafka model; a type checker sees the settings of KRaft with it."""

from typing import TYPE_CHECKING

from ..state import Kafka

if TYPE_CHECKING:
    from .config import KraftConfig

    class Kraft(Kafka):
        """The whole state, configured for KRaft."""

        config: KraftConfig

else:
    Kraft = Kafka
