from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from waybill import errors


@pytest.fixture(scope="module")
def limited(all_of_it: Any) -> Iterator[Any]:
    """The service with a low limit, while this file runs."""
    service = all_of_it[0]
    service.start(RATE_LIMIT_PER_MINUTE="120", RATE_LIMIT_BURST="2")
    yield service
    service.start()


def test_a_rate_limit_is_waited_for(client: Any, limited: Any) -> None:
    with client(limited.keys["acme"], limited.url, retries=0) as hasty, pytest.raises(errors.RateLimited) as refused:
        for _ in range(10):
            hasty.me()
    assert refused.value.retry_after is not None and refused.value.status == 429
    with client(limited.keys["acme"], limited.url) as patient:
        assert len({patient.send("globex").id for _ in range(3)}) == 3
