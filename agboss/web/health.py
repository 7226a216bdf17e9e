"""Whether the process lives, and whether what it needs does. For anybody: they tell nothing else."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from agboss.web.gate import web_of
from agboss.web.problems import Outcome
from agboss.web.responses import response_of
from agboss.web.schemas import HealthDocument, ReadyDocument

router = APIRouter()


@router.get("/health", responses={200: {"model": HealthDocument}})
async def health() -> Response:
    """The process lives."""
    return response_of(Outcome(200, {"status": "up"}))


@router.get("/ready", responses={200: {"model": ReadyDocument}, 503: {"model": ReadyDocument}})
async def ready(request: Request) -> Response:
    """200 with the index: answers can be recorded, also while Temporal is away. 503 without."""
    serving = web_of(request).serving
    index, temporal = await serving.index_answers(), await serving.temporal_answers()
    told = {"ready": index, "index": "up" if index else "away", "temporal": "up" if temporal else "away"}
    return response_of(Outcome(200 if index else 503, told))
