"""The ASGI application."""

from dataclasses import replace

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from agboss.errors import AgbossError
from agboss.serving import Serving
from agboss.web import answers, executions, health
from agboss.web.bodies import problems_of
from agboss.web.door import Door
from agboss.web.gate import Web
from agboss.web.limits import Limits
from agboss.web.problems import problem, problem_of
from agboss.web.responses import PROBLEM_SCHEMA, response_of


def create_web(serving: Serving, limits: Limits | None = None) -> ASGIApp:
    """The HTTP interface of a connected application, for any ASGI server.

    No page at /docs: the usual one loads scripts from other hosts. /openapi.json is the whole document.
    """
    web = FastAPI(
        title="agboss",
        description="Answers to durable pauses of AI agents. Every refusal is a problem document with a stable code.",
        version="1",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    web.state.web = Web(serving, limits or Limits())
    for routes in (health, answers, executions):
        web.include_router(routes.router)
    web.add_exception_handler(AgbossError, _refused)
    web.add_exception_handler(RequestValidationError, _invalid)
    web.add_exception_handler(HTTPException, _no_such)
    web.add_exception_handler(Exception, _failed)
    schema = web.openapi()
    schema["components"]["schemas"]["ProblemDocument"] = PROBLEM_SCHEMA
    return Door(web)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, AgbossError)
    return response_of(problem_of(error))


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return response_of(problem("dto.validation", problems=list(problems_of(error.errors(), whole="request"))))


async def _no_such(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    outcome = problem("http.method" if error.status_code == 405 else "http.not-found")
    return response_of(replace(outcome, headers=error.headers or {}))


async def _failed(request: Request, error: Exception) -> Response:
    """The door logs it."""
    return response_of(problem("internal"))
