"""A flow as data: what a running execution walks, whatever is deployed meanwhile (design, "the flow is data")."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

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


class HandlerPlan(_Plan):
    """What runs instead of a step, or of a launch and its join, that failed with such an error."""

    error: str
    """Class path ``module:QualifiedName``: matched by class, by base class, and along the cause chain."""
    steps: "tuple[StepPlan, ...]"
    """Their last output takes the place of the failed step's."""


class AgentPlan(_Plan):
    """One agent step of a flow."""

    kind: Literal["agent"] = "agent"
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
    finishes: bool = False
    """Its answer is the flow's finish; else ``answer_schema`` is the agent's own."""
    handlers: tuple[HandlerPlan, ...] = ()


class ActionPlan(_Plan):
    """A step of plain code."""

    kind: Literal["action"] = "action"
    node: str
    action: str
    description: str
    timeout_seconds: float
    idempotent: bool = True
    """False: a run that a lost worker may have done is not repeated; the step fails."""
    handlers: tuple[HandlerPlan, ...] = ()


class ChildPlan(_Plan):
    """A workflow as a step: a child execution with an id, a record and a Temporal workflow of its own."""

    kind: Literal["child"] = "child"
    node: str
    workflow: str
    handlers: tuple[HandlerPlan, ...] = ()


class ChoicePlan(_Plan):
    """A router by code: one of several ways goes on from here."""

    kind: Literal["choice"] = "choice"
    node: str
    router: str
    timeout_seconds: float
    ways: "dict[str, tuple[StepPlan, ...]]"
    """By the name the router gives; a way without steps hands its input on."""
    handlers: tuple[HandlerPlan, ...] = ()


class LoopPlan(_Plan):
    """Steps that are repeated until a router by code says otherwise."""

    kind: Literal["loop"] = "loop"
    node: str
    router: str
    """Asked after each round, with its output: ``again`` or ``done``."""
    timeout_seconds: float
    limit: int
    """Rounds; one more is a ``LimitExceededError``."""
    steps: "tuple[StepPlan, ...]"
    handlers: tuple[HandlerPlan, ...] = ()


class BranchPlan(_Plan):
    """One branch of a launch: steps one after another."""

    name: str
    """The component whose answer is the branch's, numbered where it occurs again."""
    component: str
    """The same without a number: what an arbiter knows it by."""
    steps: "tuple[StepPlan, ...]"


class ArbiterPlan(_Plan):
    """Who says whether a branch's answer counts."""

    name: str
    timeout_seconds: float
    model: str | None = None
    """``None``: by code."""
    prompt: str = ""
    criteria: dict[str, str] = {}
    """Component → when its answer counts; of an arbiter by model."""


class QuorumGroupPlan(_Plan):
    """A group of branches that can decide a quorum."""

    name: str
    branches: tuple[int, ...] | None
    """Positions in the launch; ``None``: all."""
    min: int
    """So many counted answers are needed."""
    max: int
    """With so many the quorum is decided at once."""


class QuorumPlan(_Plan):
    """A join that doesn't wait for everybody."""

    groups: tuple[QuorumGroupPlan, ...]
    """One for a plain quorum; of several, the first that wins decides."""
    within_seconds: float | None = None
    """Elapsed time from the launch's start, pauses included, after which it is decided with what counts by then."""
    arbiter: ArbiterPlan | None = None
    """``None``: every finished branch counts."""


class LaunchPlan(_Plan):
    """Branches side by side, and how they join."""

    kind: Literal["launch"] = "launch"
    node: str
    branches: tuple[BranchPlan, ...]
    over: str | None = None
    """A list field of the launch's input: its one branch runs once for each item. ``None``: each branch runs once."""
    max_concurrency: int | None = None
    """How many may move at once; paused ones hold nothing (R08)."""
    on_failure: Literal["fail_fast", "wait_for_all"] = "fail_fast"
    quorum: QuorumPlan | None = None
    handlers: tuple[HandlerPlan, ...] = ()


StepPlan = Annotated[
    AgentPlan | ActionPlan | ChildPlan | ChoicePlan | LoopPlan | LaunchPlan,
    Field(discriminator="kind"),
]


class FlowPlan(_Plan):
    """A flow from a start to a finish, and the flows it starts as steps."""

    application: str
    workflow: str
    version: str
    start: str
    """Name of the start's DTO."""
    finish: str
    """Name of the finish's DTO."""
    steps: tuple[StepPlan, ...]
    children: "tuple[FlowPlan, ...]" = ()
    """Every other workflow that can be reached from here, each once; theirs are empty."""

    @model_validator(mode="before")
    @classmethod
    def _linear(cls, plan: Any) -> Any:
        """A running execution keeps the plan it was started with: older ones name their ``agents``, one after another."""
        if not isinstance(plan, dict) or "steps" in plan or "agents" not in plan:
            return plan
        agents = plan["agents"]
        steps = [{**agent, "kind": "agent", "finishes": place == len(agents)} for place, agent in enumerate(agents, start=1)]
        return {**{name: value for name, value in plan.items() if name != "agents"}, "steps": steps}

    def flow(self, workflow: str) -> "FlowPlan":
        """The flow of that workflow: this one, or one it can reach.

        Raises:
            KeyError: there is none.
        """
        for plan in (self, *self.children):
            if plan.workflow == workflow:
                return plan
        raise KeyError(workflow)

    @property
    def agents(self) -> tuple[AgentPlan, ...]:
        """All agent steps, in the order in which they are written; not those of ``children``."""
        return tuple(step for step in steps_within(self.steps) if isinstance(step, AgentPlan))

    def agent(self, node: str) -> AgentPlan:
        """The agent step of that node.

        Raises:
            KeyError: there is none.
        """
        for step in self.agents:
            if step.node == node:
                return step
        raise KeyError(node)


def steps_within(steps: Iterable[StepPlan]) -> Iterator[StepPlan]:
    """The steps and all steps inside them, in the order in which they are written."""
    for step in steps:
        yield step
        match step:
            case LaunchPlan():
                for branch in step.branches:
                    yield from steps_within(branch.steps)
            case ChoicePlan():
                for way in step.ways.values():
                    yield from steps_within(way)
            case LoopPlan():
                yield from steps_within(step.steps)
            case _:
                pass
        for handler in step.handlers:
            yield from steps_within(handler.steps)
