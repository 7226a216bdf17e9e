"""Every error agboss raises, with a stable dotted code; a code extends its parent's.

AgbossError
├── DtoValidationError              dto.validation             the caller's data is not valid
├── AssemblyError                   assembly                   the application's declarations don't fit together
├── ConfigurationError              config                     the settings are missing or wrong
├── UnknownCallerError              caller.unknown             nobody of that name is let in over HTTP
├── PauseError                      pause
│   ├── UnknownPauseError           pause.unknown              no such pause for this tenant
│   ├── PauseAnswererError          pause.wrong-answerer       the wrong kind of credential
│   ├── FourEyesError               pause.four-eyes            the requester may not approve the own request
│   ├── ReplyInterpreterMissingError pause.no-reply-interpreter the role can't read free text
│   ├── UninterpretableReplyError   pause.uninterpretable-reply the reply is no valid answer; the pause keeps waiting
│   ├── SendSupersededError         pause.send-superseded      worth another try: a newer attempt to ask is under way
│   └── PauseRecordExpiredError     pause.record-expired       answered before, the record is gone: never asked twice
├── RunError                        run
│   ├── UnknownExecutionError       run.unknown                no such execution for this tenant
│   ├── NotPausedError              run.not-paused             answered, withdrawn or cancelled already
│   ├── ThreadOwnerError            run.thread-owner           the thread belongs to somebody else
│   ├── ThreadBusyError             run.thread-busy            an execution of the thread moves or waits
│   ├── OwnerRequiredError          run.owner-required         the flow can ask the thread's owner, and there is none
│   ├── RunCancelledError           run.cancelled              the execution was cancelled
│   ├── RunTerminatedError          run.terminated             the execution was ended from outside, by Temporal
│   └── WaitTimeoutError            run.wait-timeout           nothing is lost; the wait alone is over
├── ResumeError                     resume
│   ├── ResumeInsideSendError       resume.inside-send         wait=True inside a channel's send
│   └── ResumeIncompatibleError     resume.incompatible        the code changed under a waiting call
├── StepFailedError                 step
│   └── AgentFailedError            step.agent
├── LimitExceededError              limit
│   └── BudgetExceededError         limit.budget
├── ModelError                      model
│   ├── ModelUnavailableError       model.unavailable          worth another try
│   ├── ModelRejectedError          model.rejected             not worth another try
│   └── ModelAnswerError            model.answer               the endpoint's answer makes no sense
├── WebhookError                    webhook
│   ├── WebhookUndeliveredError     webhook.undelivered        the receiver was down, slow or busy until time was over
│   ├── WebhookRejectedError        webhook.rejected           the receiver refuses, or its URL is wrong
│   └── WebhookUnverifiedError      webhook.unverified         a request that doesn't prove whom it comes from
├── PauseIndexError                 index
│   ├── IndexMissingError           index.missing
│   ├── IndexUnavailableError       index.unavailable          worth another try
│   └── IndexSchemaError            index.schema               run `agboss migrate`
├── TemporalUnavailableError        temporal.unavailable       worth another try
└── DomainError                     domain                     base of an application's own errors
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar


class AgbossError(Exception):
    """Base of all. ``code`` is stable; ``data`` holds what the message was made from."""

    code: ClassVar[str] = "agboss"

    def __init__(self, message: str, **data: Any) -> None:
        super().__init__(message)
        self.message = message
        self.data: Mapping[str, Any] = data

    def __str__(self) -> str:
        return self.message


class DtoValidationError(AgbossError):
    """Data from outside is not valid. ``problems`` has one line a fault, without the values."""

    code = "dto.validation"

    def __init__(self, message: str, *, problems: Sequence[str] = ()) -> None:
        super().__init__(message, problems=list(problems))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault of an application's declarations."""

    code: str
    """Bracketed in the text, like ``[model.unserved]``."""
    where: str
    text: str

    def __str__(self) -> str:
        return f"[{self.code}] {self.where}: {self.text}"


class AssemblyError(AgbossError):
    """The declarations don't fit together; ``problems`` has all of them at once."""

    code = "assembly"

    def __init__(self, application: str, problems: Sequence[Problem]) -> None:
        lines = "\n".join(f"  {problem}" for problem in problems)
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        super().__init__(f"application {application!r} can't be assembled, {count}:\n{lines}")
        self.problems = tuple(problems)


class ConfigurationError(AgbossError):
    """Settings are missing or wrong; the message names the setting."""

    code = "config"


class UnknownCallerError(AgbossError):
    """No caller over HTTP has that name."""

    code = "caller.unknown"


class PauseError(AgbossError):
    """Something about one pause."""

    code = "pause"


class UnknownPauseError(PauseError):
    """No pause of this tenant has that id. A foreign id and a made-up one look the same (S043, S044)."""

    code = "pause.unknown"

    def __init__(self, message: str = "no pause has this id; check the id and the tenant") -> None:
        super().__init__(message)


class PauseAnswererError(PauseError):
    """The credential's kind doesn't fit the pause: give the thread's owner_id, or answered_by (S137–S140)."""

    code = "pause.wrong-answerer"


class FourEyesError(PauseError):
    """The role wants two people, and the thread's owner answered (R30)."""

    code = "pause.four-eyes"


class ReplyInterpreterMissingError(PauseError):
    """The pause's channel has no reply interpreter: answer with a decision (S109)."""

    code = "pause.no-reply-interpreter"


class UninterpretableReplyError(PauseError):
    """The reply could not be read as a valid answer, and the pause keeps waiting: ask for a clearer one, or answer with a
    decision (S105). ``reason`` is the interpreter's own, or the message of the error behind it, which is ``__cause__``."""

    code = "pause.uninterpretable-reply"

    def __init__(self, reason: str, *, channel: str) -> None:
        super().__init__(
            f"the reply to channel {channel!r} could not be read as an answer: {reason}; ask for a clearer one, or answer "
            "with decision=",
            reason=reason,
            channel=channel,
        )
        self.reason = reason


class PauseRecordExpiredError(PauseError):
    """The step was answered, and its record is past retention: it fails closed and never asks twice."""

    code = "pause.record-expired"


class SendSupersededError(PauseError):
    """A channel's ``send`` failed while a newer attempt was under way, as after a lost worker; the step asks again."""

    code = "pause.send-superseded"


class RunError(AgbossError):
    """Something about an execution or its thread."""

    code = "run"


class UnknownExecutionError(RunError):
    """No execution of this tenant has that id."""

    code = "run.unknown"

    def __init__(self, message: str = "no execution has this id; check the id and the tenant") -> None:
        super().__init__(message)


class NotPausedError(RunError):
    """The pause doesn't wait any more: answered, withdrawn or cancelled (S152)."""

    code = "run.not-paused"

    def __init__(
        self, message: str = "the pause doesn't wait for an answer any more: it was answered, withdrawn or cancelled"
    ) -> None:
        super().__init__(message)


class ThreadOwnerError(RunError):
    """The thread belongs to another owner."""

    code = "run.thread-owner"

    def __init__(self, message: str = "the thread belongs to another owner; give the owner_id it was started with") -> None:
        super().__init__(message)


class ThreadBusyError(RunError):
    """One execution of a thread at a time: answer it, cancel it, or use another thread."""

    code = "run.thread-busy"


class OwnerRequiredError(RunError):
    """The flow can ask the thread's owner: execute it with owner_id (R15)."""

    code = "run.owner-required"


class RunCancelledError(RunError):
    """The execution was cancelled."""

    code = "run.cancelled"


class RunTerminatedError(RunError):
    """Temporal ended the execution from outside: terminated, timed out or deleted."""

    code = "run.terminated"


class WaitTimeoutError(RunError):
    """The wait is over, the execution goes on; nothing is lost."""

    code = "run.wait-timeout"


class ResumeError(AgbossError):
    """Something about taking an answer."""

    code = "resume"


class ResumeInsideSendError(ResumeError):
    """A channel's send can't wait for the tree that waits for it: use wait=False (R11)."""

    code = "resume.inside-send"


class ResumeIncompatibleError(ResumeError):
    """The tool changed while its call waited, and the arguments that were asked are no input of it any more."""

    code = "resume.incompatible"


class StepFailedError(AgbossError):
    """A step of the flow failed; ``__cause__`` says why."""

    code = "step"


class AgentFailedError(StepFailedError):
    """An agent's step failed; ``__cause__`` is what its tool, its channel or its model raised."""

    code = "step.agent"


class LimitExceededError(AgbossError):
    """A limit of the declarations was reached."""

    code = "limit"


class BudgetExceededError(LimitExceededError):
    """A budget is spent."""

    code = "limit.budget"


class ModelError(AgbossError):
    """A model endpoint failed."""

    code = "model"


class ModelUnavailableError(ModelError):
    """The endpoint is down, slow or busy. ``retry_after`` is its own wish, in seconds."""

    code = "model.unavailable"

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message, retry_after=retry_after)
        self.retry_after = retry_after


class ModelRejectedError(ModelError):
    """The endpoint refuses the request: key, model name or content. Another try won't help."""

    code = "model.rejected"


class ModelAnswerError(ModelError):
    """The endpoint answered with something that is no chat completion."""

    code = "model.answer"


class WebhookError(AgbossError):
    """A webhook failed, at the one who asks or at the receiver."""

    code = "webhook"


class WebhookUndeliveredError(WebhookError):
    """The receiver couldn't take the event while somebody still wanted it delivered."""

    code = "webhook.undelivered"


class WebhookRejectedError(WebhookError):
    """The receiver refuses the event: another try won't help. ``status`` is its HTTP status."""

    code = "webhook.rejected"

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message, status=status)
        self.status = status


class WebhookUnverifiedError(WebhookError):
    """A request to a receiver is unsigned, signed with another key, changed, stale or no event, or there is no secret to
    verify it with: respond with 401 and do nothing."""

    code = "webhook.unverified"


class PauseIndexError(AgbossError):
    """The pause index failed."""

    code = "index"


class IndexMissingError(PauseIndexError):
    """There is no index where the settings say. Never answered by making a second one."""

    code = "index.missing"


class IndexUnavailableError(PauseIndexError):
    """The index can't be read or written now: locked, full, read-only or unreachable."""

    code = "index.unavailable"


class IndexSchemaError(PauseIndexError):
    """The index's tables are of another version."""

    code = "index.schema"


class TemporalUnavailableError(AgbossError):
    """Temporal can't be reached."""

    code = "temporal.unavailable"


class DomainError(AgbossError):
    """Base of an application's own errors: raised in a tool, one fails the agent's step (R10)."""

    code = "domain"
