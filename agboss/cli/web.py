"""``agboss web``: answers over HTTP, until it is told to end."""

from typing import Annotated

import typer

from agboss.cli.finding import find_application
from agboss.cli.options import ApplicationOption, JsonOption
from agboss.cli.output import Output, facts, plain
from agboss.cli.running import run_async
from agboss.errors import ConfigurationError
from agboss.settings import Settings

_USUAL_RATE = 50.0


def web(
    ctx: typer.Context,
    host: Annotated[str, typer.Option("--host", metavar="IP", help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0: any that is free.")] = 8080,
    behind_tls: Annotated[
        bool, typer.Option("--behind-tls", help="A proxy in front speaks TLS: allow addresses that others can reach.")
    ] = False,
    rate: Annotated[
        float, typer.Option("--rate", min=0.1, help="Requests a second for each caller, on average.")
    ] = _USUAL_RATE,
    application: ApplicationOption = None,
    json: JsonOption = False,
) -> None:
    """Serve answers over HTTP until Ctrl-C or SIGTERM; requests under way may end first. See `agboss secrets` for callers."""
    output: Output = ctx.obj
    try:
        from agboss.web import server
        from agboss.web.app import create_web
        from agboss.web.limits import Limits
    except ModuleNotFoundError as error:
        raise ConfigurationError("`agboss web` needs pip install 'agboss-temporal[web]'") from error
    declared, settings = find_application(application), Settings.from_environment()
    at = server.bound(host, port, behind_tls=behind_tls)
    url = f"http://{f'[{host}]' if ':' in host else host}:{at.getsockname()[1]}"

    def ready() -> None:
        document = {"application": declared.name, "url": url, "openapi": f"{url}/openapi.json"}
        output.result(document, [facts(**document), plain("ready; Ctrl-C ends it", "green")])

    async def serve() -> None:
        async with declared.serving(settings) as serving:
            if not await serving.callers.list():
                output.note("nobody is let in yet: every request is 401 until `agboss secrets add` makes a caller")
            limits = Limits(per_second=rate, burst=max(1, round(2 * rate)))
            await server.serve(create_web(serving, limits), at, on_ready=ready, on_end=lambda: output.note("ending"))

    server.log_access()
    with at:
        run_async(serve(), output)
    output.note("web ended")
