"""Which of our errors Temporal tries again, and how they look to it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from temporalio import activity
from temporalio.exceptions import ApplicationError

from agboss.errors import AgbossError, IndexUnavailableError, ModelAnswerError, ModelUnavailableError, SendSupersededError
from agboss.temporal import limits
from agboss.temporal.failures import to_record


@contextmanager
def for_temporal() -> Iterator[None]:
    """Raise any error as one that Temporal carries whole: its record in the details, its code as the type.

    Only what time may mend is tried again: the index or a model's endpoint that is away, a send that another overtook. A user's error never is.
    """
    try:
        yield
    except ModelUnavailableError as error:
        wish = None if error.retry_after is None else timedelta(seconds=error.retry_after)
        raise _application_error(error, retryable=True, delay=wish) from error
    except ModelAnswerError as error:
        again = activity.info().attempt < limits.MODEL_ANSWER_ATTEMPTS
        raise _application_error(error, retryable=again) from error
    except (IndexUnavailableError, SendSupersededError) as error:
        raise _application_error(error, retryable=True) from error
    except Exception as error:
        raise _application_error(error, retryable=False) from error


def _application_error(error: Exception, *, retryable: bool, delay: timedelta | None = None) -> ApplicationError:
    return ApplicationError(
        str(error),
        to_record(error),
        type=error.code if isinstance(error, AgbossError) else type(error).__name__,
        non_retryable=not retryable,
        next_retry_delay=delay,
    )
