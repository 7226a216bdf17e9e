"""What one workflow instance costs in the sandbox."""

import time

from temporalio import workflow
from temporalio.worker import WorkflowRunner
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions

from agboss.temporal.plugin import PASSED_THROUGH
from agboss.temporal.workflow.execution import Execution
from bench.by_hand.workflow import RefundByHand
from bench.measures import Measure, of_samples, say
from bench.sizes import Sizes


async def measure_sandbox(sizes: Sizes) -> list[Measure]:
    """``prepare_workflow`` makes one instance with made-up details, by the same ``create_instance`` that a worker calls for
    each new or evicted execution, also on its event loop: the guarded modules are executed again, the class is made. The
    loop stands still meanwhile, so this bounds throughput as well as latency."""
    say(f"   {sizes.instances} instances a side …")
    restrictions = SandboxRestrictions.default.with_passthrough_modules(*PASSED_THROUGH)
    ours, other = SandboxedWorkflowRunner(restrictions=restrictions), SandboxedWorkflowRunner()
    _milliseconds(ours, Execution), _milliseconds(other, RefundByHand)  # what is loaded once isn't counted
    mine: list[float] = []
    by_hand: list[float] = []
    for _ in range(sizes.instances):
        mine.append(_milliseconds(ours, Execution))
        by_hand.append(_milliseconds(other, RefundByHand))
    return [
        of_samples("sandbox_instance_ms", mine, unit="ms", meaning="one workflow instance in the sandbox, agboss"),
        of_samples("sandbox_instance_by_hand_ms", by_hand, unit="ms", meaning="the same, by hand"),
    ]


def _milliseconds(runner: WorkflowRunner, kind: type) -> float:
    definition = workflow._Definition.must_from_class(kind)
    began = time.perf_counter()
    runner.prepare_workflow(definition)
    return 1e3 * (time.perf_counter() - began)
