"""`novikoff lab`."""

from __future__ import annotations

from typing import Annotated

import typer

from novikoff.cli.answers import ERROR, tell


def lab(
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="8462, or any that is free, by default.")] = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    browser: Annotated[bool, typer.Option(help="Open the page.")] = True,
    unsafe_bind: Annotated[
        bool, typer.Option("--unsafe-bind", help="Let other machines in; there is no login.")
    ] = False,
) -> int:
    """Open the page on which to place points, step, and watch the proof. Ctrl-C ends it."""
    try:
        from novikoff.lab.server import serve
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        if package not in ("starlette", "uvicorn", "msgspec", "anyio"):
            raise
        tell(f"the lab needs {package}: pip install 'novikoff[lab]'")
        return ERROR
    return serve(host, port, browser=browser, unsafe=unsafe_bind)
