"""Where an application finds its index and its Temporal: one frozen object that the entry point builds."""

import os
from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agboss.errors import ConfigurationError

PREFIX = "AGBOSS_"


class Settings(BaseModel):
    """Each field can be set as ``AGBOSS_<FIELD>`` in the environment (see ``from_environment``)."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    index: str = "sqlite:///.data/agboss.db"
    """Where the pause index is: ``sqlite:///relative.db``, ``sqlite:////absolute.db`` or ``memory:``."""
    temporal_address: str = "127.0.0.1:7233"
    temporal_namespace: str = "default"
    temporal_api_key: str | None = Field(default=None, repr=False)
    temporal_tls: bool = False
    task_queue: str | None = None
    """``None``: the application's name."""
    environment: str | None = None
    """Which channels take part: overrules ``Application(environment=)``."""
    max_concurrent_activities: int = Field(default=100, ge=1)
    """Steps that one worker runs at a time; at least the concurrency that is wanted."""
    max_cached_executions: int = Field(default=1_000, ge=0)
    """Executions that a worker keeps in memory; each takes about 0.1 MB. An evicted one answers about 20 ms later."""
    sweep_seconds: float = Field(default=30.0, gt=0)
    """How often the recovery sweep runs, on the application's clock."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> "Settings":
        """The settings of ``AGBOSS_*`` variables; what isn't set has its default.

        Raises:
            ConfigurationError: a variable has a value that doesn't fit; the message names it, not its value.
        """
        found = os.environ if environment is None else environment
        given = {name: found[PREFIX + name.upper()] for name in cls.model_fields if PREFIX + name.upper() in found}
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            lines = error.errors(include_input=False, include_url=False, include_context=False)
            told = "; ".join(f"{PREFIX}{str(line['loc'][0]).upper()}: {line['msg']}" for line in lines)
            raise ConfigurationError(f"the environment's settings are not valid: {told}") from None
