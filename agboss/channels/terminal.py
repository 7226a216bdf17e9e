"""Asking the thread's owner in a terminal."""

import sys
from typing import Any, TextIO

from agboss.channels.ask_text import ask_lines
from agboss.channels.visible_text import visible
from agboss.declare.channel import ChannelOf, channel
from agboss.domain.asks import ChannelAnswered, ChannelAsk, ChannelWithdrawal
from agboss.domain.outcomes import ChannelOutcome


class Terminal:
    """Where ``TerminalUserChannel`` writes; give your own as a service to write elsewhere."""

    def __init__(self) -> None:
        self.stream: TextIO = sys.stderr

    def show(self, lines: list[str]) -> None:
        """Write whole lines at once, so that two questions don't mix."""
        self.stream.write("".join(f"{line}\n" for line in lines))
        self.stream.flush()


@channel(name="terminal-user-channel", description="Asks the thread's owner in the terminal")
class TerminalUserChannel(ChannelOf[Any]):
    """Shows the question in the terminal of the worker; the answer comes through ``app.resume`` or ``agboss answer``.

    Values are masked, and nothing in them reaches the terminal as a control character.
    """

    default_services = (Terminal,)

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal

    async def send(self, ask: ChannelAsk[Any]) -> ChannelOutcome:
        self._terminal.show(ask_lines(tool=ask.value.tool, arguments=ask.value.masked_arguments))
        return ChannelOutcome.await_reply()

    async def answered(self, answered: ChannelAnswered[Any]) -> None:
        how = "approved" if answered.decision.approved else "rejected"
        question = ask_lines(tool=answered.value.tool, arguments=answered.value.masked_arguments)
        self._terminal.show([f"Answered ({how} by {visible(answered.responder, longest=200)}):", *question])

    async def withdraw(self, withdrawal: ChannelWithdrawal[Any]) -> None:
        question = ask_lines(tool=withdrawal.value.tool, arguments=withdrawal.value.masked_arguments)
        self._terminal.show([f"No longer asked ({withdrawal.resolution.value}):", *question])
