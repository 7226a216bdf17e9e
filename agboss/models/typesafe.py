"""Decision models of TypeSafe's System One, like Jev, and of endpoints that speak the same.

    models=[TypeSafeDecisions(serves=["typesafe/*"])]

It needs the extra ``agboss-temporal[typesafe]``, and a key: ``TYPESAFE_API_KEY``.
"""

import asyncio
import logging
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from agboss.domain.conversation import Usage
from agboss.errors import ConfigurationError, ModelAnswerError, ModelRejectedError, ModelUnavailableError
from agboss.ports.decision_models import YesNoAnswer, YesNoQuestion

_PREFIX = "typesafe/"
"""Of model names in an application; the endpoint has them without."""
_BUSY = frozenset({408, 409, 429})
"""Statuses below 500 that time may mend."""
_LONGEST_WISH = 600.0


class TypeSafeDecisions:
    """A ``DecisionModel`` over HTTP. One request a call: attempts are Temporal's."""

    def __init__(self, *, serves: Sequence[str], base_url: str | None = None, api_key: str | None = None) -> None:
        """
        Args:
            serves: shell-style patterns of model names, like ``typesafe/*``.
            base_url: ``None``: ``TYPESAFE_BASE_URL`` at first use, else TypeSafe itself.
            api_key: ``None``: ``TYPESAFE_API_KEY`` at first use.

        Raises:
            ConfigurationError: the extra isn't installed.
        """
        if find_spec("typesafe_sdk") is None:
            raise ConfigurationError("TypeSafeDecisions needs an extra: pip install 'agboss-temporal[typesafe]'")
        self._serves = tuple(serves)
        self._base_url = base_url
        self._api_key = api_key
        self._clients: dict[asyncio.AbstractEventLoop, Any] = {}

    def __repr__(self) -> str:
        return f"TypeSafeDecisions(serves={list(self._serves)!r})"

    @property
    def serves(self) -> tuple[str, ...]:
        return self._serves

    async def decide(self, question: YesNoQuestion) -> YesNoAnswer:
        """As ``DecisionModel.decide``.

        Raises:
            ConfigurationError: there is no key, or it is none.
        """
        # The import takes long enough to be felt, and the loop has to tick.
        sdk: Any = await asyncio.to_thread(import_module, "typesafe_sdk")
        where = f"decision model {question.model!r}"
        try:
            response = await self._client(sdk).system_one(
                state=question.state,
                questions={question.name: sdk.Noul(instructions=question.instructions)},
                model=question.model.removeprefix(_PREFIX),
                timeout=question.timeout_seconds,
            )
            return YesNoAnswer(
                probability=response.nouls[question.name].noul,
                usage=Usage(input_tokens=response.usage.input_tokens, output_tokens=response.usage.output_tokens),
            )
        except KeyError:
            raise ModelAnswerError(f"{where} did not answer the question it was asked") from None
        except sdk.TypeSafeAPIResponseValidationError as error:
            raise ModelAnswerError(f"{where} answered with something that is no decision") from error
        except sdk.TypeSafeAPIConnectionError as error:
            raise ModelUnavailableError(f"{where} can't be reached") from error
        except sdk.TypeSafeAPIError as error:
            # Without the endpoint's words: they may repeat the reply.
            if error.status in _BUSY or error.status >= 500:
                told = f"{where} is not available now (HTTP {error.status})"
                raise ModelUnavailableError(told, retry_after=_wish(error)) from None
            told = f"{where} refuses (HTTP {error.status}): check TYPESAFE_API_KEY and the model's name"
            raise ModelRejectedError(told) from None

    def _client(self, sdk: Any) -> Any:
        """One a loop: connections are bound to theirs, and the loop of user code is replaced when somebody blocks it."""
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            for stale in [known for known in self._clients if known.is_closed()]:
                del self._clients[stale]
            # The client logs whole bodies at its lowest level, and a reply's words belong into no log.
            logging.getLogger("typesafe_sdk").addFilter(_no_bodies)
            try:
                self._clients[loop] = sdk.AsyncTypeSafeClient(
                    api_key=self._api_key, base_url=self._base_url, retry=sdk.RetryPolicy(max_retries=0), compression=False
                )
            except sdk.TypeSafeError:
                raise ConfigurationError(
                    "there is no API key for decision models: set TYPESAFE_API_KEY, or give api_key=; printable ASCII without "
                    "spaces"
                ) from None
        return self._clients[loop]

    async def aclose(self) -> None:
        """Close the HTTP connections. The model may be used again, with new ones."""
        clients, self._clients = self._clients, {}
        here = asyncio.get_running_loop()
        for loop, client in clients.items():
            if loop is here:
                await client.aclose()
            elif loop.is_running():
                closing = asyncio.run_coroutine_threadsafe(client.aclose(), loop)
                await asyncio.wait([asyncio.wrap_future(closing)], timeout=5.0)


def _no_bodies(record: logging.LogRecord) -> bool:
    return record.levelno > logging.DEBUG


def _wish(error: Any) -> float | None:
    """Seconds the endpoint wishes to be left alone."""
    milliseconds = getattr(error, "retry_after_ms", None)
    return None if not milliseconds else min(milliseconds / 1000, _LONGEST_WISH)
