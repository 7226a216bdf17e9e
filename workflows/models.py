"""Which model an agent of the office talks to: the endpoint of the environment's where there is one, else the script's."""

import os


def has_endpoint() -> bool:
    """OPENAI_BASE_URL and OPENAI_API_KEY are both set."""
    return bool(os.environ.get("OPENAI_BASE_URL") and os.environ.get("OPENAI_API_KEY"))


def has_decisions() -> bool:
    """TYPESAFE_API_KEY is set."""
    return bool(os.environ.get("TYPESAFE_API_KEY"))


def model(name: str) -> str:
    """OPENAI_MODEL, where it is set beside an endpoint; else ``name``."""
    return os.environ.get("OPENAI_MODEL") or name if has_endpoint() else name
