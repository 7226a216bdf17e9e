"""``agboss migrate`` and ``agboss sweep``: keeping the index in order."""

from dataclasses import asdict
from pathlib import Path

import typer

from agboss.app import App
from agboss.cli.finding import find_application
from agboss.cli.options import ApplicationOption, JsonOption
from agboss.cli.output import Output, facts, plain
from agboss.cli.running import with_app
from agboss.errors import ConfigurationError
from agboss.recovery.sweep import SweepReport
from agboss.settings import Settings


def migrated(settings: Settings) -> Path:
    """Make or upgrade the index of the settings; its file.

    Raises:
        ConfigurationError: it is one in memory, which other processes can't share.
    """
    if settings.index == "memory:":
        raise ConfigurationError(
            "AGBOSS_INDEX is memory:, an index that is gone with its process and that no other command can see; "
            "set sqlite:///path.db"
        )
    # Not at the top: it loads alembic, which would make every other command a quarter of a second slower.
    from agboss.stores.migrate import migrate as migrate_index

    return migrate_index(settings.index).absolute()


def migrate(ctx: typer.Context, json: JsonOption = False) -> None:
    """Make the pause index, or bring it to this version."""
    output: Output = ctx.obj
    path = migrated(Settings.from_environment())
    output.result({"index": str(path)}, [facts(index=path), plain("ready: it is of this version now", "green")])


def sweep(ctx: typer.Context, application: ApplicationOption = None, json: JsonOption = False) -> None:
    """Run the recovery sweep once, now. Workers do it by themselves."""
    output: Output = ctx.obj

    async def once(app: App) -> SweepReport:
        return await app.sweep()

    report = with_app(find_application(application), once, output)
    if not report.leased:
        output.result(
            asdict(report), [plain("Another sweep is at work, or ended within the last minute; this one did nothing.")]
        )
        return
    told = facts(
        answers_told_again=report.nudged,
        lost_executions_ended=report.ended,
        cancels_repeated=report.cancelled,
        questions_taken_back=report.told,
        old_records_removed=report.removed,
    )
    output.result(asdict(report), [told])
