"""Doubles of an application's own components."""

from typing import Any
from unittest.mock import AsyncMock

import pytest

from agboss import AutoApproveChannel, ChannelOf, ChannelOutcome, ExecutionContext, provide
from agboss.assembly.assembled import assemble
from agboss.errors import AssemblyError, ConfigurationError
from agboss.testing.mocks import mock_of, mocked
from docs.examples.slack_refunds import RefundApprovalChannel, RefundRequest, SlackRefundApprovalChannel
from tests.slack_office import RefundTool, SlackTwin, slack_office


class Notices:
    """A service that wants the channel by its role, and by its generic base."""

    def __init__(
        self, role: RefundApprovalChannel, base: ChannelOf[RefundRequest], itself: SlackRefundApprovalChannel
    ) -> None:
        self.injected = [role, base, itself]


def test_role_and_bases_give_the_same_mock() -> None:
    """S235: a parameter typed with the implementation, its role or a base of it is injected with the one double, also where
    another service stood for the role."""

    def never() -> RefundApprovalChannel:
        raise AssertionError("a mocked contract is not made")

    plain = slack_office(SlackTwin(), provide(RefundApprovalChannel, never), Notices)
    application = mocked(plain, SlackRefundApprovalChannel)
    assembled = assemble(application)
    double = mock_of(application, SlackRefundApprovalChannel)
    for injected in assembled._container.get(Notices).injected:
        assert injected is double
    for kind in (RefundApprovalChannel, ChannelOf, ChannelOf[RefundRequest]):
        assert assembled._container.get(kind) is double
    assert mock_of(application, RefundApprovalChannel) is double
    bound = assembled.channel("slack-refund-approval-channel")
    assert (bound.send, bound.withdraw) == (double.send, double.withdraw)


def test_a_double_has_its_components_methods() -> None:
    """S234, S252: async mocks of the right signature and no other methods; send awaits the reply until told otherwise."""
    application = mocked(slack_office(SlackTwin()), SlackRefundApprovalChannel, RefundTool)
    slack, refund = mock_of(application, SlackRefundApprovalChannel), mock_of(application, RefundTool)
    assert isinstance(slack, SlackRefundApprovalChannel)
    for method in (slack.send, slack.withdraw, refund.run):
        assert isinstance(method, AsyncMock)
    assert slack.send.return_value == ChannelOutcome.await_reply()
    assert not hasattr(refund, "send")
    with pytest.raises(TypeError):
        slack.send("ask", "too much")


def test_the_declaration_stays() -> None:
    """S234: names, role, answerer and schemas are those of the application; the original is untouched, and its client isn't
    needed any more."""
    plain = slack_office(SlackTwin())
    application = mocked(plain, SlackRefundApprovalChannel, RefundTool)
    assert assemble(application).tool_plans() == assemble(plain).tool_plans()
    with pytest.raises(ConfigurationError):
        mock_of(plain, SlackRefundApprovalChannel)


def test_what_a_double_does_not_need() -> None:
    """S234: the services of a mocked component's constructor needn't be there; those of the others must."""
    from dataclasses import replace

    plain: Any = replace(slack_office(SlackTwin()), services=[])
    with pytest.raises(AssemblyError) as raised:
        assemble(mocked(plain, SlackRefundApprovalChannel))
    assert "SlackRefundApprovalChannel" not in str(raised.value)
    assert "RefundTool" in str(raised.value)


def test_a_component_of_another_application_is_refused() -> None:
    """S234: what the application doesn't use can't be mocked, so a test can't look at a double that nobody calls."""
    with pytest.raises(ConfigurationError, match="AutoApproveChannel"):
        mocked(slack_office(SlackTwin()), AutoApproveChannel)


def test_a_component_may_come_from_a_service() -> None:
    """A component that a service provides is that one, and is not made again."""
    slack = SlackTwin()
    mine = SlackRefundApprovalChannel(slack, ExecutionContext())
    assembled = assemble(slack_office(slack, mine))
    assert assembled.channel("slack-refund-approval-channel").send.__self__ is mine  # type: ignore[attr-defined]


async def test_an_interpreter_by_code_has_a_double() -> None:
    """S248: scripted in the place of its interpret; until then it understands nothing; one by a model is none of code."""
    from agboss import ReplyInterpretation, ScriptedModels
    from tests.replies.office import ExpenseReplies, RefundReplies, Told, declared

    office = declared(Told(), [ScriptedModels()], name="office")
    doubled = mocked(office, ExpenseReplies)
    double = mock_of(doubled, ExpenseReplies)
    assembled = assemble(doubled)
    binding = assembled.interpreter("expense-approval-channel")
    assert binding is not None
    interpret = assembled.interpret(binding)
    assert await interpret("anything") == ReplyInterpretation.not_understood(reason="the double was not told what it says")
    double.interpret.return_value = ReplyInterpretation.understood({"approved": True})
    assert await interpret("anything") == ReplyInterpretation.understood({"approved": True})
    with pytest.raises(ConfigurationError, match="RefundReplies"):
        mocked(office, RefundReplies)
