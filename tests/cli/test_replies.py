"""`agboss answer --reply` on a real server, with a worker in a process of its own."""

import json
import secrets
from pathlib import Path

import pytest

from agboss.devserver.config import DevServerConfig
from tests.cli.conftest import Project, make_project
from tests.replies.office import EXPENSE
from tests.rig import script

pytestmark = pytest.mark.timeout(150)
START = json.dumps({"text": script([EXPENSE], "=results")})
ACME = ("--tenant", "acme", "--owner", "customer-1")


@pytest.fixture
def project(temporal: DevServerConfig, tmp_path: Path) -> Project:
    """A project whose expenses are answered in free text."""
    made = make_project(tmp_path, temporal.address)
    (tmp_path / "shop.py").write_text(
        "from pathlib import Path\n"
        "from tests.replies.worker_process import office\n"
        f"shop, _ = office('cli-{secrets.token_hex(4)}', Path(__file__).parent)\n"
    )
    return made


def test_replies_from_stdin_and_from_a_file(project: Project) -> None:
    """S064, S065: below the id on stdin, over several lines, and from a file; neither is in what is logged. R19: a whole answer
    as JSON is validated by the role."""
    (project.folder / "reply.txt").write_text("yes")
    with project.serving("worker"):
        assert project.run("run", "desk-workflow", START, *ACME, "--timeout", "40").code == 0
        (first,) = project.sent()
        done = project.run("answer", "--reply", "-", *ACME, "--json", input=f"{first}\nno,\nnot canary now\n")
        assert done.code == 0 and "rejected by customer-1" in done.document["output"]["text"]
        assert project.run("run", "desk-workflow", START, *ACME, "--timeout", "40").code == 0
        second = project.sent()[1]
        done = project.run("answer", "--reply", "@reply.txt", *ACME, "--json", input=second)
        assert (done.code, done.document["output"]) == (0, {"text": "booked pens"})
        again = project.run("answer", "--reply", "@reply.txt", *ACME, "--json", input=second)
        assert (again.code, again.document["error"]["code"]) == (3, "run.not-paused")
        assert project.run("run", "desk-workflow", START, *ACME, "--timeout", "40").code == 0
        third = project.sent()[2]
        wrong = project.run("answer", "--answer", '{"on": "2026-12-09"}', *ACME, "--json", input=third)
        assert (wrong.code, wrong.document["error"]["code"]) == (2, "dto.validation")
        (project.folder / "answer.json").write_text('{"approved": true}')
        done = project.run("answer", "--answer", "@answer.json", *ACME, "--json", input=third)
        assert (done.code, done.document["output"]) == (0, {"text": "booked pens"})
    log = (project.folder / "serving.err").read_text()
    assert "canary" not in log and first not in log and second not in log
