"""A flow as data: what a running execution walks, whatever is deployed meanwhile (design, "the flow is data")."""

from typing import Any

from pydantic import BaseModel, ConfigDict

from agboss.domain.pauses import PauseAnswerer


class _Plan(BaseModel):
    model_config = ConfigDict(frozen=True)


class ChannelPlan(_Plan):
    """Whom a gated tool asks."""

    name: str
    """The role's name, or the concrete channel's own."""
    implementation: str
    """Names the steps: the channel whose ``send`` is called, or the role where it is filled by several."""
    answered_by: PauseAnswerer
    four_eyes: bool = False
    answer_schema: dict[str, Any] | None = None
    """Of a question role: what its answer is. ``None``: it approves."""
    implementations: tuple[str, ...] = ()
    """The channels whose ``send`` is called; in a plan of an older version none, and then it is ``implementation``."""
    tells_answers: bool = False
    """One of them has ``answered``: it is told of answers."""

    @property
    def asked(self) -> tuple[str, ...]:
        """Names of the channels whose ``send`` is called."""
        return self.implementations or (self.implementation,)


class ToolPlan(_Plan):
    """One tool as the model sees it, and how its calls run."""

    name: str
    description: str
    input_schema: dict[str, Any]
    schema_hash: str
    """Digest of ``input_schema``: an answered call whose tool changed meanwhile is checked again (H02)."""
    timeout_seconds: float
    """Of one run of the tool, one ``send`` and one ``withdraw``."""
    idempotent: bool = True
    """False: a run that a lost worker may have done is not repeated."""
    channel: ChannelPlan | None = None


class AgentPlan(_Plan):
    """One agent step of a flow."""

    node: str
    """The step's name within the flow: the agent's name, numbered where it occurs again."""
    agent: str
    description: str
    prompt: str
    model: str
    tools: tuple[ToolPlan, ...]
    max_turns: int
    model_timeout_seconds: float
    answer_schema: dict[str, Any] | None = None
    """JSON schema of the structured answer this step must give; ``None``: its text is the answer."""


class FlowPlan(_Plan):
    """A linear flow: agents one after another, from a start to a finish."""

    application: str
    workflow: str
    version: str
    start: str
    """Name of the start's DTO."""
    finish: str
    """Name of the finish's DTO."""
    agents: tuple[AgentPlan, ...]

    def agent(self, node: str) -> AgentPlan:
        """The step of that node."""
        for step in self.agents:
            if step.node == node:
                return step
        raise KeyError(node)
