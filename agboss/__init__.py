"""Durable pauses for AI agents, on Temporal. Importing this package imports nothing else: names are loaded when used."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agboss.app import App as App
    from agboss.application import Application as Application
    from agboss.channels.automatic import AutoApproveChannel as AutoApproveChannel
    from agboss.channels.automatic import AutoRejectChannel as AutoRejectChannel
    from agboss.channels.terminal import Terminal as Terminal
    from agboss.channels.terminal import TerminalUserChannel as TerminalUserChannel
    from agboss.channels.webhook import WebhookChannel as WebhookChannel
    from agboss.channels.webhook_post import Webhook as Webhook
    from agboss.declare.agent import agent as agent
    from agboss.declare.application import provide as provide
    from agboss.declare.channel import ChannelOf as ChannelOf
    from agboss.declare.channel import channel as channel
    from agboss.declare.channel import channel_role as channel_role
    from agboss.declare.context import ExecutionContext as ExecutionContext
    from agboss.declare.flow import FinishText as FinishText
    from agboss.declare.flow import StartText as StartText
    from agboss.declare.flow import start as start
    from agboss.declare.interpreter import reply_interpreter as reply_interpreter
    from agboss.declare.observer import Observer as Observer
    from agboss.declare.tool import tool as tool
    from agboss.declare.workflow import workflow as workflow
    from agboss.domain.asks import ChannelAnswered as ChannelAnswered
    from agboss.domain.asks import ChannelAsk as ChannelAsk
    from agboss.domain.asks import ChannelWithdrawal as ChannelWithdrawal
    from agboss.domain.asks import QuestionAsk as QuestionAsk
    from agboss.domain.asks import ToolCallApprovalAsk as ToolCallApprovalAsk
    from agboss.domain.asks import ToolCallApprovalDecision as ToolCallApprovalDecision
    from agboss.domain.executions import ExecutionResult as ExecutionResult
    from agboss.domain.executions import ExecutionStatus as ExecutionStatus
    from agboss.domain.outcomes import ChannelOutcome as ChannelOutcome
    from agboss.domain.pauses import PauseAnswerer as PauseAnswerer
    from agboss.domain.pauses import PauseStatus as PauseStatus
    from agboss.domain.pauses import PendingPause as PendingPause
    from agboss.domain.replies import DecidedBy as DecidedBy
    from agboss.domain.replies import ReplyInput as ReplyInput
    from agboss.domain.replies import ReplyInterpretation as ReplyInterpretation
    from agboss.domain.resolutions import PauseResolution as PauseResolution
    from agboss.domain.resolutions import WithdrawalReason as WithdrawalReason
    from agboss.domain.sensitive import Sensitive as Sensitive
    from agboss.errors import DomainError as DomainError
    from agboss.models.openai import OpenAIModels as OpenAIModels
    from agboss.models.scripted import ScriptedModels as ScriptedModels
    from agboss.models.scripted_decisions import ScriptedDecisions as ScriptedDecisions
    from agboss.models.typesafe import TypeSafeDecisions as TypeSafeDecisions
    from agboss.settings import Settings as Settings

_HOMES = {
    "App": "agboss.app",
    "Application": "agboss.application",
    "AutoApproveChannel": "agboss.channels.automatic",
    "AutoRejectChannel": "agboss.channels.automatic",
    "ChannelAnswered": "agboss.domain.asks",
    "ChannelAsk": "agboss.domain.asks",
    "ChannelOf": "agboss.declare.channel",
    "ChannelOutcome": "agboss.domain.outcomes",
    "ChannelWithdrawal": "agboss.domain.asks",
    "DecidedBy": "agboss.domain.replies",
    "DomainError": "agboss.errors",
    "ExecutionContext": "agboss.declare.context",
    "ExecutionResult": "agboss.domain.executions",
    "ExecutionStatus": "agboss.domain.executions",
    "FinishText": "agboss.declare.flow",
    "Observer": "agboss.declare.observer",
    "OpenAIModels": "agboss.models.openai",
    "PauseAnswerer": "agboss.domain.pauses",
    "PauseResolution": "agboss.domain.resolutions",
    "PauseStatus": "agboss.domain.pauses",
    "PendingPause": "agboss.domain.pauses",
    "QuestionAsk": "agboss.domain.asks",
    "ReplyInput": "agboss.domain.replies",
    "ReplyInterpretation": "agboss.domain.replies",
    "ScriptedDecisions": "agboss.models.scripted_decisions",
    "ScriptedModels": "agboss.models.scripted",
    "Sensitive": "agboss.domain.sensitive",
    "Settings": "agboss.settings",
    "StartText": "agboss.declare.flow",
    "Terminal": "agboss.channels.terminal",
    "TerminalUserChannel": "agboss.channels.terminal",
    "ToolCallApprovalAsk": "agboss.domain.asks",
    "ToolCallApprovalDecision": "agboss.domain.asks",
    "TypeSafeDecisions": "agboss.models.typesafe",
    "Webhook": "agboss.channels.webhook_post",
    "WebhookChannel": "agboss.channels.webhook",
    "WithdrawalReason": "agboss.domain.resolutions",
    "agent": "agboss.declare.agent",
    "channel": "agboss.declare.channel",
    "channel_role": "agboss.declare.channel",
    "provide": "agboss.declare.application",
    "reply_interpreter": "agboss.declare.interpreter",
    "start": "agboss.declare.flow",
    "tool": "agboss.declare.tool",
    "workflow": "agboss.declare.workflow",
}
"""Where each public name lives. Errors are in ``agboss.errors``, events in ``agboss.domain.events``."""

__all__ = [
    "App",
    "Application",
    "AutoApproveChannel",
    "AutoRejectChannel",
    "ChannelAnswered",
    "ChannelAsk",
    "ChannelOf",
    "ChannelOutcome",
    "ChannelWithdrawal",
    "DecidedBy",
    "DomainError",
    "ExecutionContext",
    "ExecutionResult",
    "ExecutionStatus",
    "FinishText",
    "Observer",
    "OpenAIModels",
    "PauseAnswerer",
    "PauseResolution",
    "PauseStatus",
    "PendingPause",
    "QuestionAsk",
    "ReplyInput",
    "ReplyInterpretation",
    "ScriptedDecisions",
    "ScriptedModels",
    "Sensitive",
    "Settings",
    "StartText",
    "Terminal",
    "TerminalUserChannel",
    "ToolCallApprovalAsk",
    "ToolCallApprovalDecision",
    "TypeSafeDecisions",
    "Webhook",
    "WebhookChannel",
    "WithdrawalReason",
    "agent",
    "channel",
    "channel_role",
    "provide",
    "reply_interpreter",
    "start",
    "tool",
    "workflow",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'agboss' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
