"""A network between the clients and the service: a proxy on loopback that can be slow, or break connections."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress
from urllib.parse import urlsplit


class Network:
    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._target = ("127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.repair()
        threading.Thread(target=self._accept, daemon=True).start()

    def leads_to(self, url: str) -> None:
        self._target = (str(urlsplit(url).hostname), urlsplit(url).port or 80)

    def repair(self) -> None:
        self._breaks: dict[str, list[int]] = {"up": [], "down": []}
        self._rates: dict[str, float] = {}
        self.carried = {"up": 0, "down": 0}
        self.refusals = 0
        """How many connections get a 503 from here, as a load balancer gives it while the service starts."""

    def break_after(self, direction: str, *sizes: int) -> None:
        """After so many bytes in a direction, the connection that carries them breaks; after so many more, the next one."""
        self._breaks[direction] = list(sizes)

    def slow_down(self, direction: str, bytes_per_s: float) -> None:
        self._rates[direction] = bytes_per_s

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                if self.refusals > 0:
                    self.refusals -= 1
                    threading.Thread(target=_refuse, args=(client,), daemon=True).start()
                    continue
                try:
                    server = socket.create_connection(self._target, 5)
                except OSError:
                    client.close()
                    continue
                for direction, source, target in (("up", client, server), ("down", server, client)):
                    threading.Thread(target=self._carry, args=(direction, source, target), daemon=True).start()

    def _carry(self, direction: str, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while chunk := source.recv(16_384):
                breaks = self._breaks[direction]
                if breaks:
                    chunk = chunk[: breaks[0]]
                    breaks[0] -= len(chunk)
                target.sendall(chunk)
                self.carried[direction] += len(chunk)
                if breaks and breaks[0] == 0:
                    breaks.pop(0)
                    break
                if direction in self._rates:
                    time.sleep(len(chunk) / self._rates[direction])
        # Both ends learn of it, whichever direction broke.
        for one in (source, target):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()


def _refuse(client: socket.socket) -> None:
    page = b"<h1>No server is ready</h1>"
    head = f"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: {len(page)}\r\nConnection: close\r\n\r\n"
    with suppress(OSError), client:
        client.recv(65_536)
        client.sendall(head.encode() + page)
        client.shutdown(socket.SHUT_WR)
        while client.recv(65_536):
            pass
