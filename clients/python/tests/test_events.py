from __future__ import annotations

from typing import Any

import pytest

from waybill import Event, errors


def test_events_tell_of_messages_and_outlive_a_crash(acme: Any, globex: Any, service: Any) -> None:
    events = globex.events()

    def next_of_messages() -> Event:
        found: Event = next(event for event in events if event.name == "messages")
        return found

    # The first event stands for everything before it.
    assert next_of_messages().data == {"inbox": True, "outbox": True}
    acme.send("globex")
    assert next_of_messages().data["inbox"] is True
    service.kill()
    service.start()
    assert next_of_messages().data == {"inbox": True, "outbox": True}
    events.close()


def test_a_refused_stream_is_an_error(client: Any, service: Any) -> None:
    with client("wb_wrong", service.url) as stranger, pytest.raises(errors.Unauthorized):
        next(stranger.events())
