"""What the commands write arrives whole, and Ctrl-C is told in one line whenever it comes."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any

import pytest

from novikoff.cli.output import whole_output, write_all
from tests.cli.test_files import example_file, fitted, folder, run

__all__ = ["folder"]

SCATTERED = bytes(range(256)) * 40


class Short(io.RawIOBase):
    """Takes at most so many bytes at a time, as a pipe without a buffer may."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.taken = b""

    def writable(self) -> bool:
        return True

    def write(self, content: Any, /) -> int:
        part = bytes(content[: self.most])
        self.taken += part
        return len(part)


@pytest.mark.parametrize("most", [1, 7, 4096, 1 << 20])
def test_a_stream_that_takes_a_part_gets_the_rest(most: int) -> None:
    stream = Short(most)
    write_all(stream, SCATTERED)
    assert stream.taken == SCATTERED


@pytest.mark.parametrize("buffered", [False, True])
def test_a_pipe_that_does_not_wait_is_waited_for(buffered: bool) -> None:
    read, write = os.pipe()
    os.set_blocking(write, False)
    content = SCATTERED * 200  # some two megabytes, and a pipe holds 64 KB
    found: list[bytes] = []
    with open(read, "rb") as reader, open(write, "wb", buffering=-1 if buffered else 0) as writer:
        thread = threading.Thread(target=lambda: found.append(reader.read()))
        thread.start()
        write_all(writer, content)
        writer.close()
        thread.join()
    assert found == [content]


def test_print_writes_whole_lines_to_a_stream_without_a_buffer(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Short(5)
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(stream, "utf-8", write_through=True))  # type: ignore[type-var]
    with whole_output():
        print("⟨w,x⟩ " * 100)
    assert stream.taken.decode() == "⟨w,x⟩ " * 100 + "\n"


def unbuffered(most: int, *commands: list[str], text: str = "") -> list[str]:
    """What each command writes to a standard output without a buffer, of which every write takes a part."""
    program = """
        import sys, io, json
        from tests.cli.test_output import Short
        most, commands = json.loads(sys.argv[1])
        taken = []
        for command in commands:
            stream = Short(most)
            sys.stdout = io.TextIOWrapper(stream, "utf-8", write_through=True)
            from novikoff.cli import app
            try:
                app(command)
            except SystemExit as end:
                assert not end.code, (command, end.code)
            taken.append(stream.taken.decode())
        sys.stderr.write(json.dumps(taken))
    """
    line = [sys.executable, "-c", textwrap.dedent(program), json.dumps([most, commands])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(line, input=text.encode(), capture_output=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    found: list[str] = json.loads(done.stderr)
    return found


def test_predict_learn_and_certify_lose_nothing(folder: Path) -> None:
    fitted(folder)
    text = example_file(folder / "new.vw", 30, seed=1).read_text()
    predicted, learned, proof = unbuffered(
        10,
        ["predict", "model.nvk", "new.vw"],
        ["learn", "b.nvk", "-q"],
        ["certify", "train.vw", "--json", "-q"],
        text=text,
    )
    assert predicted == run("predict", "model.nvk", "new.vw").stdout
    assert learned == run("learn", "a.nvk", "-q", text=text).stdout
    assert json.loads(proof)["verdict"] == "separable"


@pytest.mark.parametrize("module", ["typer", "numpy", "novikoff.theory", "novikoff.cli.options", "novikoff.cli.app"])
def test_ctrl_c_while_modules_are_imported(module: str) -> None:
    program = f"""
        import sys

        class Interrupt:
            def find_spec(self, name, path=None, target=None):
                if name == {module!r}:
                    raise KeyboardInterrupt

        sys.meta_path.insert(0, Interrupt())
        from novikoff.cli import app
        app(["theorems"])
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "novikoff: interrupted\n")


@pytest.mark.parametrize("step", ["typer.main.get_command", "novikoff.cli.group.TyperGroup.make_context"])
def test_ctrl_c_before_the_command(
    step: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from novikoff.cli import app

    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(step, interrupt)
    with pytest.raises(SystemExit) as end:
        app(["theorems"])
    assert end.value.code == 130
    assert capsys.readouterr() == ("", "novikoff: interrupted\n")
