"""The client for programs that wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
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


class Waybill:
    """Acts for the business whose key it has. Threads can share it.

    Without arguments, it takes WAYBILL_KEY and WAYBILL_URL from the environment.
    """

    def __init__(self, key: str | None = None, url: str | None = None, **settings: Unpack[Settings]) -> None:
        self._service = service_of(key, url, settings)
        self._http = httpx.Client()

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Waybill:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def me(self) -> types.Me:
        """Your business, its addresses and usage."""
        return self.do(operations.get_me())

    def send(self, to: str, **fields: Unpack[Fields]) -> Message:
        """Sends a message. When this returns, it is in the recipient's inbox, once, whatever the network did."""
        return self._run(messages.send(self._service, {"to": to}, fields))

    def send_many(self, many: Iterable[ManyFields]) -> Iterator[Outcome]:
        """Sends many messages, a hundred with each request, and tells in their order what became of them.

        One that is refused stops no other. Messages wait until there are a hundred, or no more come.
        """
        sending = Sending(self._service)
        for fields in many:
            yield from self._run(sending.take(fields))
        yield from self._run(sending.rest())

    def reply(self, message: Message | str, **fields: Unpack[ReplyFields]) -> Message:
        """Replies to a message, in its thread."""
        return self._run(messages.reply(self._service, message, fields))

    def acknowledge(self, message: Message | str, status: AcknowledgementStatus, reason: str | None = None) -> types.Acknowledgement:
        """Tells the sender of a received message what becomes of it. The same again does no harm."""
        return self._run(messages.acknowledge(self._service, message, status, reason))

    def acknowledgements(self, message: Message | str) -> list[types.Acknowledgement]:
        """What the recipient of a message has said of it, the oldest first."""
        id = message if isinstance(message, str) else message.id
        return (self.do(operations.get_messages_id_acknowledgements(id)))["data"]

    def message(self, id: str) -> Message:
        return self.do(operations.get_messages_id(id))

    def document(self, message: Message | str, form: documents.DocumentForm) -> bytes:
        """The document of a message as a PDF, CSV or a spreadsheet (`xlsx`) of its lines, or UBL (`xml`)."""
        return self._run(documents.of_message(self._service, message if isinstance(message, str) else message.id, form))

    def proof(self, message: Message | str, *, contents: bool = True) -> str:
        """The proof of a message, to save as `.waybill-proof`: it verifies without the service. Waits until the log has the message."""
        return self._run(proofs.of_message(self._service, message if isinstance(message, str) else message.id, contents))

    def receipt_proof(self, token_or_url: str, *, format: proofs.Format = "tlog-proof") -> str:
        """The public proof of a receipt, to save as `.tlog-proof` or, with `format="bundle"`, as `.waybill-proof`."""
        return self._run(proofs.of_receipt(self._service, token_or_url, format))

    def inbox(self, **filters: Unpack[types.GetInboxQuery]) -> Iterator[Message]:
        """Received messages, newest first."""
        return self.items(operations.get_inbox(**filters))

    def outbox(self, **filters: Unpack[types.GetOutboxQuery]) -> Iterator[Message]:
        """Sent messages, newest first."""
        return self.items(operations.get_outbox(**filters))

    def thread(self, id: str, **filters: Unpack[types.GetThreadsIdQuery]) -> Iterator[Message]:
        """The messages of a thread, oldest first."""
        return self.items(operations.get_threads_id(id, **filters))

    def threads(self, **filters: Unpack[types.GetThreadsQuery]) -> Iterator[types.Thread]:
        """Threads, latest activity first."""
        return self.items(operations.get_threads(**filters))

    def search(self, q: str) -> Iterator[types.SearchResult]:
        """Messages and comments, newest first."""
        return self.items(operations.get_search(q=q))

    def upload(
        self,
        file: str | Path | IO[bytes],
        *,
        filename: str | None = None,
        content_type: str | None = None,
        resume: str | None = None,
        progress: Report | None = None,
    ) -> Uploaded:
        """Uploads a file of up to 5 GB, for `files` of a message. Raises UploadInterrupted if it can be resumed."""
        return self._run(
            transfers.upload(self._service, file, filename=filename, content_type=content_type, resume=resume, progress=progress)
        )

    def download(self, file: types.File | str, to: IO[bytes] | str | Path) -> int:
        """Downloads a file of a message to a path or an open file, and checks its hash. Returns the number of bytes."""
        return self._run(transfers.download(self._service, file, to))

    def consume(
        self,
        name: str,
        handler: Callable[[Message], object],
        *,
        stop: threading.Event | None = None,
        **options: Unpack[ConsumeOptions],
    ) -> None:
        """Hands the messages of a consumer to your handler, until `stop` is set.

        A message is acknowledged when the handler returns, and comes again when it raises. It may come twice: deduplicate by its id.
        """
        consumption = consumption_of(self._service, name, stop or threading.Event(), options)
        done = threading.Event()
        extender = threading.Thread(target=lambda: self._run(consumption.extend(done)), name=f"waybill-{name}", daemon=True)
        extender.start()
        try:
            self._run(consumption.work(), handler)
        finally:
            done.set()
            extender.join()
            self._run(consumption.give_back())

    def events(self) -> Iterator[Event]:
        """Tells of new messages and changed threads within a second. Connects again by itself, without end."""
        reader = EventReader(self._service)
        while True:
            failure: httpx.TransportError | httpx.Response | None = None
            response = None
            try:
                response = self._http.send(reader.request(), stream=True)
                if response.is_success:
                    for line in response.iter_lines():
                        event = reader.take(line)
                        if event:
                            yield event
                else:
                    response.read()
                    failure = response
            except httpx.TransportError as error:
                failure = error
            finally:
                if response:
                    response.close()
            time.sleep(reader.wait_after(failure))

    def do(self, call: Call[T]) -> T:
        """Makes any call of waybill.operations."""
        return self._run(self._service.do(call))

    def pages(self, paged: Paged[T]) -> Iterator[Page[T]]:
        following: Paged[T] | None = paged
        while following:
            page = self.do(following)
            yield page
            following = following.after(page)

    def items(self, paged: Paged[T]) -> Iterator[T]:
        for page in self.pages(paged):
            yield from page.items

    def _run(self, steps: Steps[T], handler: Callable[[Message], object] | None = None) -> T:
        """Makes one step after the other; what a step raises is raised where the step was asked for."""
        try:
            step = next(steps)
            while True:
                try:
                    result = self._make(step, handler)
                except BaseException as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(result)
        except StopIteration as end:
            result_of_all: T = end.value
            return result_of_all

    def _make(self, step: Step, handler: Callable[[Message], object] | None) -> object:
        if isinstance(step, httpx.Request):
            return self._http.send(step)
        if isinstance(step, Pause):
            if isinstance(step.until, threading.Event):
                return step.until.wait(step.seconds)
            time.sleep(step.seconds)
            return None
        if isinstance(step, Work):
            return step.do()
        if isinstance(step, Handle):
            return handler(step.message) if handler else None
        return self._download(step)

    def _download(self, step: Download) -> httpx.Response:
        response = self._http.send(step.request, stream=True, follow_redirects=True)
        try:
            if not response.is_success:
                response.read()
            else:
                for chunk in response.iter_raw(transfers.CHUNK):
                    step.take(response, chunk)
            return response
        finally:
            response.close()
