"""Instructions that an interpreter keeps elsewhere: fetched once, when a worker starts."""

from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from agboss.assembly.assembled import Assembled
from agboss.errors import ConfigurationError

FETCH_SECONDS = 10.0
"""For each address."""
LONGEST_PROMPT = 200_000
"""Bytes of one text: beyond it an address is no prompt's."""


async def fetch_prompts(assembled: Assembled) -> None:
    """Give each interpreter its instructions: its prompt, then the texts at its ``prompt_urls``, in order.

    Raises:
        ConfigurationError: a text can't be had, or httpx isn't installed.
    """
    wanted = {url for interpreter in assembled.interpreters for url in interpreter.definition.prompt_urls}
    if not wanted:
        return
    try:
        httpx: Any = import_module("httpx")
    except ImportError:
        raise ConfigurationError("prompt_urls need httpx: pip install 'agboss-temporal[prompts]'") from None
    texts: dict[str, str] = {}
    async with httpx.AsyncClient(timeout=FETCH_SECONDS, follow_redirects=True) as client:
        for url in sorted(wanted):
            texts[url] = await _fetched(httpx, client, url)
    assembled.prompt_texts.update(texts)


async def _fetched(httpx: Any, client: Any, url: str) -> str:
    host = urlsplit(url).hostname
    try:
        response = await client.get(url)
    except httpx.HTTPError as error:
        raise ConfigurationError(
            f"a prompt at {host} can't be fetched ({type(error).__name__}): check prompt_urls, and whether it can be reached"
        ) from error
    if response.status_code != 200:
        raise ConfigurationError(f"a prompt at {host} can't be fetched (status {response.status_code}): check prompt_urls")
    if len(response.content) > LONGEST_PROMPT:
        raise ConfigurationError(f"a prompt at {host} is over {LONGEST_PROMPT:,} bytes: check prompt_urls")
    text: str = response.text
    return text
