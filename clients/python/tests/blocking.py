"""Lets tests call an AsyncWaybill as they call a Waybill."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

from waybill import AsyncWaybill


class Blocking:
    def __init__(self, *args: Any, **settings: Any) -> None:
        self._loop = asyncio.new_event_loop()
        self._client = AsyncWaybill(*args, **settings)

    def __enter__(self) -> Blocking:
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.run_until_complete(self._client.close())
        self._loop.close()

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)

        def call(*args: Any, **options: Any) -> Any:
            result = method(*args, **options)
            return self._loop.run_until_complete(result) if inspect.isawaitable(result) else self._each(result)

        return call

    def consume(self, name: str, handler: Any, *, stop: threading.Event | None = None, **options: Any) -> None:
        """Handlers of tests wait; they get a thread, as they would in a program with asyncio."""

        async def handle(message: Any) -> Any:
            return await asyncio.to_thread(handler, message)

        async def run() -> None:
            ended = asyncio.Event()

            async def watch() -> None:
                while stop and not stop.is_set():
                    await asyncio.sleep(0.01)
                ended.set()

            watching = asyncio.create_task(watch()) if stop else None
            try:
                await self._client.consume(name, handle, stop=ended, **options)
            finally:
                if watching:
                    watching.cancel()

        self._loop.run_until_complete(run())

    def _each(self, items: AsyncIterator[Any]) -> Iterator[Any]:
        try:
            while True:
                try:
                    yield self._loop.run_until_complete(anext(items))
                except StopAsyncIteration:
                    return
        finally:
            self._loop.run_until_complete(items.aclose())  # type: ignore[attr-defined]
