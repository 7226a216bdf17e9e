"""The whole schema: trees, pauses, their history, the journal, the outbox and what sweeps need."""

import sqlalchemy as sa
from alembic import op

revision = "first"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "answers",
        sa.Column("root", sa.Text(), nullable=False),
        sa.Column("step_key", sa.Text(), nullable=False),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("entry", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("root", "step_key"),
    )
    op.create_table(
        "blobs",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("hash"),
    )
    op.create_table(
        "calls",
        sa.Column("step_key", sa.Text(), nullable=False),
        sa.Column("turn_key", sa.Text(), nullable=False),
        sa.Column("root", sa.Text(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("call_id", sa.Text(), nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("raw_arguments", sa.Text(), nullable=False),
        sa.Column("arguments", sa.Text(), nullable=False),
        sa.Column("masked_arguments", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("schema_hash", sa.Text(), nullable=False),
        sa.Column("gated", sa.Boolean(), nullable=False),
        sa.Column("begun", sa.Boolean(), nullable=False),
        sa.Column("result", sa.Text(), nullable=True),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("step_key"),
    )
    op.create_table(
        "events",
        sa.Column("root", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("delivered", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("root", "number"),
    )
    op.create_table(
        "fences",
        sa.Column("root", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("resolution", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("root", "path"),
    )
    op.create_table(
        "holders",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("root", sa.Text(), nullable=False),
        sa.Column("parent", sa.Text(), nullable=True),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("workflow_id", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("motion", sa.BigInteger(), nullable=False),
        sa.Column("reaped", sa.Boolean(), nullable=False),
        sa.Column("wants_slot", sa.Boolean(), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "leases",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "pauses",
        sa.Column("step_key", sa.Text(), nullable=False),
        sa.Column("pause_key", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("id_hash", sa.Text(), nullable=False),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("root", sa.Text(), nullable=False),
        sa.Column("execution", sa.Text(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("workflow_id", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("position_key", sa.Text(), nullable=False),
        sa.Column("step", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("resolution", sa.Text(), nullable=True),
        sa.Column("acted", sa.Boolean(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("implementation", sa.Text(), nullable=False),
        sa.Column("answered_by", sa.Text(), nullable=False),
        sa.Column("four_eyes", sa.Boolean(), nullable=False),
        sa.Column("timeout", sa.BigInteger(), nullable=False),
        sa.Column("send_state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.BigInteger(), nullable=False),
        sa.Column("send_until", sa.BigInteger(), nullable=False),
        sa.Column("reported", sa.Text(), nullable=False),
        sa.Column("failed_send", sa.Boolean(), nullable=False),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.Column("withdraw", sa.Text(), nullable=False),
        sa.Column("claim", sa.BigInteger(), nullable=False),
        sa.Column("claimed_until", sa.BigInteger(), nullable=False),
        sa.Column("nudge_at", sa.BigInteger(), nullable=True),
        sa.Column("nudges", sa.BigInteger(), nullable=False),
        sa.Column("decision", sa.Text(), nullable=True),
        sa.Column("masked_decision", sa.Text(), nullable=True),
        sa.Column("responder", sa.Text(), nullable=True),
        sa.Column("answerer", sa.Text(), nullable=True),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
        sa.Column("resolved_at", sa.BigInteger(), nullable=True),
        sa.Column("closed_at", sa.BigInteger(), nullable=True),
        sa.Column("settled_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("step_key"),
    )
    op.create_table(
        "threads",
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("thread", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("tenant", "thread"),
    )
    op.create_table(
        "trees",
        sa.Column("root", sa.Text(), nullable=False),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("thread", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("workflow", sa.Text(), nullable=False),
        sa.Column("workflow_id", sa.Text(), nullable=False),
        sa.Column("plan_hash", sa.Text(), nullable=False),
        sa.Column("input", sa.Text(), nullable=False),
        sa.Column("fields", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("at_rest", sa.Boolean(), nullable=False),
        sa.Column("rest_no", sa.BigInteger(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("event_no", sa.BigInteger(), nullable=False),
        sa.Column("fences", sa.BigInteger(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("output", sa.Text(), nullable=True),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.Column("cancelled_by", sa.Text(), nullable=True),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("root"),
    )
    op.create_table(
        "turns",
        sa.Column("turn_key", sa.Text(), nullable=False),
        sa.Column("root", sa.Text(), nullable=False),
        sa.Column("execution", sa.Text(), nullable=False),
        sa.Column("node", sa.Text(), nullable=False),
        sa.Column("visit", sa.BigInteger(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("item", sa.BigInteger(), nullable=True),
        sa.Column("iteration", sa.BigInteger(), nullable=False),
        sa.Column("validation_attempts", sa.BigInteger(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cost", sa.Float(), nullable=True),
        sa.Column("output", sa.Text(), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("turn_key"),
    )
    op.create_table(
        "ledger",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("attempt", sa.BigInteger(), nullable=False),
        sa.Column("root", sa.Text(), nullable=False),
        sa.Column("execution", sa.Text(), nullable=False),
        sa.Column("caller", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), nullable=True),
        sa.Column("output_tokens", sa.BigInteger(), nullable=True),
        sa.Column("cost", sa.Float(), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("key", "attempt"),
    )
    op.create_index("ledger_of_tree", "ledger", ["root"])
    op.create_index("calls_of_turn", "calls", ["turn_key", "position"], unique=False)
    op.create_index(
        "events_waiting",
        "events",
        ["at", "root", "number"],
        unique=False,
        sqlite_where=sa.text("delivered = 0"),
        postgresql_where=sa.text("delivered = 0"),
    )
    op.create_index(
        "holders_live",
        "holders",
        ["id"],
        unique=False,
        sqlite_where=sa.text("state <> 'ended'"),
        postgresql_where=sa.text("state <> 'ended'"),
    )
    op.create_index("holders_of_tree", "holders", ["root", "parent"], unique=False)
    op.create_index("pauses_by_id", "pauses", ["tenant", "id_hash"], unique=True)
    op.create_index(
        "pauses_closed",
        "pauses",
        ["closed_at"],
        unique=False,
        sqlite_where=sa.text("settled_at is not null"),
        postgresql_where=sa.text("settled_at is not null"),
    )
    op.create_index(
        "pauses_owed",
        "pauses",
        ["send_state", "asked_at"],
        unique=False,
        sqlite_where=sa.text("withdraw = 'owed'"),
        postgresql_where=sa.text("withdraw = 'owed'"),
    )
    op.create_index(
        "pauses_claimed",
        "pauses",
        ["asked_at"],
        unique=False,
        sqlite_where=sa.text("withdraw = 'claimed'"),
        postgresql_where=sa.text("withdraw = 'claimed'"),
    )
    op.create_index("pauses_of_tree", "pauses", ["root", "status", "seq"], unique=False)
    op.create_index("pauses_at_position", "pauses", ["position_key"], unique=False)
    op.create_index(
        "pauses_pending",
        "pauses",
        ["tenant", "asked_at", "root", "seq", "owner"],
        unique=False,
        sqlite_where=sa.text("status = 'pending'"),
        postgresql_where=sa.text("status = 'pending'"),
    )
    op.create_index(
        "pauses_to_nudge",
        "pauses",
        ["nudge_at"],
        unique=False,
        sqlite_where=sa.text("status = 'resolved'"),
        postgresql_where=sa.text("status = 'resolved'"),
    )
    op.create_index(
        "trees_one_live",
        "trees",
        ["tenant", "thread"],
        unique=True,
        sqlite_where=sa.text("status = 'live'"),
        postgresql_where=sa.text("status = 'live'"),
    )
    op.create_index("turns_of_step", "turns", ["execution", "node", "visit", "iteration"], unique=False)
