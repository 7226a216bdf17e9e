"""From the journal to what a model is sent, and from its answer to what enters the journal."""

import json
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from agboss.assembly.assembled import Assembled
from agboss.assembly.validation import problems_of
from agboss.decisions.keys import step_key
from agboss.domain.conversation import (
    AssistantMessage,
    Message,
    ModelAnswer,
    ModelRequest,
    SystemMessage,
    ToolCall,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from agboss.domain.ids import TurnKey
from agboss.domain.plan import AgentPlan, ToolPlan
from agboss.domain.sensitive import masked
from agboss.domain.tool_texts import tool_error
from agboss.errors import DtoValidationError
from agboss.ports.pause_index import Conversation, JsonObject, PlannedCall, Turn
from agboss.temporal.wire import MAX_CALLS_A_TURN

FINAL_ANSWER = "final-answer"
"""The tool through which an agent gives a structured answer."""


def request_for(plan: AgentPlan, conversation: Conversation) -> ModelRequest:
    """The next model request of an agent's step."""
    messages: list[Message] = []
    if plan.prompt:
        messages.append(SystemMessage(text=plan.prompt))
    messages.append(UserMessage(text=_input_text(conversation.input)))
    for turn in conversation.turns:
        messages.append(AssistantMessage(text=turn.text, calls=tuple(_echoed(call) for call in turn.calls)))
        messages.extend(ToolMessage(call_id=call.call_id, tool=call.tool, text=call.result or "") for call in turn.calls)
        if not turn.calls and turn.output is None:
            messages.append(UserMessage(text=_asked_again(plan)))
    return ModelRequest(
        model=plan.model,
        messages=tuple(messages),
        tools=_tools(plan),
        tenant_id=conversation.frame.tenant,
        timeout_seconds=plan.model_timeout_seconds,
    )


def planned(
    plan: AgentPlan, answer: ModelAnswer, *, turn: TurnKey, assembled: Assembled, finish: type[Any] | None
) -> tuple[tuple[PlannedCall, ...], JsonObject | None]:
    """The turn's calls, each valid or with its error as the result; and the agent's output where the turn gives it."""
    tools = {tool.name: tool for tool in plan.tools}
    alone = len(answer.calls) == 1
    ids = _unique_ids(answer.calls)
    output: JsonObject | None = None
    calls: list[PlannedCall] = []
    for position, (call, call_id) in enumerate(zip(answer.calls, ids, strict=True)):
        if call.name == FINAL_ANSWER and plan.answer_schema is not None and finish is not None:
            problem, output = _final(call, finish) if alone else ("call it alone, after all other calls", None)
            if output is None:
                calls.append(_done(turn, position, call, call_id, tool_error(problem)))
        else:
            calls.append(_planned(turn, position, call, call_id, tools.get(call.name), assembled, sorted(tools)))
    if not answer.calls and plan.answer_schema is None and answer.text.strip():
        output = {"text": answer.text}
    return tuple(calls), output


def is_invalid_answer(plan: AgentPlan, turn: Turn) -> bool:
    """A turn that should have been the agent's answer and is none."""
    if turn.output is not None:
        return False
    return not turn.calls or any(call.tool == FINAL_ANSWER for call in turn.calls)


def _planned(
    turn: TurnKey,
    position: int,
    call: ToolCall,
    call_id: str,
    tool: ToolPlan | None,
    assembled: Assembled,
    known: list[str],
) -> PlannedCall:
    if position >= MAX_CALLS_A_TURN:
        text = f"only {MAX_CALLS_A_TURN} calls of one turn run; make this one in the next turn"
        return _done(turn, position, call, call_id, tool_error(text))
    if tool is None or not assembled.has_tool(tool.name):
        there = ", ".join(known) or "none"
        return _done(turn, position, call, call_id, tool_error(f"there is no tool {call.name!r}; the tools are: {there}"))
    if isinstance(call.arguments, str):
        return _done(turn, position, call, call_id, tool_error("invalid input: the arguments are no JSON object"))
    try:
        dto = assembled.validate(tool.name, call.arguments)
    except DtoValidationError as error:
        text = "invalid input: " + ("; ".join(error.problems) or error.message)
        return _done(turn, position, call, call_id, tool_error(text))
    arguments = dto.model_dump(mode="json")
    shown = masked(dto)
    return PlannedCall(
        step_key=step_key(turn, position, tool.name, arguments),
        position=position,
        call_id=call_id,
        tool=tool.name,
        raw_arguments=json.dumps(call.arguments, ensure_ascii=False),
        arguments=arguments,
        masked_arguments=shown,
        summary=summary(tool.name, shown),
        schema_hash=tool.schema_hash,
        gated=tool.channel is not None,
    )


def _done(turn: TurnKey, position: int, call: ToolCall, call_id: str, result: str) -> PlannedCall:
    raw = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False)
    return PlannedCall(
        step_key=step_key(turn, position, call.name, {"raw": raw}),
        position=position,
        call_id=call_id,
        tool=call.name,
        raw_arguments=raw,
        arguments={},
        masked_arguments={},
        summary=call.name,
        schema_hash="",
        gated=False,
        result=result,
    )


def summary(tool: str, shown: JsonObject) -> str:
    """One line about a call for people: the tool and its masked arguments, cut to 200 characters."""
    line = ", ".join(f"{name}={value}" for name, value in shown.items())
    told = " ".join(f"{tool}: {line}".split()) if line else tool
    return told if len(told) <= 200 else told[:199] + "…"


def _final(call: ToolCall, finish: type[Any]) -> tuple[str, JsonObject | None]:
    if isinstance(call.arguments, str):
        return "the arguments are no JSON object", None
    try:
        dto = finish.model_validate(call.arguments)
    except ValidationError as error:
        return f"invalid answer: {'; '.join(problems_of(error, whole='answer'))}", None
    output: JsonObject = dto.model_dump(mode="json")
    return "", output


def _unique_ids(calls: Sequence[ToolCall]) -> list[str]:
    """The provider's call ids, made unique within the turn: models omit and repeat them."""
    ids: list[str] = []
    taken = set()
    for position, call in enumerate(calls):
        call_id = call.id or f"call_{position}"
        while call_id in taken:
            call_id = f"{call_id}_{position}"
        taken.add(call_id)
        ids.append(call_id)
    return ids


def _echoed(call: PlannedCall) -> ToolCall:
    """A call as the model made it: its own words back, whatever we validated."""
    try:
        arguments: Any = json.loads(call.raw_arguments)
    except ValueError:
        arguments = call.raw_arguments
    return ToolCall(
        id=call.call_id, name=call.tool, arguments=arguments if isinstance(arguments, dict) else call.raw_arguments
    )


def _tools(plan: AgentPlan) -> tuple[ToolSpec, ...]:
    tools = [ToolSpec(name=t.name, description=t.description, input_schema=t.input_schema) for t in plan.tools]
    if plan.answer_schema is not None:
        description = "Gives your final answer and ends your work. Call it alone, once, when everything else is done."
        tools.append(ToolSpec(name=FINAL_ANSWER, description=description, input_schema=plan.answer_schema))
    return tuple(tools)


def _input_text(input: JsonObject) -> str:
    """A lone ``text`` as it is, anything else as JSON."""
    if set(input) == {"text"} and isinstance(input["text"], str):
        return input["text"]
    return json.dumps(input, ensure_ascii=False, indent=2)


def _asked_again(plan: AgentPlan) -> str:
    if plan.answer_schema is not None:
        return f"Give your answer by calling the tool {FINAL_ANSWER!r}."
    return "Your last message was empty. Give your answer, or call a tool."
