"""The server of the page: its files, the endpoints, and what it refuses."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, NamedTuple

import anyio
import anyio.to_thread
import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import novikoff
from novikoff.lab.connections import BACKLOG, Connection
from novikoff.lab.endpoints import ENDPOINTS
from novikoff.lab.experiment import LEARNERS
from novikoff.lab.gallery import Everything, examples
from novikoff.lab.inequalities import check
from novikoff.lab.run import run

PORT = 8462
LONGEST_BODY = 256 * 1024
QUEUE = 256  # clients that are connected and not yet accepted
BODY_SECONDS = 10.0
THREADS = 4
WAITING = 64  # requests that may compute or wait for it; the next one is told to come back

TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class Asset(NamedTuple):
    body: bytes
    type: str
    etag: str


# What is served ----------------------------------------------------------------------------------


@cache
def assets() -> dict[str, Asset]:
    """The files of the page by path, read once: a request never names a file on disk."""
    found: dict[str, Asset] = {}

    def walk(folder: Traversable, path: str) -> None:
        for item in folder.iterdir():
            if item.is_dir():
                walk(item, f"{path}{item.name}/")
            elif (kind := item.name.rpartition(".")[2]) in TYPES:
                body = item.read_bytes()
                found[path + item.name] = Asset(body, TYPES[kind], f'"{hashlib.sha256(body).hexdigest()[:32]}"')

    walk(resources.files("novikoff.lab") / "static", "/")
    found["/"] = found["/index.html"]
    document = msgspec.json.encode(openapi())
    found["/openapi.json"] = Asset(document, "application/json", f'"{hashlib.sha256(document).hexdigest()[:32]}"')
    return found


def openapi() -> dict[str, Any]:
    """The endpoints as an OpenAPI 3.1 document, from their types."""
    answers = {
        path: inspect.signature(function, eval_str=True).return_annotation for path, (_, function) in ENDPOINTS.items()
    }
    requests = {path: request for path, (request, _) in ENDPOINTS.items()}
    types = [*requests.values(), *answers.values()]
    schemas, components = msgspec.json.schema_components(types, ref_template="#/components/schemas/{name}")
    schema = dict(
        zip([*(("in", path) for path in requests), *(("out", path) for path in answers)], schemas, strict=True)
    )
    refusal = {
        "description": "Refused, with the reason.",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
    }
    paths = {
        path: {
            "post": {
                "operationId": path.removeprefix("/api/").replace("/", "-"),
                "summary": (inspect.getdoc(function) or "").partition("\n")[0],
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": schema["in", path]}},
                },
                "responses": {
                    "200": {
                        "description": "The answer.",
                        "content": {"application/json": {"schema": schema["out", path]}},
                    },
                    **dict.fromkeys(("400", "403", "408", "413", "415", "422", "503"), refusal),
                },
            }
        }
        for path, (_, function) in ENDPOINTS.items()
    }
    components["Error"] = {
        "type": "object",
        "properties": {"error": {"type": "string"}},
        "required": ["error"],
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "novikoff lab", "version": novikoff.__version__},
        "paths": paths,
        "components": {"schemas": components},
    }


def application(hosts: frozenset[str] | None = None) -> ASGIApp:
    """The page and its endpoints.

    Parameters
    ----------
    hosts : the values of the Host header that are answered, against pages that point a name of their own
        at this address; None answers all
    """
    files = [Route(path, _serve, methods=["GET"]) for path in assets()]
    desk = _Desk()
    calls = [
        Route(path, partial(desk.answer, msgspec.json.Decoder(request), function), methods=["POST"])
        for path, (request, function) in ENDPOINTS.items()
    ]
    app = Starlette(routes=[*files, *calls], exception_handlers={HTTPException: _refuse, Exception: _broken})
    app.router.redirect_slashes = False
    return _Guard(app, hosts)


async def _serve(request: Request) -> Response:
    asset = assets()[request.url.path]
    headers = {"etag": asset.etag, "cache-control": "no-cache", "content-type": asset.type}
    known = [tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")]
    if asset.etag in known:
        return Response(status_code=304, headers=headers)
    return Response(asset.body, headers=headers)


class _Desk:
    """Reads a request, lets a thread answer it, and turns away what would wait too long."""

    def __init__(self) -> None:
        self._open = 0
        self._threads: anyio.CapacityLimiter | None = None

    async def answer(
        self, decoder: msgspec.json.Decoder[Any], function: Callable[[Any], Any], request: Request
    ) -> Response:
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise HTTPException(415, "send JSON, with the header content-type: application/json")
        body = await _body(request)
        if self._open >= WAITING:
            raise HTTPException(503, "too many requests are waiting: try again in a second", {"retry-after": "1"})
        self._threads = self._threads or anyio.CapacityLimiter(THREADS)
        self._open += 1
        try:
            encoded = await anyio.to_thread.run_sync(_compute, decoder, function, body, limiter=self._threads)
        finally:
            self._open -= 1
        return Response(encoded, media_type="application/json", headers={"cache-control": "no-store"})


def _compute(decoder: msgspec.json.Decoder[Any], function: Callable[[Any], Any], body: bytes) -> bytes:
    try:
        request = decoder.decode(body)
    except msgspec.ValidationError as error:
        raise HTTPException(422, str(error)) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise HTTPException(400, f"this is not JSON: {error}") from None
    try:
        return msgspec.json.encode(function(request))
    except ValueError as error:
        raise HTTPException(422, str(error)) from None


async def _body(request: Request) -> bytes:
    """The body, counted while it comes."""
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
                body += chunk
                if len(body) > LONGEST_BODY:
                    raise HTTPException(
                        413, f"the request is longer than {LONGEST_BODY // 1024} KiB", {"connection": "close"}
                    )
    except TimeoutError:
        raise HTTPException(408, f"the request did not arrive within {BODY_SECONDS:.0f} seconds") from None
    except ClientDisconnect:
        raise HTTPException(400, "the request broke off") from None
    return bytes(body)


async def _refuse(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    text = {404: "there is no such page", 405: "this page does not take that method"}.get(error.status_code)
    return _error(error.status_code, text or error.detail, dict(error.headers or {}))


async def _broken(request: Request, error: Exception) -> Response:
    return _error(500, "the lab failed at this request; the terminal that runs it has the details")


def _error(status: int, text: str, headers: dict[str, str] | None = None) -> Response:
    body = msgspec.json.encode({"error": text})
    return Response(body, status, {"cache-control": "no-store", **(headers or {})}, media_type="application/json")


class _Guard:
    """Adds the security headers, and refuses foreign hosts and origins."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str] | None) -> None:
        self._app, self._hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                extra = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*message["headers"], *extra]}
            await send(message)

        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        host, origin = headers.get(b"host", "").lower(), headers.get(b"origin")
        if self._hosts is not None and host not in self._hosts:
            names = ", ".join(sorted(self._hosts))
            await _error(403, f"this server is known as {names} only")(scope, receive, guarded)
        elif origin is not None and scope["method"] not in ("GET", "HEAD") and origin.lower() != f"http://{host}":
            await _error(403, "this server answers its own page only")(scope, receive, guarded)
        else:
            await self._app(scope, receive, guarded)


# Running it --------------------------------------------------------------------------------------


def configuration(app: ASGIApp) -> uvicorn.Config:
    """How uvicorn serves it. Whatever a client sends, nothing is written: log_level "error" is for faults of ours."""
    return uvicorn.Config(
        app,
        http=Connection,
        loop="asyncio",
        backlog=BACKLOG,
        log_level="error",
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=1,
        proxy_headers=False,
    )


def serve(host: str, port: int | None, *, browser: bool, unsafe: bool) -> int:
    """Serve until Ctrl-C; the exit code. Without a port, the usual one or, if it is taken, any that is free."""
    loopback = host in ("127.0.0.1", "localhost", "::1")
    if not loopback and not unsafe:
        return _complain(
            f"{host} can be reached from other machines, and the lab knows no users: add --unsafe-bind if that is "
            "what you want, or leave --host out"
        )
    try:
        listener = _listen(host, PORT if port is None else port)
    except OSError as error:
        if port is not None:
            return _complain(f"cannot listen on {host}, port {port}: {error.strerror}. Choose another --port, or none")
        try:
            listener = _listen(host, 0)
        except OSError as worse:
            return _complain(f"cannot listen on {host}: {worse.strerror}")
    with listener:
        port = listener.getsockname()[1]
        names = frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]"))
        if port == 80:
            names |= {"127.0.0.1", "localhost", "[::1]"}
        url = f"http://{'[::1]' if host == '::1' else host}:{port}/"
        config = configuration(application(names if loopback else None))
        print(f"The lab is at {url} (Ctrl-C ends it)", flush=True)
        threading.Thread(target=warm_up, daemon=True).start()
        if browser:
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listener])
    return 0


def warm_up() -> None:
    """Load the compiled loops, so that the first click is as fast as the second."""
    for example in examples(Everything())[:5]:
        run(example.experiment)
        for learner in LEARNERS:
            run(msgspec.structs.replace(example.experiment, order="worst", scale="sphere", learner=learner))
        check(example.experiment)


class _Listener(socket.socket):
    """A queue long enough for all clients at once. asyncio would cut it to the few that it accepts in one go, and
    where it is full, Linux resets some of those who wait."""

    def listen(self, backlog: int = 0, /) -> None:
        super().listen(QUEUE)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = _Listener(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()
    except OSError:
        listener.close()
        raise
    return listener


def _complain(text: str) -> int:
    print(f"novikoff: {text}", file=sys.stderr)
    return 1
