"""The plan a running execution was started with, by its hash: prompts and schemas don't change under it."""

from agboss.domain.ids import ContentHash
from agboss.domain.plan import AgentPlan, FlowPlan
from agboss.ports.pause_index import PauseIndex

_KEPT = 200


class Plans:
    """Reads each plan once."""

    def __init__(self, index: PauseIndex) -> None:
        self._index = index
        self._plans: dict[ContentHash, FlowPlan] = {}

    async def agent(self, plan_hash: ContentHash, node: str) -> tuple[FlowPlan, AgentPlan]:
        """The flow's plan and the step of ``node``."""
        plan = self._plans.get(plan_hash)
        if plan is None:
            if len(self._plans) >= _KEPT:
                self._plans.clear()
            plan = FlowPlan.model_validate_json(await self._index.get_blob(plan_hash))
            self._plans[plan_hash] = plan
        return plan, plan.agent(node)
