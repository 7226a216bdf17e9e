"""Instructions that are kept elsewhere: fetched once, when a worker starts."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from agboss import DecidedBy, reply_interpreter
from agboss.assembly.assembled import Assembled, assemble
from agboss.errors import ConfigurationError
from agboss.prompts import LONGEST_PROMPT, fetch_prompts
from tests.replies.test_assembly import application_of


@pytest.fixture
def site() -> Iterator[tuple[str, list[str]]]:
    """An address that has texts, and what it was asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            body = b"x" * (LONGEST_PROMPT + 1) if self.path == "/long" else f"The text at {self.path}.".encode()
            self.send_response(404 if self.path == "/none" else 200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}", asked
    server.shutdown()
    server.server_close()


def assembled_with(*urls: str) -> Assembled:
    @reply_interpreter(
        name="far-reply-interpreter",
        description="",
        decided_by=DecidedBy.MODEL,
        model="served/m",
        prompt="First this.",
        prompt_urls=urls,
    )
    class Far:
        pass

    return assemble(application_of(Far))


async def test_texts_are_fetched_once(site: tuple[str, list[str]]) -> None:
    """S075: the prompt, then the texts in their order; each address is asked once, and never while a reply is read."""
    url, asked = site
    assembled = assembled_with(f"{url}/b", f"{url}/a", f"{url}/b")
    await fetch_prompts(assembled)
    interpreter = assembled.interpreter("role-0-channel")
    assert interpreter is not None
    told = "First this.\n\nThe text at /b.\n\nThe text at /a.\n\nThe text at /b."
    assert [assembled.instructions(interpreter) for _ in range(2)] == [told, told]
    assert sorted(asked) == ["/a", "/b"]


@pytest.mark.parametrize(("path", "told"), [("/none?key=secret", "status 404"), ("/long", "over 200,000 bytes")])
async def test_a_text_that_is_none(site: tuple[str, list[str]], path: str, told: str) -> None:
    """S075: a worker that can't have its instructions doesn't start, and says why without the address's secrets."""
    url, _ = site
    path = path.replace("?key=secret", "")
    with pytest.raises(ConfigurationError, match=told) as raised:
        await fetch_prompts(assembled_with(url.replace("//", "//user:secret@") + path))
    assert "127.0.0.1" in str(raised.value) and "secret" not in str(raised.value)


async def test_nobody_is_there() -> None:
    """S075."""
    from agboss.devserver.process import free_port

    with pytest.raises(ConfigurationError, match="can't be fetched"):
        await fetch_prompts(assembled_with(f"http://127.0.0.1:{free_port()}/a"))
