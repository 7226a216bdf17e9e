"""Whom a question was put to, and whether they are told of its answer."""

import sqlalchemy as sa
from alembic import op

revision = "notices"
down_revision = "readings"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("pauses", sa.Column("tells_answers", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("pauses", sa.Column("asked", sa.Text(), nullable=False, server_default="[]"))
    op.add_column("pauses", sa.Column("decided_by", sa.Text(), nullable=True))
