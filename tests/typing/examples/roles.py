"""S125: a role says who answers it; there is no default."""

from pydantic import BaseModel

from agboss import ChannelOf, PauseAnswerer, channel_role


class Refund(BaseModel):
    order_id: str


@channel_role(name="first-channel", description="", approves=Refund, answered_by=PauseAnswerer.CHANNEL)
class Complete(ChannelOf[Refund]):
    pass


@channel_role(name="second-channel", description="", approves=Refund)  # E: call-overload
class WithoutAnsweredBy(ChannelOf[Refund]):
    pass


@channel_role(name="third-channel", description="", approves=Refund, answered_by=None)  # E: call-overload
class AnsweredByNobody(ChannelOf[Refund]):
    pass


class Question(BaseModel):
    text: str


@channel_role(name="fourth-channel", description="", asks=Question, answer=Refund, answered_by=PauseAnswerer.THREAD_OWNER)
class Asking(ChannelOf[Question]):
    pass


@channel_role(name="fifth-channel", description="", asks=Question, answered_by=PauseAnswerer.CHANNEL)  # E: call-overload
class WithoutAnswer(ChannelOf[Question]):
    pass


@channel_role(name="sixth-channel", description="", answered_by=PauseAnswerer.CHANNEL)  # E: call-overload
class AboutNothing(ChannelOf[Question]):
    pass
