"""The machine code of the kernels on disk: made once, and trusted only where nobody else can have touched it.

Numba's own cache watches one source file, so an edit in a function that is inlined from another file silently runs
the old code; two processes that save at once can leave an index that names the other's code; and what lies
there is unpickled, that is run, whoever wrote it. Here every kernel has a file of its own for each type of
arguments, whose name holds all that the code depends on: the text of its module and of all that this imports included.

Before a file is unpickled, two questions are asked. Can anybody but this user have written it? (Owner and mode, of the
file and of the directories above it.) Is it what was written? (A digest.) A file that fails, or a directory that cannot
be used, costs a compilation and never an error; ``logging.getLogger("novikoff")`` is told at level DEBUG.
"""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
import re
import stat
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from novikoff.disk.places import cache_directory

log = logging.getLogger("novikoff")
compiling = logging.getLogger("novikoff.compiling")  # told, at level INFO, when this process begins to compile


# What machine code depends on beside its sources, the types and the processor.
_TOOLS = (numba.__version__, llvmlite.__version__, sys.implementation.cache_tag)
_PACKAGE = Path(__file__).parents[1]  # the directory of novikoff
_IMPORT = re.compile(r"^\s*from (novikoff(?:\.\w+)*) import (\([^)]*\)|[^\n]*)", re.MULTILINE)


@cache
def digest_of_sources(module: str) -> str:
    """A digest of the text of a module and of all modules of this package that it imports, and they import."""
    texts: dict[Path, bytes] = {}
    waiting: list[Path | None] = [_source(module) or _text_of_stranger(module)]
    while waiting:
        path = waiting.pop()
        if path is None or path in texts:
            continue
        texts[path] = path.read_bytes()
        for parent, names in _IMPORT.findall(texts[path].decode()):
            waiting.append(_source(parent))
            waiting.extend(_source(f"{parent}.{name}") for name in re.findall(r"\w+", names))
    return hashlib.sha256(b"\0".join(texts[path] for path in sorted(texts))).hexdigest()[:16]


def _text_of_stranger(module: str) -> Path:
    """The file of a module that is not ours: somebody's rule, which is compiled into our loops."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:
        raise Distrusted(f"{module} has no text that tells its versions apart")
    return Path(file)


def _source(module: str) -> Path | None:
    """The file of a module; None for what is no module, or no package with a text."""
    stem = _PACKAGE.joinpath(*module.split(".")[1:])
    for path in (stem.with_suffix(".py"), stem / "__init__.py"):
        if module.startswith("novikoff.") and path.is_file():
            return path
    return None


class Distrusted(Exception):  # noqa: N818  # it is a finding, and leaves this file as a line in the log
    """What is there is not used, and why."""


class KernelCache(_Cache):  # type: ignore[misc]  # numba has no type hints
    """What a dispatcher of Numba asks for machine code before it compiles, and gives it to afterwards."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._name = f"{function.__module__}.{function.__qualname__}"
        self._module = function.__module__

    @property
    def cache_path(self) -> str:
        """Numba's name for the directory."""
        return str(_directory())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The machine code for arguments of these types, or None."""
        target_context.refresh()
        try:
            key = self._key(sig, target_context.codegen())
            return CompileResult._rebuild(target_context, *pickle.loads(_read(_directory(), key)))
        except FileNotFoundError:
            pass
        except Exception as error:  # whatever is wrong there, the kernel can be compiled
            log.debug("the cache has no use for %s: %s", self._name, error)
        _say_once()
        return None

    def save_overload(self, sig: Any, result: Any) -> None:
        """Keep machine code. Where that cannot be, it is compiled again in the next process."""
        try:
            key = self._key(sig, result.codegen)
            _write(_directory(), key, dumps(result._reduce()))
        except (OSError, Distrusted) as error:
            log.debug("the cache does not take %s: %s", self._name, error)

    def _key(self, signature: Any, codegen: Any) -> str:
        modules = {
            self._module,
            *(kind.instance_class.__module__ for kind in signature if hasattr(kind, "instance_class")),
        }
        sources = [digest_of_sources(module) for module in sorted(modules)]
        return repr((self._name, signature, codegen.magic_tuple(), _TOOLS, sources))

    # The rest of Numba's interface, which nothing here needs: an entry that is saved again is replaced.

    def enable(self) -> None: ...

    def disable(self) -> None: ...

    def flush(self) -> None: ...


@cache
def _say_once() -> None:
    compiling.info("compiling loops for this machine: some seconds, once. `novikoff warmup` compiles all of them")


# Files ---------------------------------------------------------------------------------------------


def _directory() -> Path:
    """Without symbolic links, so that what is checked is what is used."""
    return Path(os.path.realpath(cache_directory() / "kernels"))


def _file(directory: Path, key: str) -> Path:
    return directory / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.kernel"


def _seal(key: str, content: bytes) -> bytes:
    """A digest that fits this content under this key and no other."""
    return hashlib.sha256(hashlib.sha256(key.encode()).digest() + content).digest()


def _read(directory: Path, key: str) -> bytes:
    """What was written under the key, if nobody else can have written it and nothing has changed it."""
    path = _file(directory, key)
    # Not through a link, and without waiting where there is no file but, say, a pipe.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(path, "rb", opener=lambda name, _: os.open(name, flags)) as file:
        _check_directory(directory)
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise Distrusted(f"{path} is not a file")
        _check_private(path, status)
        sealed = file.read()
    seal, content = sealed[:32], sealed[32:]
    if seal != _seal(key, content):
        raise Distrusted(f"{path} is damaged")
    return content


def _write(directory: Path, key: str, content: bytes) -> None:
    """Whole or not at all, and for this user alone. The disk is not waited for: the seal shows what a crash tore."""
    _make(directory)
    _check_directory(directory)
    descriptor, partial = tempfile.mkstemp(suffix=".partial", dir=directory)
    try:
        with open(descriptor, "wb") as file:
            file.write(_seal(key, content))
            file.write(content)
        os.chmod(partial, 0o600)  # whatever the umask
        os.replace(partial, _file(directory, key))
    except BaseException:
        os.unlink(partial)
        raise


def _make(directory: Path) -> None:
    """The directory and those above it, for this user alone whatever the umask."""
    if directory.is_dir():
        return
    _make(directory.parent)
    try:
        os.mkdir(directory, 0o700)
    except FileExistsError:  # another process was faster, or it is no directory
        return
    os.chmod(directory, 0o700)


def _check_directory(directory: Path) -> None:
    """Nobody else can put a file there, nor another directory in its place.

    Above it a group may write: where every user has a group of their own, ``~/.cache`` is often made so. The most
    that its members can do is to move directories of this user about.
    """
    _check_private(directory, directory.stat())
    for above in directory.parents:
        status = above.stat()
        if os.name == "posix" and status.st_uid not in (0, os.geteuid()):
            raise Distrusted(f"{above} belongs to another user")
        if os.name == "posix" and status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX:
            raise Distrusted(f"everybody can write to {above}")


def _check_private(path: Path, status: os.stat_result) -> None:
    """Ours, and nobody else can write there. Elsewhere than on POSIX, the modes say nothing."""
    if os.name != "posix":
        return
    if status.st_uid != os.geteuid():
        raise Distrusted(f"{path} belongs to another user")
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise Distrusted(f"others can write to {path}")
