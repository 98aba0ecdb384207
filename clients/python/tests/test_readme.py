"""Runs the examples of README.md, one after the other, as somebody would who reads it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text()
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_every_example_runs(
    service: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(EXAMPLES) >= 10
    (tmp_path / "scan.tiff").write_bytes(os.urandom(100_000))
    monkeypatch.chdir(tmp_path)
    for name, value in {"ACME_KEY": service.keys["acme"], "GLOBEX_KEY": service.keys["globex"], "WAYBILL_URL": service.url}.items():
        monkeypatch.setenv(name, value)
    names: dict[str, Any] = {"__name__": "readme"}
    for number, example in enumerate(EXAMPLES, 1):
        exec(compile(example, f"README.md, example {number}", "exec"), names)
    printed = capsys.readouterr().out
    for expected in ("msg_", "[{'sku': 'A-1', 'quantity': 3}]", "req_", "1.10", "100000 of 100000 bytes", "messages {'inbox': True"):
        assert expected in printed
    assert (tmp_path / "received.tiff").read_bytes() == (tmp_path / "scan.tiff").read_bytes()
    assert names["receive"](b"{}", {}, "whsec_other") == 401
    for client in (names["acme"], names["globex"]):
        client.close()
