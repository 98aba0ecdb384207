"""The document of a message as a file."""

from __future__ import annotations

from typing import Literal

from .call import call
from .steps import Service, Steps

DocumentForm = Literal["pdf", "csv", "xlsx", "xml"]


def of_message(service: Service, id: str, form: DocumentForm) -> Steps[bytes]:
    response = yield from service.respond(call("GET", "/v1/messages/{id}/document.{form}", None, path=[id, form]))
    content: bytes = response.content
    return content
