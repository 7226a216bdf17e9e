"""S040, S068, S140: resume takes a pause's id, one of decision and reply, and one of owner_id and answered_by."""

from agboss import App, ToolCallApprovalDecision

APPROVED = {"approved": True}


async def each_alone_passes(app: App) -> None:
    await app.resume("id", decision=APPROVED, owner_id="customer-1")
    await app.resume("id", decision=ToolCallApprovalDecision(approved=True), answered_by="manager-17")
    await app.resume("id", reply="ok", owner_id="customer-1", tenant_id="acme")
    await app.resume("id", reply="ok", answered_by="manager-17", wait=False)
    await app.resume("id", reply="ok", answered_by="manager-17", request_id="mail-7")


async def a_decision_or_a_reply(app: App) -> None:
    await app.resume("id", answered_by="manager-17")  # E: call-overload
    await app.resume("id", owner_id="customer-1")  # E: call-overload
    await app.resume("id", decision=APPROVED, reply="ok", answered_by="manager-17")  # E: call-overload
    await app.resume("id", decision=APPROVED, reply="ok", owner_id="customer-1")  # E: call-overload
    await app.resume("id", decision=None, answered_by="manager-17")  # E: call-overload
    await app.resume("id", decision=APPROVED, answered_by="manager-17", request_id="mail-7")  # E: call-overload


async def an_owner_or_an_answerer(app: App) -> None:
    await app.resume("id", decision=APPROVED)  # E: call-overload
    await app.resume("id", reply="ok")  # E: call-overload
    await app.resume("id", decision=APPROVED, owner_id="customer-1", answered_by="manager-17")  # E: call-overload
    await app.resume("id", reply="ok", owner_id="customer-1", answered_by="manager-17")  # E: call-overload


async def never_by_its_thread(app: App) -> None:
    await app.resume(thread_id="thread-7", decision=APPROVED, answered_by="manager-17")  # E: call-overload
    await app.resume("id", thread_id="thread-7", decision=APPROVED, answered_by="manager-17")  # E: call-overload
    await app.resume("id", thread_id="thread-7", reply="ok", owner_id="customer-1")  # E: call-overload
