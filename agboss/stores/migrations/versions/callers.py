"""Callers over HTTP, and the responses they were given under their idempotency keys."""

import sqlalchemy as sa
from alembic import op

revision = "callers"
down_revision = "first"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "callers",
        sa.Column("secret_hash", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("tenants", sa.Text(), nullable=False),
        sa.Column("answers_as", sa.Text(), nullable=False),
        sa.Column("owners", sa.Text(), nullable=False),
        sa.Column("starts", sa.Boolean(), nullable=False),
        sa.Column("added_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("secret_hash"),
    )
    op.create_index("callers_by_name", "callers", ["name"], unique=True)
    op.create_table(
        "responses",
        sa.Column("caller", sa.Text(), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.Column("http_status", sa.BigInteger(), nullable=True),
        sa.Column("body", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("caller", "token"),
    )
    op.create_index("responses_until", "responses", ["until"], unique=False)
