"""A receiver of agboss's webhooks: it keeps what is asked, and a person of this machine answers.

    python -m docs.examples.webhook_receiver serve --secrets secrets.txt       # 127.0.0.1:8090; TLS is the proxy's in front
    python -m docs.examples.webhook_receiver list
    python -m docs.examples.webhook_receiver answer 1 --approve --as desk:manager-17 --bearer bearer.txt

``secrets.txt`` has a ``whsec_…`` a line, ``bearer.txt`` what ``agboss secrets add desk --tenant acme --answers-as desk:`` gave.
"""

import argparse
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

from agboss.channels.ask_text import ask_lines
from agboss.channels.webhook import WebhookEvent, verified
from agboss.errors import WebhookUnverifiedError

LONGEST_BODY = 1_000_000


class Questions:
    """What was asked and what became of it, in a file that only its owner reads: pause ids are in it."""

    def __init__(self, file: Path) -> None:
        self._file = file
        file.touch(mode=0o600)
        with self._open() as db:
            db.execute(
                "CREATE TABLE IF NOT EXISTS event "
                "(number INTEGER PRIMARY KEY, webhook_id TEXT UNIQUE, type TEXT, pause_id TEXT, event TEXT, closed TEXT)"
            )

    def take(self, event: WebhookEvent) -> None:
        """Keep the event, once: retries and replays have its webhook id."""
        with self._open() as db:
            db.execute(
                "INSERT INTO event (webhook_id, type, pause_id, event) VALUES (?, ?, ?, ?) ON CONFLICT (webhook_id) DO NOTHING",
                [event.webhook_id, event.type, event.pause_id, event.model_dump_json()],
            )

    def waiting(self) -> dict[int, WebhookEvent]:
        """Questions that nobody answered or took back, by their numbers. One may be taken back before it comes."""
        with self._open() as db:
            rows = db.execute(
                "SELECT number, event FROM event WHERE type = 'pause.asked' AND closed IS NULL "
                "AND pause_id NOT IN (SELECT pause_id FROM event WHERE type <> 'pause.asked') ORDER BY number"
            ).fetchall()
        return {number: WebhookEvent.model_validate_json(event) for number, event in rows}

    def close(self, number: int, why: str) -> None:
        with self._open() as db:
            db.execute("UPDATE event SET closed = ? WHERE number = ?", [why, number])

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        db = sqlite3.connect(self._file)
        try:
            with db:
                yield db
        finally:
            db.close()


def answer(event: WebhookEvent, decision: dict[str, Any], *, answered_by: str, web: str, bearer: Path) -> bool:
    """Answer through ``agboss web``; whether the pause still waited. Anything else raises, and the question stays open."""
    body = {"pause_id": event.pause_id, "decision": decision, "answered_by": answered_by}
    response = httpx.post(
        f"{web}/tenants/{quote(event.tenant, safe='')}/answers",
        json=body,
        headers={"authorization": f"Bearer {bearer.read_text().strip()}"},
        trust_env=False,
    )
    if not response.is_success and response.status_code != 409:
        raise RuntimeError(f"not answered, try again: HTTP {response.status_code}")
    return response.is_success


def server(questions: Questions, secrets: list[str], *, port: int) -> ThreadingHTTPServer:
    """Only a verified POST does anything; GET and HEAD are 501."""

    class Handler(BaseHTTPRequestHandler):
        timeout = 10.0

        def do_POST(self) -> None:
            length = self.headers.get("content-length", "")
            if not length.isascii() or not length.isdigit() or int(length) > LONGEST_BODY:
                return self._respond(413)
            body = self.rfile.read(int(length))
            try:
                event = verified(dict(self.headers.items()), body, secrets)
            except WebhookUnverifiedError as error:
                self.log_message("refused: %s", error)
                return self._respond(401)
            # Kept before it is acknowledged: what raises here is retried by the sender.
            questions.take(event)
            return self._respond(204)

        def _respond(self, status: int) -> None:
            self.send_response(status)
            self.send_header("content-length", "0")
            self.end_headers()

    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


def main() -> None:
    parser = argparse.ArgumentParser(description="Keeps and answers what agboss asks by webhook")
    parser.add_argument("--questions", type=Path, default=Path("questions.db"))
    commands = parser.add_subparsers(dest="command", required=True)
    serving = commands.add_parser("serve")
    serving.add_argument("--secrets", type=Path, required=True)
    serving.add_argument("--port", type=int, default=8090)
    commands.add_parser("list")
    answering = commands.add_parser("answer")
    answering.add_argument("number", type=int)
    way = answering.add_mutually_exclusive_group(required=True)
    way.add_argument("--approve", dest="approved", action="store_true")
    way.add_argument("--reject", dest="approved", action="store_false")
    answering.add_argument("--as", dest="answered_by", required=True)
    answering.add_argument("--bearer", type=Path, required=True)
    answering.add_argument("--web", default="http://127.0.0.1:8080")
    given = parser.parse_args()
    questions = Questions(given.questions)
    if given.command == "serve":
        server(questions, given.secrets.read_text().split(), port=given.port).serve_forever()
    elif given.command == "list":
        for number, event in questions.waiting().items():
            print(f"{number}.", *ask_lines(tool=event.ask.tool, arguments=event.ask.masked_arguments), sep="\n")
    else:
        event = questions.waiting()[given.number]
        still = answer(
            event, {"approved": given.approved}, answered_by=given.answered_by, web=given.web, bearer=given.bearer
        )
        questions.close(given.number, "answered" if still else "no longer waited")
        print("answered" if still else "it doesn't wait any more")


if __name__ == "__main__":
    main()
