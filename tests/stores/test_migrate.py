"""Making an index file."""

import asyncio
import multiprocessing
import sqlite3
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine

from agboss.clocks import SystemClock
from agboss.errors import ConfigurationError, IndexSchemaError, IndexUnavailableError
from agboss.stores import open_index
from agboss.stores.migrate import migrate
from agboss.stores.schema import metadata

LEDGER = "ledger"
"""Has no rows of its own yet: only the schema knows it."""


def test_the_schema_is_what_the_statements_expect(tmp_path: Path) -> None:
    """Alembic finds no difference between what the migrations made and what the statements are built for."""
    path = migrate(f"sqlite:///{tmp_path / 'index.db'}")
    engine = create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        found = compare_metadata(context, metadata())
    engine.dispose()
    assert [change for change in found if LEDGER not in repr(change)] == []


def test_migrating_again_changes_nothing(tmp_path: Path) -> None:
    """Idempotent: an index that is up to date stays as it is; folders are made."""
    url = f"sqlite:///{tmp_path / 'deep' / 'folder' / 'index.db'}"
    path = migrate(url)

    def schema() -> list[tuple[str]]:
        with sqlite3.connect(path) as connection:
            return connection.execute("SELECT sql FROM sqlite_master ORDER BY name").fetchall()

    before = schema()
    assert migrate(url) == path and schema() == before


def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    """Invariant 5: who can read the file can answer its pauses, so nobody else may; a file that is there keeps its mode."""
    path = migrate(f"sqlite:///{tmp_path / 'index.db'}")
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o640)
    migrate(f"sqlite:///{path}")
    assert path.stat().st_mode & 0o777 == 0o640


def _migrate(url: str) -> None:
    migrate(url)


def test_several_processes_migrate_at_once(tmp_path: Path) -> None:
    """Three that start together: one makes the schema, the others find it; none fails."""
    url = f"sqlite:///{tmp_path / 'index.db'}"
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_migrate, args=(url,)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]


def test_a_migration_happens_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that fails on its way leaves no table behind, and the next one works."""
    from alembic.operations import Operations

    url = f"sqlite:///{tmp_path / 'index.db'}"

    def fail(*_: object, **__: object) -> None:
        raise OSError("no space")

    monkeypatch.setattr(Operations, "create_index", fail)
    with pytest.raises(IndexUnavailableError, match="disk"):
        migrate(url)
    with sqlite3.connect(tmp_path / "index.db") as connection:
        assert connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
    monkeypatch.undo()
    migrate(url)


def test_another_versions_file_is_left_alone(tmp_path: Path) -> None:
    """A schema this version doesn't know is IndexSchemaError, and stays as it is."""
    path = migrate(f"sqlite:///{tmp_path / 'index.db'}")
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = 'from-the-future'")
    with pytest.raises(IndexSchemaError, match="another version"):
        migrate(f"sqlite:///{path}")
    index = open_index(f"sqlite:///{path}", clock=SystemClock())
    with pytest.raises(IndexSchemaError, match="from-the-future"):
        asyncio.run(index.check())


def test_a_file_that_can_not_be_made(tmp_path: Path) -> None:
    """A folder in the place of the file, a file in the place of its folder, a file of somebody else's format."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_bytes(b"this is no database at all" * 100)
    for place in ("folder", "file/index.db", "file"):
        with pytest.raises(IndexUnavailableError, match=place):
            migrate(f"sqlite:///{tmp_path / place}")
    assert (tmp_path / "file").read_bytes() == b"this is no database at all" * 100


@pytest.mark.parametrize("url", ["", "sqlite://", "sqlite:///", "postgresql://localhost/agboss", "index.db"])
def test_a_url_that_no_store_has(url: str) -> None:
    """ConfigurationError names the forms that are known; nothing is made."""
    for call in (migrate, lambda given: open_index(given, clock=SystemClock())):
        with pytest.raises(ConfigurationError, match=r"sqlite:///relative\.db"):
            call(url)
