"""A worker of the office application; its settings come from AGBOSS_* variables."""

import asyncio

from application import office


async def main() -> None:
    async with office.worker():
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
