"""Models of any OpenAI-compatible endpoint: OpenAI, OpenRouter, vLLM, Ollama and many more.

    models=[OpenAIModels(serves=["moonshotai/*"], base_url="https://openrouter.ai/api/v1")]

It needs the extra ``agboss-temporal[openai]``.
"""

import asyncio
import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from agboss.domain.conversation import ModelAnswer, ModelRequest
from agboss.errors import ConfigurationError

if TYPE_CHECKING:
    from agboss.models.openai_chat import Chat

KEY_VARIABLE = "OPENAI_API_KEY"
URL_VARIABLE = "OPENAI_BASE_URL"
OPENAI_URL = "https://api.openai.com/v1"
CLOSE_SECONDS = 5.0
"""How long closing waits for a loop that has other things to do."""


class OpenAIModels:
    """A ``ModelProvider`` for chat completions with tools, over HTTP. One HTTP request a call: attempts are Temporal's."""

    def __init__(
        self,
        *,
        serves: Sequence[str],
        base_url: str | None = None,
        api_key: str | None = None,
        headers: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> None:
        """
        Args:
            serves: shell-style patterns of model names, like ``moonshotai/*``.
            base_url: up to and with the ``/v1``; ``None``: ``OPENAI_BASE_URL`` at first use, else OpenAI itself.
            api_key: ``None``: ``OPENAI_API_KEY`` at first use.
            headers: sent with each request; their values are as secret as the key.
            body: added to each request, like ``{"temperature": 0}``.

        Raises:
            ConfigurationError: the extra isn't installed.
        """
        if find_spec("langchain_openai") is None:
            raise ConfigurationError("OpenAIModels needs an extra: pip install 'agboss-temporal[openai]'")
        self._serves = tuple(serves)
        self._base_url = base_url
        self._api_key = api_key
        self._headers = dict(headers or {})
        self._body = dict(body or {})
        self._chats: dict[tuple[asyncio.AbstractEventLoop, str], Chat] = {}

    def __repr__(self) -> str:
        return f"OpenAIModels(serves={list(self._serves)!r})"

    @property
    def serves(self) -> tuple[str, ...]:
        return self._serves

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        """As ``ModelProvider.complete``.

        Raises:
            ConfigurationError: there is no key, or the base URL is none.
        """
        return await (await self._chat(request.model)).complete(request)

    async def _chat(self, model: str) -> "Chat":
        """The model's client on this loop. User code's loop is replaced when somebody blocks it, and connections are bound
        to theirs."""
        key = (asyncio.get_running_loop(), model)
        if key not in self._chats:
            # The import takes seconds, in which the loop has to tick.
            module = await asyncio.to_thread(import_module, "agboss.models.openai_chat")
            # Others of this loop may have waited for the import too, and a client costs 50 ms.
            if key not in self._chats:
                for stale in [known for known in self._chats if known[0].is_closed()]:
                    self._chats.pop(stale, None)
                self._chats[key] = self._new_chat(module.Chat, model)
        return self._chats[key]

    def _new_chat(self, made: "type[Chat]", model: str) -> "Chat":
        key = self._api_key or os.environ.get(KEY_VARIABLE) or ""
        key = key.strip()
        if not key:
            raise ConfigurationError(
                f"there is no API key for models like {', '.join(self._serves)}: set {KEY_VARIABLE}, or give api_key=; "
                "any text will do where the endpoint wants none"
            )
        if not (key.isascii() and key.isprintable()):
            raise ConfigurationError(f"the API key has characters that no HTTP header can have: check {KEY_VARIABLE}")
        url = self._base_url or os.environ.get(URL_VARIABLE) or OPENAI_URL
        return made(model=model, base_url=url, host=host_of(url), api_key=key, headers=self._headers, body=self._body)

    async def aclose(self) -> None:
        """Close the HTTP connections. The provider may be used again, with new ones."""
        chats, self._chats = self._chats, {}
        here = asyncio.get_running_loop()
        for (loop, _), chat in chats.items():
            if loop is here:
                await chat.aclose()
            elif loop.is_running():
                closing = asyncio.run_coroutine_threadsafe(chat.aclose(), loop)
                await asyncio.wait([asyncio.wrap_future(closing)], timeout=CLOSE_SECONDS)


def host_of(base_url: str) -> str:
    """Host and port of a base URL, without a user or password in it.

    Raises:
        ConfigurationError: it is no ``http`` or ``https`` URL.
    """
    try:
        parts = urlsplit(base_url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigurationError(f"the model endpoint's base URL is no http:// or https:// URL: check {URL_VARIABLE}")
    return parts.hostname if port is None else f"{parts.hostname}:{port}"
