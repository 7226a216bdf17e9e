"""A receiver of webhooks over real HTTP: it keeps what came and responds as the test says."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SECRET = "whsec_" + "C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
OTHER_SECRET = "whsec_" + "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


@dataclass(frozen=True)
class Reply:
    status: int = 204
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    endless: bool = False
    """The body goes on until the other side hangs up."""
    hangs: bool = False
    """There is no response until the receiver is closed."""
    drips: bool = False
    """There is a byte of the body now and then, and no end."""


@dataclass(frozen=True)
class Post:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Hooks:
    """``replies`` are given in turn; then ``always``."""

    url: str = ""
    posts: list[Post] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    always: Reply = field(default_factory=Reply)
    connections: int = 0
    closing: threading.Event = field(default_factory=threading.Event)


@contextmanager
def receiving() -> Iterator[Hooks]:
    """A receiver on a free port of this machine."""
    hooks = Hooks()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            super().setup()
            hooks.connections += 1

        def finish(self) -> None:
            hooks.connections -= 1
            super().finish()

        def log_message(self, format: str, *args: Any) -> None:
            pass

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", "0")))
            headers = {name.lower(): value for name, value in self.headers.items()}
            hooks.posts.append(Post(self.command, self.path, headers, body))
            reply = hooks.replies.pop(0) if hooks.replies else hooks.always
            if reply.hangs:
                hooks.closing.wait(30)
                self.close_connection = True
                return
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            if reply.endless or reply.drips:
                self.send_header("connection", "close")
                self.end_headers()
                try:
                    while not hooks.closing.is_set():
                        self.wfile.write(b" " if reply.drips else b" " * 4096)
                        hooks.closing.wait(0.05 if reply.drips else 0)
                except OSError:
                    return
            if reply.status != 204:
                self.send_header("content-length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        do_GET = do_POST

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    hooks.url = f"http://127.0.0.1:{server.server_port}/hooks"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield hooks
    finally:
        hooks.closing.set()
        server.shutdown()
        server.server_close()
