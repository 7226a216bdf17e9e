"""``Application``: the declarations, and the two ways to bring them to life, as a client and as a worker."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from temporalio.client import Client

from agboss.app import App
from agboss.assembly.assembled import Assembled, assemble
from agboss.clocks import SystemClock
from agboss.declare.application import ApplicationDeclaration, in_environment
from agboss.events.outbox import Outbox
from agboss.ports.callers import Callers
from agboss.ports.clock import Clock
from agboss.ports.pause_index import PauseIndex
from agboss.prompts import fetch_prompts
from agboss.recovery.sweep import Sweep
from agboss.serving import Serving
from agboss.settings import Settings
from agboss.standing import Standing
from agboss.stores import callers_of, open_index
from agboss.temporal.activities.dispatch import Activities
from agboss.temporal.gateway import Gateway, TemporalGateway
from agboss.temporal.plugin import temporal_client, temporal_worker
from agboss.temporal.user_code import UserCode


class Application(ApplicationDeclaration):
    """An application of agents. See ``ApplicationDeclaration`` for its fields."""

    @asynccontextmanager
    async def connect(
        self,
        settings: Settings | None = None,
        *,
        index: PauseIndex | None = None,
        gateway: Gateway | None = None,
        clock: Clock | None = None,
    ) -> AsyncIterator[App]:
        """The facade, to execute, answer and cancel. Temporal is connected at the first call that needs it.

        Args:
            settings: ``None``: from the environment.
            index, gateway, clock: parts of your own instead of those the settings name; they stay yours to close.

        Raises:
            AssemblyError: the declarations don't fit together; nothing was connected.
            ConfigurationError: the settings are wrong.
            IndexMissingError: there is no index yet: run ``agboss migrate``.
        """
        async with _connected(self, settings, index=index, gateway=gateway, clock=clock, lazy=True) as parts:
            yield parts.app

    @asynccontextmanager
    async def serving(
        self,
        settings: Settings | None = None,
        *,
        index: PauseIndex | None = None,
        gateway: Gateway | None = None,
        clock: Clock | None = None,
        callers: Callers | None = None,
    ) -> AsyncIterator[Serving]:
        """What a server in front of the application needs, ``agboss.web`` for one; connected as by ``connect``.

        Args:
            callers: ``None``: those kept in the index.

        Raises: as ``connect``.
        """
        async with _connected(self, settings, index=index, gateway=gateway, clock=clock, lazy=True) as parts:
            yield Serving(
                app=parts.app,
                callers=callers or callers_of(parts.index),
                standing=Standing(parts.index, parts.assembled),
                clock=parts.clock,
                workflows=frozenset(parts.assembled.workflows),
                index=parts.index,
                gateway=parts.gateway,
            )

    @asynccontextmanager
    async def worker(
        self,
        settings: Settings | None = None,
        *,
        index: PauseIndex | None = None,
        clock: Clock | None = None,
    ) -> AsyncIterator[App]:
        """A worker that runs executions, delivers events and sweeps, as long as the block lasts. At its end it lets
        running steps end.

        Raises: as ``connect``, and ``TemporalUnavailableError``.
        """
        async with _connected(self, settings, index=index, gateway=None, clock=clock, lazy=False) as parts:
            longest = max((tool.timeout_seconds for tool in parts.assembled.tool_plans()), default=0.0)
            assert parts.client is not None, "a worker brings no gateway of its own"
            worker = temporal_worker(
                parts.client,
                parts.settings,
                task_queue=parts.task_queue,
                activities=parts.activities,
                longest_tool_seconds=longest,
            )
            outbox = Outbox(parts.index, parts.assembled.observers, parts.user_code)
            async with worker, asyncio.TaskGroup() as group:
                chores = [
                    group.create_task(parts.sweep.run(every=parts.settings.sweep_seconds)),
                    group.create_task(outbox.run()),
                ]
                try:
                    yield parts.app
                finally:
                    for chore in chores:
                        chore.cancel()


@dataclass(frozen=True, slots=True)
class _Parts:
    settings: Settings
    assembled: Assembled
    index: PauseIndex
    user_code: UserCode
    activities: Activities
    sweep: Sweep
    app: App
    task_queue: str
    client: Client | None
    gateway: Gateway
    clock: Clock


@asynccontextmanager
async def _connected(
    declaration: ApplicationDeclaration,
    settings: Settings | None,
    *,
    index: PauseIndex | None,
    gateway: Gateway | None,
    clock: Clock | None,
    lazy: bool,
) -> AsyncIterator[_Parts]:
    """``lazy``: Temporal is connected at the first call. A worker needs it connected, and shares its one connection."""
    settings = settings or Settings.from_environment()
    declaration = in_environment(declaration, settings.environment)
    assembled = assemble(declaration)
    clock = clock or SystemClock()
    task_queue = settings.task_queue or declaration.name
    async with AsyncExitStack() as stack:
        if not lazy:
            # Only a worker reads replies, and it must not find out at the first one.
            await fetch_prompts(assembled)
        if index is None:
            index = open_index(settings.index, clock=clock)
            stack.push_async_callback(index.close)
        await index.check()
        user_code = UserCode()
        stack.push_async_callback(user_code.close)
        # Before user code's loop ends: providers close their connections on it.
        stack.push_async_callback(assembled.close)
        client = None
        if gateway is None:
            client = await temporal_client(settings, index, lazy=lazy)
            gateway = TemporalGateway(client, task_queue=task_queue, digest_threads=declaration.digest_thread_ids)
        activities = Activities(index, assembled, user_code)
        sweep = Sweep(index, gateway, activities.withdraws, clock, retention=declaration.pause_record_retention)
        app = App(assembled, index, gateway, sweep, clock)
        yield _Parts(settings, assembled, index, user_code, activities, sweep, app, task_queue, client, gateway, clock)
