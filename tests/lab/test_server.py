"""The server: what it answers, and everything that it refuses, with a sentence."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from novikoff.lab import connections, server
from novikoff.lab.endpoints import ENDPOINTS
from tests.lab.running import Running

GOOD = {"points": [[1.0, 2.0], [-1.0, 0.5]], "labels": [1, -1]}


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with Running() as running:
        yield running


@pytest.fixture(scope="module")
def client(running: Running) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=running.url, timeout=60) as client:
        yield client


def post(client: httpx.Client, path: str, body: Any, **headers: str) -> httpx.Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return client.post(path, content=content, headers={"content-type": "application/json", **headers})


def refused(response: httpx.Response, status: int, words: str) -> None:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/json"
    assert set(response.json()) == {"error"}
    assert words in response.json()["error"]


# Files -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/main.js", "text/javascript; charset=utf-8"),
        ("/lab.css", "text/css; charset=utf-8"),
        ("/icon.svg", "image/svg+xml"),
        ("/vendor/uplot/uPlot.esm.js", "text/javascript; charset=utf-8"),
        ("/openapi.json", "application/json"),
    ],
)
def test_files_have_their_type_and_a_tag(client: httpx.Client, path: str, kind: str) -> None:
    response = client.get(path)
    assert response.status_code == 200
    assert response.headers["content-type"] == kind
    assert response.headers["cache-control"] == "no-cache"
    again = client.get(path, headers={"if-none-match": f'"other", {response.headers["etag"]}'})
    assert again.status_code == 304
    assert again.content == b""
    assert client.get(path, headers={"if-none-match": '"other"'}).status_code == 200
    head = client.head(path)
    assert head.status_code == 200
    assert head.content == b""
    assert head.headers["content-length"] == str(len(response.content))


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/../server.py",
        "/..%2fserver.py",
        "/%2e%2e/server.py",
        "/vendor/../../server.py",
        "//etc/passwd",
        "/main.js/",
        "/vendor",
        "/vendor/uplot/VERSION",
        "/main.js%00",
        "/static/main.js",
    ],
)
def test_nothing_else_is_served(client: httpx.Client, path: str) -> None:
    refused(client.get(path), 404, "no such page")


@pytest.mark.parametrize("path", ["/", "/api/run", "/nothing"])
def test_every_answer_has_the_security_headers(client: httpx.Client, path: str) -> None:
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';")
    assert "unsafe" not in policy
    assert "http" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert "set-cookie" not in headers
    assert "access-control-allow-origin" not in headers


def test_the_page_has_nothing_inline_and_nothing_from_elsewhere() -> None:
    for path, asset in server.assets().items():
        if path.startswith("/vendor") or path == "/openapi.json":
            continue
        text = asset.body.decode()
        links = re.findall(r"https?://[^\s\"'`)]+", text)
        assert set(links) <= {"http://www.w3.org/2000/svg"}, path
        assert "innerHTML" not in text, path
        assert "eval(" not in text, path
        if asset.type.startswith("text/html"):
            assert not re.search(r"\son\w+=|\sstyle=|<script>|<style", text), path


@pytest.mark.parametrize(("method", "path", "allow"), [("POST", "/", "GET"), ("GET", "/api/run", "POST")])
def test_methods(client: httpx.Client, method: str, path: str, allow: str) -> None:
    for wrong in (method, "PUT", "DELETE", "OPTIONS"):
        response = client.request(wrong, path)
        refused(response, 405, "method")
        assert allow in response.headers["allow"]


# Endpoints ---------------------------------------------------------------------------------------


def test_the_endpoints_answer(client: httpx.Client) -> None:
    shown = post(client, "/api/run", GOOD)
    assert shown.status_code == 200
    assert shown.headers["cache-control"] == "no-store"
    assert shown.json()["verdict"] == "separable"
    assert post(client, "/api/check", GOOD).json()["held"] is True
    assert "Perceptron" in post(client, "/api/code", GOOD).json()["python"]
    assert post(client, "/api/read", {"text": "1,2,+\n3,4,-"}).json()["labels"] == [1, -1]
    listed = post(client, "/api/examples", {}).json()
    assert len(listed) >= 9
    assert len({example["key"] for example in listed}) == len(listed)


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b"", 400, "not JSON"),
        (b"{", 400, "not JSON"),
        (b"\xff\xfe", 400, "not JSON"),
        (b"[" * 100_000, 422, "Expected `object`"),
        (b'{"points": ' + b"[" * 100_000, 422, "Expected `float`"),
        (b'{"points": [[NaN, 1]], "labels": [1]}', 400, "not JSON"),
        (b'{"points": [[1e999, 1]], "labels": [1]}', 422, "out of range"),
        (b"null", 422, "Expected `object`"),
        ({"points": GOOD["points"]}, 422, "labels"),
        ({**GOOD, "labels": [1, 0]}, 422, "labels"),
        ({**GOOD, "labels": [1, True]}, 422, "labels"),
        ({**GOOD, "labels": [1]}, 422, "2 points but 1 labels"),
        ({**GOOD, "points": []}, 422, "points"),
        ({**GOOD, "points": [["1", 2.0], [1.0, 2.0]]}, 422, "points"),
        ({**GOOD, "points": [[1e7, 2.0], [1.0, 2.0]]}, 422, "points"),
        ({**GOOD, "points": [[1.0] * 4] * 2}, 422, "points"),
        ({"points": [[1.0]] * 501, "labels": [1] * 501}, 422, "points"),
        ({**GOOD, "order": "random"}, 422, "order"),
        ({**GOOD, "seed": -1}, 422, "seed"),
        ({**GOOD, "seed": 2**70}, 422, "seed"),
        ({**GOOD, "more": 1}, 422, "more"),
        ({**GOOD, "intercept": 1}, 422, "intercept"),
    ],
)
def test_bad_requests_are_refused_with_a_sentence(client: httpx.Client, body: Any, status: int, words: str) -> None:
    refused(post(client, "/api/run", body), status, words)


def test_only_json_is_read(client: httpx.Client) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        refused(client.post("/api/run", content=b"{}", headers={"content-type": kind}), 415, "content-type")
    assert post(client, "/api/examples", {}, **{"content-type": "application/json; charset=utf-8"}).status_code == 200


def test_long_bodies_are_cut_off_while_they_come(client: httpx.Client) -> None:
    taken = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        while True:
            taken += 65536
            yield b" " * 65536
            if taken > 100 * 65536:
                return

    with Running() as running, httpx.Client() as plain:
        body = b" " * (server.LONGEST_BODY + 1)
        refused(
            plain.post(f"{running.url}api/run", content=body, headers={"content-type": "application/json"}),
            413,
            "256 KiB",
        )
        try:
            response = plain.post(
                f"{running.url}api/run", content=endless(), headers={"content-type": "application/json"}
            )
            refused(response, 413, "256 KiB")
        except httpx.TransportError:
            pass  # closed while we were still sending, which is as good
    fits = b" " * (server.LONGEST_BODY - 2) + b"{}"
    assert post(client, "/api/examples", fits).status_code == 200


def test_foreign_hosts_and_origins_are_refused(client: httpx.Client, running: Running) -> None:
    port = running.port
    for host in (
        "evil.example",
        f"evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:80",
        f"localhost.evil.example:{port}",
        "",
    ):
        for method, path in (("GET", "/"), ("POST", "/api/run")):
            refused(client.request(method, path, headers={"host": host}), 403, "known as")
    assert client.get("/", headers={"host": f"LOCALHOST:{port}"}).status_code == 200
    for origin in (
        "http://evil.example",
        "null",
        f"https://127.0.0.1:{port}",
        "http://127.0.0.1:9",
        f"http://localhost:{port}",
    ):
        refused(post(client, "/api/examples", {}, origin=origin), 403, "own page")
    assert post(client, "/api/examples", {}, origin=f"http://127.0.0.1:{port}").status_code == 200


def test_a_bug_is_a_sentence_and_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Any) -> None:
        raise KeyError("secret")

    kind = ENDPOINTS["/api/examples"][0]
    monkeypatch.setitem(ENDPOINTS, "/api/examples", (kind, broken))
    with Running() as running, httpx.Client(base_url=running.url) as client:
        response = post(client, "/api/examples", {})
    refused(response, 500, "failed")
    assert "secret" not in response.text


def test_more_than_can_wait_is_told_to_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    started, go_on = threading.Event(), threading.Event()

    def slow(_: Any) -> list[int]:
        started.set()
        assert go_on.wait(20)
        return []

    kind = ENDPOINTS["/api/examples"][0]
    monkeypatch.setitem(ENDPOINTS, "/api/examples", (kind, slow))
    monkeypatch.setattr(server, "WAITING", 1)
    with Running() as running, ThreadPoolExecutor(1) as pool, httpx.Client(timeout=20) as client:
        first = pool.submit(httpx.post, f"{running.url}api/examples", json={}, timeout=20)
        assert started.wait(20)
        second = client.post(f"{running.url}api/examples", json={})
        assert client.get(running.url).status_code == 200  # the page still comes
        go_on.set()
        assert first.result().status_code == 200
        refused(second, 503, "waiting")
        assert second.headers["retry-after"] == "1"
        assert client.post(f"{running.url}api/examples", json={}).status_code == 200


def test_two_hundred_clients_at_once_all_get_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    # Clients and server share one process and its lock: how soon a client sends is no client's doing.
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 600.0)
    monkeypatch.setattr(connections, "ANSWER_SECONDS", 600.0)
    with Running() as running, httpx.Client(timeout=60, limits=httpx.Limits(max_connections=200)) as client:
        barrier = threading.Barrier(200)

        def ask(i: int) -> int:
            barrier.wait(60)
            if i % 4 == 0:
                return client.get(running.url).status_code
            return client.post(f"{running.url}api/run", json={**GOOD, "seed": i}).status_code

        with ThreadPoolExecutor(200) as pool:
            codes = list(pool.map(ask, range(200)))
    assert set(codes) <= {200, 503}
    assert codes[::4] == [200] * 50
    assert codes.count(200) > 60


# Connections -------------------------------------------------------------------------------------

HALVES = [b"", b"GET / HT", b"GET / HTTP/1.1\r\nhost: x\r\n"]
WHOLE = b"GET /icon.svg HTTP/1.1\r\nhost: 127.0.0.1:%d\r\n\r\n"


def opened(running: Running, text: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", running.port), timeout=60)
    connection.sendall(text)
    return connection


def is_closed(connection: socket.socket) -> bool:
    """Waits for the other end to close; a test that hangs here has found a fault."""
    try:
        while connection.recv(1 << 16):
            pass
    except ConnectionResetError:
        pass
    connection.close()
    return True


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("before", [False, True], ids=["at first", "after an answer"])
def test_a_request_that_does_not_come_to_its_end_is_given_up(
    half: bytes, before: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.2)
    with Running() as running:
        connection = opened(running, (WHOLE % running.port if before else b"") + half)
        if before:
            assert connection.recv(12) == b"HTTP/1.1 200"
        assert is_closed(connection)
        assert httpx.get(running.url, timeout=60).status_code == 200


def test_an_answer_that_nobody_takes_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "ANSWER_SECONDS", 0.2)
    long = "x" * (1 << 24)  # more than fits between the two

    def answer(_: Any) -> str:
        return long

    monkeypatch.setitem(ENDPOINTS, "/api/examples", (ENDPOINTS["/api/examples"][0], answer))
    with Running() as running:
        head = f"POST /api/examples HTTP/1.1\r\nhost: 127.0.0.1:{running.port}\r\ncontent-type: application/json\r\n"
        connection = opened(running, f"{head}content-length: 2\r\n\r\n{{}}".encode())
        assert connection.recv(12) == b"HTTP/1.1 200"
        with httpx.Client(timeout=60) as client:
            taken = client.post(f"{running.url}api/examples", json={})  # who takes it gets it
            assert len(taken.content) > len(long)
            while running.connections > 1:  # until the server gives the other one up
                client.get(f"{running.url}icon.svg")
        rest = 0
        with contextlib.suppress(ConnectionResetError):
            while part := connection.recv(1 << 20):
                rest += len(part)
        connection.close()
    assert rest < len(long)


def test_a_long_answer_may_be_taken_slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.05)
    long = "x" * (1 << 24)

    def answer(_: Any) -> str:
        return long

    monkeypatch.setitem(ENDPOINTS, "/api/examples", (ENDPOINTS["/api/examples"][0], answer))
    with Running() as running:
        head = f"POST /api/examples HTTP/1.1\r\nhost: 127.0.0.1:{running.port}\r\ncontent-type: application/json\r\n"
        connection = opened(running, f"{head}content-length: 2\r\n\r\n{{}}".encode())
        taken = len(connection.recv(12))
        for _ in range(10):  # each waits until the time for a request is over
            assert is_closed(opened(running, b"GET"))
        while part := connection.recv(1 << 20):
            taken += len(part)
        connection.close()
    assert taken > len(long)


def test_a_request_goes_on_for_as_long_as_it_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.05)
    asked = []

    def slow(_: Any) -> int:
        while len(asked) < 10:  # each of them takes longer than nothing, and the limit is over before the last
            asked.append(is_closed(opened(running, b"GET")))
        return len(asked)

    monkeypatch.setitem(ENDPOINTS, "/api/examples", (ENDPOINTS["/api/examples"][0], slow))
    with Running() as running:
        assert httpx.post(f"{running.url}api/examples", json={}, timeout=60).json() == 10


def test_there_are_never_too_many_and_who_asks_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "CONNECTIONS", 8)
    with Running() as running:
        half_open = []
        for i in range(40):
            half_open.append(opened(running, HALVES[i % 3]))
            if i % 10 == 9:
                assert httpx.get(running.url, timeout=60).status_code == 200
                assert running.connections <= 8
        assert all(is_closed(connection) for connection in half_open[:30])
        for connection in half_open[30:]:
            connection.close()


def test_descriptors_are_left_for_the_rest() -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
        assert connections.most_connections() == 128
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert connections.most_connections() == min(connections.CONNECTIONS, before[0] - 128)


# The document ------------------------------------------------------------------------------------

SCHEMA = schemathesis.openapi.from_dict(server.openapi())


@SCHEMA.parametrize()
@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_request_breaks_an_endpoint(case: schemathesis.Case, running: Running) -> None:
    # A schema cannot say that there are as many labels as points: what it allows may still be refused, with a 422.
    case.call_and_validate(base_url=running.url, excluded_checks=[positive_data_acceptance])


# The command -------------------------------------------------------------------------------------


def test_other_machines_need_the_flag(capsys: pytest.CaptureFixture[str]) -> None:
    assert server.serve("0.0.0.0", None, browser=False, unsafe=False) == 1
    assert "--unsafe-bind" in capsys.readouterr().err


def test_a_port_in_use_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert server.serve("127.0.0.1", port, browser=False, unsafe=False) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert f"port {port}" in lines[0]
    assert "--port" in lines[0]


def test_it_starts_says_where_and_ends_with_ctrl_c() -> None:
    command = [sys.executable, "-c", "from novikoff.cli import app; app()", "lab", "--no-browser"]
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", server.PORT))
            taken.listen()
        except OSError:
            pass  # somebody else has it, which does as well: another one is chosen
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        assert found, line
        assert int(found[1]) != server.PORT
        assert httpx.get(found[0], timeout=60).status_code == 200
        for nonsense in (b"hello\r\n\r\n", b"GET / HTTP/9\r\n\r\n", b"\0" * 100_000, b"GET") * 5:
            with socket.create_connection(("127.0.0.1", int(found[1])), timeout=60) as connection:
                connection.sendall(nonsense)
        assert httpx.get(found[0], timeout=60).status_code == 200
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert (out, err) == ("", "")


def test_what_is_missing_is_named_with_its_cure() -> None:
    program = "import sys; sys.modules['starlette'] = None; from novikoff.cli import app; app(['lab'])"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert answer.returncode == 1
    assert answer.stderr == "novikoff: the lab needs starlette: pip install 'novikoff[lab]'\n"
