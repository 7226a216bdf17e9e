"""Run by alembic: the connection comes from ``migrate``."""

from alembic import context

from agboss.stores.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata(), render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
