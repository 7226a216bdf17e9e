"""The development server's configuration, from ``temporal-dev.yaml``."""

from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from agboss.errors import ConfigurationError

FILE = "temporal-dev.yaml"


class DevServerConfig(BaseModel):
    """See the file for what each key is for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ip: str = "127.0.0.1"
    port: int = 7233
    ui_port: int | None = 8233
    """``None``: no web page."""
    namespace: str = "default"
    database: str | None = None
    """``None``: in memory."""
    sqlite_pragmas: dict[str, str] = {}
    search_attributes: dict[str, str] = {
        "AgbossTenant": "Keyword",
        "AgbossThread": "Keyword",
        "AgbossStatus": "Keyword",
        "AgbossPending": "Int",
    }
    dynamic_config: dict[str, Any] = {"history.transferProcessorMaxPollRPS": 2000}

    @property
    def address(self) -> str:
        return f"{self.ip}:{self.port}"

    @property
    def ui(self) -> str | None:
        """The web page's address."""
        return None if self.ui_port is None else f"http://{self.ip}:{self.ui_port}"

    def arguments(self) -> list[str]:
        """Of ``temporal server start-dev``."""
        arguments = ["--ip", self.ip, "--port", str(self.port), "--namespace", self.namespace, "--log-level", "warn"]
        arguments += ["--headless"] if self.ui_port is None else ["--ui-ip", self.ip, "--ui-port", str(self.ui_port)]
        if self.database is not None:
            arguments += ["--db-filename", self.database]
            for name, value in self.sqlite_pragmas.items():
                arguments += ["--sqlite-pragma", f"{name}={value}"]
        for name, kind in self.search_attributes.items():
            arguments += ["--search-attribute", f"{name}={kind}"]
        for name, value in self.dynamic_config.items():
            arguments += ["--dynamic-config-value", f"{name}={value}"]
        return arguments


def read_config(path: Path) -> DevServerConfig:
    """The configuration in ``path``; the defaults where there is no such file.

    Raises:
        ConfigurationError: the file is not valid.
    """
    try:
        found = yaml.safe_load(path.read_text()) if path.exists() else None
        return DevServerConfig.model_validate(found or {})
    except (yaml.YAMLError, ValidationError) as error:
        raise ConfigurationError(f"{path} is not a valid development server's configuration: {error}") from error
