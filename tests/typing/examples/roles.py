"""S125: a role says who answers it; there is no default."""

from pydantic import BaseModel

from agboss import ChannelOf, PauseAnswerer, channel_role


class Refund(BaseModel):
    order_id: str


@channel_role(name="first-channel", description="", approves=Refund, answered_by=PauseAnswerer.CHANNEL)
class Complete(ChannelOf[Refund]):
    pass


@channel_role(name="second-channel", description="", approves=Refund)  # E: call-arg
class WithoutAnsweredBy(ChannelOf[Refund]):
    pass


@channel_role(name="third-channel", description="", approves=Refund, answered_by=None)  # E: arg-type
class AnsweredByNobody(ChannelOf[Refund]):
    pass
