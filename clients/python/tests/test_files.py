from __future__ import annotations

import hashlib
import io
import os
from pathlib import Path
from typing import Any

import pytest

from network import Network
from waybill import HashMismatch, Progress, UploadInterrupted

MB = 1_048_576
BYTES = os.urandom(20 * MB + 1)
SHA256 = f"sha256:{hashlib.sha256(BYTES).hexdigest()}"


@pytest.fixture
def scan(tmp_path: Path) -> Path:
    path = tmp_path / 'Scan "Q3" – 100 %.tiff'
    path.write_bytes(BYTES)
    return path


def test_a_file_arrives_over_a_network_that_breaks(acme: Any, globex: Any, network: Network, scan: Path) -> None:
    seen: list[Progress] = []
    network.break_after("up", 5 * MB, MB)
    uploaded = acme.upload(scan, progress=seen.append)
    assert (uploaded.sha256, uploaded.size_bytes) == (SHA256, len(BYTES))
    assert (seen[-1].done_bytes, seen[-1].total_bytes) == (len(BYTES), len(BYTES))
    assert {each.upload_id for each in seen} == {uploaded.upload_id} and len(seen) > 20
    (file,) = globex.message(acme.send("globex", files=[uploaded]).id).files
    assert (file["filename"], file["content_type"], file["sha256"]) == (scan.name, "image/tiff", SHA256)

    network.repair()
    network.break_after("down", 7 * MB, 5 * MB)
    target = scan.with_name("received.tiff")
    assert globex.download(file, target) == len(BYTES)
    assert target.read_bytes() == BYTES
    # The download resumed where it broke.
    assert network.carried["down"] < len(BYTES) + MB
    buffer = io.BytesIO()
    globex.download(file["id"], buffer)
    assert buffer.getvalue() == BYTES


def test_an_upload_is_resumed_with_what_is_missing(client: Any, service: Any, acme: Any, network: Network, scan: Path) -> None:
    network.break_after("up", 18 * MB)
    with client(service.keys["acme"], service.url, retries=0) as hasty, pytest.raises(UploadInterrupted) as interrupted:
        hasty.upload(scan)
    network.repair()
    with open(scan, "rb") as file:
        uploaded = acme.upload(file, resume=interrupted.value.upload_id)
    assert uploaded.sha256 == SHA256 and uploaded.filename == scan.name
    assert network.carried["up"] < 5 * MB
    assert acme.send("globex", files=[uploaded]).files[0]["sha256"] == SHA256
    # A complete upload can be resumed, too, and stays unchanged.
    assert acme.upload(scan, resume=uploaded.upload_id) == uploaded
    with pytest.raises(ValueError, match="bytes"):
        acme.upload(io.BytesIO(b"other"), resume=uploaded.upload_id)


def test_a_slow_network_is_given_time(client: Any, service: Any, network: Network, scan: Path) -> None:
    """The first upload part takes longer than the time-out, which counts for each piece of it. Otherwise no retry would help."""
    network.slow_down("up", 12 * MB)
    network.slow_down("down", 12 * MB)
    with client(service.keys["acme"], service.url, timeout=1) as acme:
        (file,) = acme.send("acme", files=[scan]).files
        assert acme.download(file, io.BytesIO()) == len(BYTES)


def test_small_and_empty_files_are_uploaded_by_send(acme: Any, globex: Any, tmp_path: Path) -> None:
    for name, content in (("empty.txt", b""), ("invoice.pdf", b"%PDF-")):
        (tmp_path / name).write_bytes(content)
    own = acme.upload(io.BytesIO(b"bytes"), filename="a.bin", content_type="application/x-own")
    message = acme.send("globex", files=[tmp_path / "empty.txt", tmp_path / "invoice.pdf", own])
    assert [(file["filename"], file["content_type"], file["size_bytes"]) for file in message.files] == [
        ("empty.txt", "text/plain", 0),
        ("invoice.pdf", "application/pdf", 5),
        ("a.bin", "application/x-own", 5),
    ]
    assert [globex.download(file, tmp_path / "got") for file in message.files] == [0, 5, 5]


def test_a_file_with_another_hash_is_refused(acme: Any, tmp_path: Path) -> None:
    (file,) = acme.send("globex", files=[acme.upload(io.BytesIO(b"bytes"), filename="a")]).files
    with pytest.raises(HashMismatch):
        acme.download({**file, "sha256": SHA256}, tmp_path / "got")
    assert list(tmp_path.iterdir()) == []
