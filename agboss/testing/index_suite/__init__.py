"""The behaviour of a pause index, as tests that any implementation of the port can be put to.

    class TestMyIndex(PauseIndexSuite):
        async def make(self, clock: Clock) -> PauseIndex:
            return MyIndex(clock=clock)

Each test gets an index of its own. Under pytest with ``asyncio_mode = "auto"`` the class runs as it is; ``failures`` runs it
without pytest.
"""

from agboss.testing.index_suite.answered import Hearing
from agboss.testing.index_suite.answering import Answering
from agboss.testing.index_suite.asking import Asking
from agboss.testing.index_suite.ending import Ending
from agboss.testing.index_suite.journaling import Journaling
from agboss.testing.index_suite.looking import Looking
from agboss.testing.index_suite.reading import Reading
from agboss.testing.index_suite.resting import Resting
from agboss.testing.index_suite.sending import Sending
from agboss.testing.index_suite.starting import Starting
from agboss.testing.index_suite.sweeping import Sweeping
from agboss.testing.index_suite.withdrawing import Withdrawing
from agboss.testing.index_suite.world import SettableClock


class PauseIndexSuite(
    Starting, Answering, Asking, Sending, Resting, Ending, Journaling, Withdrawing, Hearing, Looking, Sweeping, Reading
):
    """All of it. Subclass it and give ``make``."""


async def failures(suite: PauseIndexSuite) -> dict[str, Exception]:
    """Run every test of ``suite``; those that failed, by name."""
    found: dict[str, Exception] = {}
    for name in sorted(dir(suite)):
        if name.startswith("test_"):
            try:
                await getattr(suite, name)()
            except Exception as error:
                found[name] = error
    return found


__all__ = ["PauseIndexSuite", "SettableClock", "failures"]
