"""Files: uploads in parts that can be resumed, downloads that go on where they broke."""

from __future__ import annotations

import hashlib
import mimetypes
import os
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

import httpx

from . import operations
from .errors import ApiError, Forbidden, HashMismatch, UploadInterrupted, WaybillError
from .steps import Download, Pause, Service, Steps, Work, connection_failed, wait_after

if TYPE_CHECKING:
    from . import types

CHUNK = 256 * 1024
URLS_AT_A_TIME = 10
"""Few, because each is valid for an hour, and the line may be slow."""
JOINING_S = 600.0


@dataclass(frozen=True)
class Uploaded:
    """A file that messages can name, within 24 hours: `files=[uploaded]`."""

    upload_id: str
    filename: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True)
class Progress:
    upload_id: str
    """Store it to resume the upload later."""
    done_bytes: int
    total_bytes: int


Report = Callable[[Progress], object]


class PartBody(httpx.SyncByteStream, httpx.AsyncByteStream):
    """The bytes of an upload part in small pieces, so that a time-out counts for a piece, and progress can be seen."""

    def __init__(self, data: bytes, sent: Callable[[int], None]) -> None:
        self._data = data
        self._sent = sent

    def __iter__(self) -> Iterator[bytes]:
        for start in range(0, len(self._data), CHUNK):
            yield self._data[start : start + CHUNK]
            self._sent(min(start + CHUNK, len(self._data)))

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self:
            yield piece


def upload(
    service: Service,
    file: str | Path | IO[bytes],
    *,
    filename: str | None = None,
    content_type: str | None = None,
    resume: str | None = None,
    progress: Report | None = None,
) -> Steps[Uploaded]:
    source = cast("IO[bytes]", (yield Work(lambda: open(file, "rb")))) if isinstance(file, (str, Path)) else file
    try:
        size = yield Work(lambda: source.seek(0, os.SEEK_END))
        name = filename or os.path.basename(str(file if isinstance(file, (str, Path)) else getattr(source, "name", "file")))
        kind = content_type or mimetypes.guess_type(name)[0] or "application/octet-stream"
        state = yield from _announced(service, name, kind, size, resume)
        try:
            sha256 = yield from _Upload(service, source, state, progress).run()
        except WaybillError as error:
            raise UploadInterrupted(state["upload_id"], error) from error
        return Uploaded(state["upload_id"], state["filename"], size, sha256)
    finally:
        if source is not file:
            source.close()


def _announced(service: Service, name: str, kind: str, size: int, resume: str | None) -> Steps[types.PartedUpload]:
    if resume is None:
        announced = operations.post_uploads({"filename": name, "content_type": kind, "size_bytes": size, "parts": True})
        return cast("types.PartedUpload", (yield from service.do(announced)))
    state = yield from service.do(operations.get_uploads_id(resume))
    if "part_size_bytes" not in state:
        raise ValueError(f"{resume} is not an upload in parts; upload the file again")
    if state["size_bytes"] != size:
        raise ValueError(f"{resume} is for {state['size_bytes']} bytes, but the file has {size}; upload it again")
    return cast("types.PartedUpload", state)


class _Upload:
    """One upload in parts, from the state in which the service has it."""

    def __init__(self, service: Service, source: IO[bytes], state: types.PartedUpload, progress: Report | None) -> None:
        self._service = service
        self._source = source
        self._state = state
        self._progress = progress
        self._done = 0
        self._urls: dict[int, types.PartTicketsPartsItem] = {}

    def run(self) -> Steps[str]:
        """Reads the whole file, because its hash needs that, and sends the parts that are missing."""
        sha256 = hashlib.sha256()
        part_size, total = self._state["part_size_bytes"], self._state["size_bytes"]
        arrived = set(self._state["arrived_parts"])
        count = max(1, -(-total // part_size))
        for number in range(1, count + 1):
            data: bytes = yield Work(partial(self._part, number, sha256))
            if number not in arrived and not self._state["complete"]:
                missing = [each for each in range(number, count + 1) if each not in arrived]
                yield from self._put(number, data, missing)
            self._done += len(data)
            self._tell(0)
        if not self._state["complete"]:
            joined = operations.post_uploads_id_complete(self._state["upload_id"])
            yield from self._service.do(replace(joined, patience=JOINING_S))
        return f"sha256:{sha256.hexdigest()}"

    def _part(self, number: int, sha256: Any) -> bytes:
        self._source.seek((number - 1) * self._state["part_size_bytes"])
        wanted = min(self._state["part_size_bytes"], self._state["size_bytes"] - self._source.tell())
        data = self._source.read(wanted)
        if len(data) != wanted:
            raise ValueError("the file has become shorter; upload it again")
        sha256.update(data)
        return data

    def _put(self, number: int, data: bytes, missing: list[int]) -> Steps[None]:
        for failures in range(self._service.retries + 1):
            if number not in self._urls:
                numbers = missing[:URLS_AT_A_TIME]
                tickets = yield from self._service.do(operations.post_uploads_id_parts(self._state["upload_id"], {"numbers": numbers}))
                self._urls = {ticket["number"]: ticket for ticket in tickets["parts"]}
            ticket = self._urls.pop(number)
            headers = {**ticket["headers"], "content-length": str(len(data))}
            body = PartBody(data, self._tell)
            try:
                response = yield self._service.plain_request("PUT", ticket["url"], headers, stream=body)
            except httpx.TransportError as error:
                failure: WaybillError = connection_failed(error)
            else:
                if response.is_success:
                    return
                failure = ApiError.of(response)
            # An expired URL is forbidden. The next try gets a new one.
            wait = 0.0 if isinstance(failure, Forbidden) else wait_after(failure, failures)
            if wait is None or failures == self._service.retries:
                raise failure
            yield Pause(wait)

    def _tell(self, of_this_part: int) -> None:
        if self._progress:
            self._progress(Progress(self._state["upload_id"], self._done + of_this_part, self._state["size_bytes"]))


def download(service: Service, file: types.File | str, to: IO[bytes] | str | Path) -> Steps[int]:
    """Returns the number of bytes. A path gets the file only when it is complete."""
    if not isinstance(to, (str, Path)):
        return (yield from _Download(service, file, to).run())
    unfinished = Path(f"{to}.unfinished")
    target = cast("IO[bytes]", (yield Work(lambda: open(unfinished, "wb"))))
    try:
        with target:
            size = yield from _Download(service, file, target).run()
        os.replace(unfinished, to)
        return size
    finally:
        unfinished.unlink(missing_ok=True)


class _Download:
    def __init__(self, service: Service, file: types.File | str, target: IO[bytes]) -> None:
        self._service = service
        self._id = file if isinstance(file, str) else file["id"]
        self._sha256 = None if isinstance(file, str) else file["sha256"]
        self._target = target
        self._hash = hashlib.sha256()
        self._done = 0
        self._skipped = 0

    def run(self) -> Steps[int]:
        failures = 0
        while True:
            before = self._done
            link = yield from self._service.do(operations.get_files_id(self._id))
            headers = {"accept-encoding": "identity", **({"range": f"bytes={self._done}-"} if self._done else {})}
            self._skipped = 0
            try:
                response = yield Download(self._service.plain_request("GET", link["download_url"], headers), self._take)
            except httpx.TransportError as error:
                failure: WaybillError = connection_failed(error)
            else:
                if response.is_success or (response.status_code == 416 and self._done):
                    return self._checked()
                failure = ApiError.of(response)
            # Only failures without progress in between count.
            failures = 0 if self._done > before else failures + 1
            wait = wait_after(failure, failures)
            if wait is None or failures > self._service.retries:
                raise failure
            yield Pause(wait)

    def _take(self, response: httpx.Response, chunk: bytes) -> None:
        if response.status_code != 206 and self._skipped < self._done:
            # The response has the whole file instead of the rest, so the bytes that are there already are skipped.
            passed = min(len(chunk), self._done - self._skipped)
            self._skipped += passed
            chunk = chunk[passed:]
        self._target.write(chunk)
        self._hash.update(chunk)
        if response.status_code != 206:
            self._skipped += len(chunk)
        self._done += len(chunk)

    def _checked(self) -> int:
        found = f"sha256:{self._hash.hexdigest()}"
        if self._sha256 not in (None, found):
            raise HashMismatch(f"{self._id} should be {self._sha256}, but what came is {found}. Download it again.")
        return self._done
