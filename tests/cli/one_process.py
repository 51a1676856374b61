"""Commands one after the other in a process of their own: `python -m tests.cli.one_process < commands.json`.

It answers on standard output, in JSON: exit code, output and messages of each, and which modules were imported.
"""

from __future__ import annotations

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import Any


def answer(arguments: list[str], *, ours: bool) -> list[Any]:
    """Exit code, standard output and standard error of a command, in a process that is ours alone or not."""
    from novikoff.cli import app

    out, err, code = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO(), None
    sys.argv = ["novikoff", *arguments]
    with redirect_stdout(out), redirect_stderr(err):
        try:
            app() if ours else app(arguments)
        except SystemExit as exit:
            code = exit.code
    out.flush()
    return [code, out.buffer.getvalue().decode(), err.getvalue()]


if __name__ == "__main__":
    answers = [answer(arguments, ours=True) for arguments in json.load(sys.stdin)]
    print(json.dumps({"answers": answers, "modules": sorted(sys.modules)}))
