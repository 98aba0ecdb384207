"""What `send_many` asks of the service: a hundred messages with each request."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from typing import cast

import httpx

from . import types
from .call import Call, json_bytes
from .errors import ApiError
from .messages import Destination, Fields, body_of, uploaded
from .steps import Pause, Service, Steps, wait_after

MESSAGES_MAX = 100
BYTES_MAX = 4 * 1_048_576 - 1_024
"""The limits of a batch request. Its frame takes some bytes, too."""


class ManyFields(Fields, total=False):
    """A message of `send_many`. Give each an idempotency_key, and the whole can be repeated after a crash."""

    to: str
    in_reply_to: str


@dataclass(frozen=True)
class Outcome:
    """What became of one message of `send_many`."""

    fields: ManyFields
    message: types.EnvelopeSummary | None
    """The message without its JSON; None if it was refused."""
    error: ApiError | None
    is_replayed: bool
    """Whether an earlier request with the same idempotency key had sent it, so that nothing was sent."""
    body_differs: bool
    """Whether that request is known to have asked for another message."""


@dataclass(frozen=True)
class Prepared:
    fields: ManyFields
    text: bytes


class Sending:
    """Gathers messages, and sends them when no more fit into a request."""

    def __init__(self, service: Service) -> None:
        if service.signer:
            raise TypeError("send_many can't sign messages; use send, or a client without a signing key")
        self._service = service
        self._batch: list[Prepared] = []
        self._bytes = 0

    def take(self, fields: ManyFields) -> Steps[list[Outcome]]:
        """Returns the outcomes of messages that had to be sent to make room."""
        files = yield from uploaded(self._service, fields)
        key = json_bytes(fields.get("idempotency_key") or str(uuid.uuid4()))
        destination = cast("Destination", {name: fields[name] for name in ("to", "in_reply_to") if name in fields})
        text = b'{"idempotency_key":' + key + b"," + body_of(destination, fields, files)[1:]
        outcomes: list[Outcome] = []
        if len(self._batch) == MESSAGES_MAX or self._bytes + len(text) > BYTES_MAX:
            outcomes = yield from self.rest()
        self._batch.append(Prepared(fields, text))
        self._bytes += len(text) + 1
        return outcomes

    def rest(self) -> Steps[list[Outcome]]:
        batch, self._batch, self._bytes = self._batch, [], 0
        outcomes: dict[int, Outcome] = {}
        waiting = list(enumerate(batch))
        failures = 0
        while waiting:
            # Each message has a key, so a repeat is harmless.
            body = b'{"messages":[' + b",".join(prepared.text for _, prepared in waiting) + b"]}"
            response = yield from self._service.respond(Call("POST", "/v1/messages/batch", json.loads, body=body))
            latest = [
                _outcome(prepared.fields, outcome, response)
                for (_, prepared), outcome in zip(waiting, json.loads(response.content)["data"], strict=True)
            ]
            outcomes.update({place: outcome for (place, _), outcome in zip(waiting, latest, strict=True)})
            # Those for which the service had no room at the moment are sent again.
            failed = [error for error in (outcome.error for outcome in latest) if error and error.status >= 500]
            waiting = [one for one, outcome in zip(waiting, latest, strict=True) if outcome.error and outcome.error.status >= 500]
            if not failed or failures == self._service.retries:
                break
            yield Pause(max(wait_after(error, failures) or 0 for error in failed))
            failures += 1
        return [outcomes[place] for place in range(len(batch))]


def _outcome(fields: ManyFields, outcome: types.BatchOutcome, response: httpx.Response) -> Outcome:
    error = None
    if outcome["error"]:
        headers = {"x-request-id": response.headers.get("x-request-id", "")}
        if outcome["retry_after"] is not None:
            headers["retry-after"] = str(outcome["retry_after"])
        error = ApiError.of(httpx.Response(outcome["status"], json={"error": outcome["error"]}, headers=headers))
    return Outcome(fields, outcome["message"], error, outcome["idempotent_replayed"], outcome["idempotent_body_differs"])
