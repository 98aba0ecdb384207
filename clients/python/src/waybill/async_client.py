"""The client for programs that use asyncio."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, TypeVar

import httpx

from . import documents, messages, operations, proofs, transfers, types
from .call import Call, Page, Paged
from .consumer import consumption_of
from .events import Event, EventReader
from .many import ManyFields, Outcome, Sending
from .message import Message
from .messages import AcknowledgementStatus, Fields, ReplyFields
from .settings import ConsumeOptions, Settings, service_of
from .steps import Download, Handle, Pause, Step, Steps, Work
from .transfers import Report, Uploaded

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")


class AsyncWaybill:
    """The same as Waybill: what returns there is awaited here, and lists are asynchronous iterators."""

    def __init__(self, key: str | None = None, url: str | None = None, **settings: Unpack[Settings]) -> None:
        self._service = service_of(key, url, settings)
        self._http = httpx.AsyncClient()

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> AsyncWaybill:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def me(self) -> types.Me:
        """Your business, its addresses and usage."""
        return await self.do(operations.get_me())

    async def send(self, to: str, **fields: Unpack[Fields]) -> Message:
        """Sends a message. When this returns, it is in the recipient's inbox, once, whatever the network did."""
        return await self._run(messages.send(self._service, {"to": to}, fields))

    async def send_many(self, many: Iterable[ManyFields] | AsyncIterable[ManyFields]) -> AsyncIterator[Outcome]:
        """Sends many messages, a hundred with each request, and tells in their order what became of them.

        One that is refused stops no other. Messages wait until there are a hundred, or no more come.
        """
        sending = Sending(self._service)
        if isinstance(many, AsyncIterable):
            async for fields in many:
                for outcome in await self._run(sending.take(fields)):
                    yield outcome
        else:
            for fields in many:
                for outcome in await self._run(sending.take(fields)):
                    yield outcome
        for outcome in await self._run(sending.rest()):
            yield outcome

    async def reply(self, message: Message | str, **fields: Unpack[ReplyFields]) -> Message:
        """Replies to a message, in its thread."""
        return await self._run(messages.reply(self._service, message, fields))

    async def acknowledge(self, message: Message | str, status: AcknowledgementStatus, reason: str | None = None) -> types.Acknowledgement:
        """Tells the sender of a received message what becomes of it. The same again does no harm."""
        return await self._run(messages.acknowledge(self._service, message, status, reason))

    async def acknowledgements(self, message: Message | str) -> list[types.Acknowledgement]:
        """What the recipient of a message has said of it, the oldest first."""
        id = message if isinstance(message, str) else message.id
        return (await self.do(operations.get_messages_id_acknowledgements(id)))["data"]

    async def message(self, id: str) -> Message:
        return await self.do(operations.get_messages_id(id))

    async def document(self, message: Message | str, form: documents.DocumentForm) -> bytes:
        """The document of a message as a PDF, CSV or a spreadsheet (`xlsx`) of its lines, or UBL (`xml`)."""
        return await self._run(documents.of_message(self._service, message if isinstance(message, str) else message.id, form))

    async def proof(self, message: Message | str, *, contents: bool = True) -> str:
        """The proof of a message, to save as `.waybill-proof`: it verifies without the service. Waits until the log has the message."""
        return await self._run(proofs.of_message(self._service, message if isinstance(message, str) else message.id, contents))

    async def receipt_proof(self, token_or_url: str, *, format: proofs.Format = "tlog-proof") -> str:
        """The public proof of a receipt, to save as `.tlog-proof` or, with `format="bundle"`, as `.waybill-proof`."""
        return await self._run(proofs.of_receipt(self._service, token_or_url, format))

    def inbox(self, **filters: Unpack[types.GetInboxQuery]) -> AsyncIterator[Message]:
        """Received messages, newest first."""
        return self.items(operations.get_inbox(**filters))

    def outbox(self, **filters: Unpack[types.GetOutboxQuery]) -> AsyncIterator[Message]:
        """Sent messages, newest first."""
        return self.items(operations.get_outbox(**filters))

    def thread(self, id: str, **filters: Unpack[types.GetThreadsIdQuery]) -> AsyncIterator[Message]:
        """The messages of a thread, oldest first."""
        return self.items(operations.get_threads_id(id, **filters))

    def threads(self, **filters: Unpack[types.GetThreadsQuery]) -> AsyncIterator[types.Thread]:
        """Threads, latest activity first."""
        return self.items(operations.get_threads(**filters))

    def search(self, q: str) -> AsyncIterator[types.SearchResult]:
        """Messages and comments, newest first."""
        return self.items(operations.get_search(q=q))

    async def upload(
        self,
        file: str | Path | IO[bytes],
        *,
        filename: str | None = None,
        content_type: str | None = None,
        resume: str | None = None,
        progress: Report | None = None,
    ) -> Uploaded:
        """Uploads a file of up to 5 GB, for `files` of a message. Raises UploadInterrupted if it can be resumed."""
        return await self._run(
            transfers.upload(self._service, file, filename=filename, content_type=content_type, resume=resume, progress=progress)
        )

    async def download(self, file: types.File | str, to: IO[bytes] | str | Path) -> int:
        """Downloads a file of a message to a path or an open file, and checks its hash. Returns the number of bytes."""
        return await self._run(transfers.download(self._service, file, to))

    async def consume(
        self,
        name: str,
        handler: Callable[[Message], Awaitable[object]],
        *,
        stop: asyncio.Event | None = None,
        **options: Unpack[ConsumeOptions],
    ) -> None:
        """Hands the messages of a consumer to your handler, until `stop` is set or the task is cancelled.

        A message is acknowledged when the handler returns, and comes again when it raises. It may come twice: deduplicate by its id.
        """
        consumption = consumption_of(self._service, name, stop or asyncio.Event(), options)
        extender = asyncio.create_task(self._run(consumption.extend(asyncio.Event())))
        try:
            await self._run(consumption.work(), handler)
        finally:
            extender.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await extender
            await self._run(consumption.give_back())

    async def events(self) -> AsyncIterator[Event]:
        """Tells of new messages and changed threads within a second. Connects again by itself, without end."""
        reader = EventReader(self._service)
        while True:
            failure: httpx.TransportError | httpx.Response | None = None
            response = None
            try:
                response = await self._http.send(reader.request(), stream=True)
                if response.is_success:
                    async for line in response.aiter_lines():
                        event = reader.take(line)
                        if event:
                            yield event
                else:
                    await response.aread()
                    failure = response
            except httpx.TransportError as error:
                failure = error
            finally:
                if response:
                    await response.aclose()
            await asyncio.sleep(reader.wait_after(failure))

    async def do(self, call: Call[T]) -> T:
        """Makes any call of waybill.operations."""
        return await self._run(self._service.do(call))

    async def pages(self, paged: Paged[T]) -> AsyncIterator[Page[T]]:
        following: Paged[T] | None = paged
        while following:
            page = await self.do(following)
            yield page
            following = following.after(page)

    async def items(self, paged: Paged[T]) -> AsyncIterator[T]:
        async for page in self.pages(paged):
            for item in page.items:
                yield item

    async def _run(self, steps: Steps[T], handler: Callable[[Message], Awaitable[object]] | None = None) -> T:
        """Makes one step after the other; what a step raises is raised where the step was asked for."""
        try:
            step = next(steps)
            while True:
                try:
                    result = await self._make(step, handler)
                except BaseException as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(result)
        except StopIteration as end:
            result_of_all: T = end.value
            return result_of_all

    async def _make(self, step: Step, handler: Callable[[Message], Awaitable[object]] | None) -> object:
        if isinstance(step, httpx.Request):
            return await self._http.send(step)
        if isinstance(step, Pause):
            if not isinstance(step.until, asyncio.Event):
                await asyncio.sleep(step.seconds)
                return None
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(step.until.wait(), step.seconds)
            return None
        if isinstance(step, Work):
            return await asyncio.to_thread(step.do)
        if isinstance(step, Handle):
            return await handler(step.message) if handler else None
        return await self._download(step)

    async def _download(self, step: Download) -> httpx.Response:
        response = await self._http.send(step.request, stream=True, follow_redirects=True)
        try:
            if not response.is_success:
                await response.aread()
            else:
                async for chunk in response.aiter_raw(transfers.CHUNK):
                    await asyncio.to_thread(step.take, response, chunk)
            return response
        finally:
            await response.aclose()
