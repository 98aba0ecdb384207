"""One real service for all tests, behind a network that can be made bad."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from blocking import Blocking
from network import Network
from waybill import Waybill

ROOT = Path(__file__).resolve().parents[3]


class Service:
    """A process of the service, which tests can kill and start again. It is reached through the network."""

    def __init__(self, network: Network) -> None:
        command = [ROOT / "node_modules/.bin/node", ROOT / "clients/test/service.ts"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._network = network
        self.url = network.url
        self.keys: dict[str, str] = {}

    def start(self, **settings: str) -> None:
        """What the service signs, such as URLs of uploads, leads through the network, too."""
        started = self._command("start " + json.dumps({"PUBLIC_URL": self.url, **settings}))
        self.keys = {address.split("/")[0]: key for address, key in started["keys"].items()}
        self._network.leads_to(started["url"])

    def kill(self) -> None:
        self._command("kill")

    def stop(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait(60)

    def _command(self, line: str) -> dict[str, Any]:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        result = self._process.stdout.readline()
        assert result, "the service did not start"
        parsed: dict[str, Any] = json.loads(result)
        return parsed


@pytest.fixture(scope="session")
def all_of_it() -> Iterator[tuple[Service, Network]]:
    network = Network()
    service = Service(network)
    service.start()
    yield service, network
    service.stop()
    network.close()


@pytest.fixture
def service(all_of_it: tuple[Service, Network]) -> Service:
    return all_of_it[0]


@pytest.fixture
def network(all_of_it: tuple[Service, Network]) -> Iterator[Network]:
    """Good again after each test."""
    yield all_of_it[1]
    all_of_it[1].repair()


@pytest.fixture(params=[Waybill, Blocking], ids=["sync", "async"])
def client(request: pytest.FixtureRequest) -> Any:
    """The class of a client: every test runs with both."""
    return request.param


@pytest.fixture
def acme(client: Any, service: Service) -> Iterator[Any]:
    with client(service.keys["acme"], service.url) as made:
        yield made


@pytest.fixture
def globex(client: Any, service: Service) -> Iterator[Any]:
    with client(service.keys["globex"], service.url) as made:
        yield made
