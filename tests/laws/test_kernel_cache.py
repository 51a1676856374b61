"""The machine code on disk: used if it is ours and whole; everything else costs a compilation, and runs nothing."""

from __future__ import annotations

import os
import pickle
import pwd
import random
import shutil
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from numba import float64, int64

from novikoff.disk.places import cache_directory
from novikoff.engine import machine_code
from novikoff.engine.compile import kernel


def twice(x):
    return x + x


def fresh():
    """A kernel that this process has not compiled: its machine code comes from the disk, or from the compiler."""
    return kernel(twice)


def loads(signature=(int64,)):
    """Does the cache give machine code for `twice`, as it lies there?"""
    compiled = fresh()
    return compiled._cache.load_overload(signature, compiled.targetctx) is not None


def hits(compiled):
    return sum(compiled.stats.cache_hits.values())


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A cache of our own, with the machine code of `twice` for integers in it."""
    monkeypatch.setenv("NOVIKOFF_CACHE_DIR", str(tmp_path / "cache"))
    assert fresh()(21) == 42
    return tmp_path / "cache"


@pytest.fixture
def entry(home):
    """The only file of that cache."""
    (folder,) = home.iterdir()
    (file,) = folder.iterdir()
    return file


def test_what_was_compiled_once_is_loaded(home):
    compiled = fresh()
    assert compiled(21) == 42
    assert hits(compiled) == 1
    assert compiled(0.5) == 1.0
    assert hits(compiled) == 1  # not for floats, yet
    assert loads((float64,))


def test_that_it_compiles_is_said_once(home, monkeypatch, caplog):
    caplog.set_level("INFO", "novikoff.compiling")
    machine_code._say_once.cache_clear()
    fresh()(21)
    assert not caplog.records  # it was on the disk
    fresh()(0.5)
    fresh()(1j)
    (said,) = caplog.records
    assert said.levelname == "INFO"  # which a program that has not asked for it does not see
    assert said.getMessage().startswith("compiling loops for this machine")


def test_code_is_loaded_for_the_tools_and_the_sources_that_made_it_only(home, monkeypatch):
    assert loads()
    with monkeypatch.context() as other:
        other.setattr(machine_code, "_TOOLS", ("another version",))
        assert not loads()
    monkeypatch.setattr(machine_code, "digest_of_sources", lambda module: "another text")
    assert not loads()


def test_the_sources_of_a_kernel_are_its_module_and_all_that_it_imports(monkeypatch, tmp_path):
    package = tmp_path / "novikoff"
    shutil.copytree(machine_code._PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(machine_code, "_PACKAGE", package)
    digest = machine_code.digest_of_sources
    module = "novikoff.certificates.dual"
    monkeypatch.setattr(machine_code, "digest_of_sources", None)  # what is cached is not looked at
    before = digest.__wrapped__(module)
    # dual imports corral and engine.loops, which imports engine.decide, which imports engine.sums
    for path in ("certificates/dual.py", "certificates/corral.py", "engine/sums.py", "engine/compile.py"):
        with open(package / path, "a") as source:
            source.write("# another text")
        after = digest.__wrapped__(module)
        assert after != before, path
        before = after
    with open(package / "estimators/perceptron.py", "a") as source:
        source.write("# no kernel depends on this")
    assert digest.__wrapped__(module) == before


# Damage ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("flips", [400, pytest.param(8_000, marks=pytest.mark.long)])
def test_a_bit_that_flips_anywhere_is_noticed(flips, entry):
    whole = entry.read_bytes()
    draw = random.Random(7)
    for _ in range(flips):
        place, bit = draw.randrange(len(whole)), draw.randrange(8)
        damaged = bytearray(whole)
        damaged[place] ^= 1 << bit
        entry.write_bytes(damaged)
        assert not loads(), f"bit {bit} of byte {place}"
    entry.write_bytes(whole)
    assert loads()


@pytest.mark.parametrize("flips", [5, pytest.param(300, marks=pytest.mark.long)])
def test_damage_costs_one_compilation(flips, entry):
    draw = random.Random(8)
    for _ in range(flips):
        damaged = bytearray(entry.read_bytes())
        damaged[draw.randrange(len(damaged))] ^= 1 << draw.randrange(8)
        entry.write_bytes(damaged)
        first, second = fresh(), fresh()
        assert first(21) == second(21) == 42
        assert (hits(first), hits(second)) == (0, 1)


@pytest.mark.parametrize("size", [0, 1, 31, 32, 33, -1])
def test_a_file_that_was_cut_is_noticed(size, entry):
    entry.write_bytes(entry.read_bytes()[:size])
    assert not loads()
    assert fresh()(21) == 42


def test_machine_code_under_the_name_of_another_is_noticed(home, entry):
    integers = entry.read_bytes()
    assert fresh()(0.5) == 1.0
    (floats,) = set(entry.parent.iterdir()) - {entry}
    floats.write_bytes(integers)
    assert not loads((float64,))
    assert fresh()(0.5) == 1.0


def test_a_cache_that_cannot_be_written_costs_time_only(tmp_path, monkeypatch):
    for place in (os.devnull, os.devnull + "/below"):
        monkeypatch.setenv("NOVIKOFF_CACHE_DIR", place)
        assert fresh()(21) == 42
    full = tmp_path / "full"
    monkeypatch.setenv("NOVIKOFF_CACHE_DIR", str(full))

    def no_space(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", no_space)
    assert fresh()(21) == 42
    (folder,) = full.iterdir()
    assert list(folder.iterdir()) == []  # nothing half-written


def test_real_kernels_come_back_from_the_disk_in_another_process(tmp_path):
    code = """
import numpy as np
from novikoff.data.scan.text import extent
print(extent(np.frombuffer(b"1 a\\n2 b\\n", dtype=np.uint8))[0], sum(extent.stats.cache_hits.values()))
"""
    said = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "NOVIKOFF_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        said.append(done.stdout.split())
    assert said == [["2", "0"], ["2", "1"]]


# Strangers -------------------------------------------------------------------------------------------


class Mark:
    """Whoever unpickles it leaves a mark."""

    def __init__(self, place):
        self.place = place

    def __reduce__(self):
        return os.mkdir, (str(self.place),)


@pytest.fixture
def planted(entry, tmp_path):
    """The entry, with a right seal over something that leaves a mark when it is unpickled; and that mark."""
    mark = tmp_path / "mark"
    compiled = fresh()
    key = compiled._cache._key((int64,), compiled.targetctx.codegen())
    content = pickle.dumps(Mark(mark))
    entry.write_bytes(machine_code._seal(key, content) + content)
    return entry, mark


def test_what_is_planted_would_run(planted):
    _, mark = planted
    assert fresh()(21) == 42
    assert mark.exists()  # so that the tests below can fail


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_can_write_is_not_unpickled(mode, planted):
    entry, mark = planted
    entry.chmod(mode)
    assert fresh()(21) == 42
    assert not mark.exists()


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o1777])
def test_a_directory_that_others_can_write_to_is_not_used(mode, planted):
    entry, mark = planted
    entry.parent.chmod(mode)
    before = entry.read_bytes()
    assert fresh()(21) == 42
    assert not mark.exists()
    assert [file.read_bytes() for file in entry.parent.iterdir()] == [before]


@pytest.mark.parametrize(("mode", "used"), [(0o707, False), (0o777, False), (0o1777, True), (0o770, True)])
def test_everybody_may_write_above_it_only_where_each_keeps_what_is_theirs(mode, used, planted):
    entry, mark = planted
    entry.parent.parent.chmod(mode)
    assert fresh()(21) == 42
    assert mark.exists() == used


@pytest.mark.parametrize("whose", ["file", "directory", "above"])
def test_what_belongs_to_another_user_is_not_unpickled(whose, planted, monkeypatch):
    entry, mark = planted
    places = {"file": entry, "directory": entry.parent, "above": entry.parent.parent}
    foreign = places[whose].stat().st_ino

    def estranged(status):
        fields = list(status)
        fields[stat.ST_UID] = os.geteuid() + 1
        return os.stat_result(fields) if status.st_ino == foreign else status

    look, look_through = Path.stat, os.fstat
    monkeypatch.setattr(Path, "stat", lambda path, **kinds: estranged(look(path, **kinds)))
    monkeypatch.setattr(os, "fstat", lambda file: estranged(look_through(file)))
    assert fresh()(21) == 42
    assert not mark.exists()


def test_a_link_is_not_followed_and_a_pipe_is_not_waited_for(planted, tmp_path):
    entry, mark = planted
    elsewhere = entry.rename(tmp_path / "elsewhere")
    entry.symlink_to(elsewhere)
    assert not loads()
    entry.unlink()
    os.mkfifo(entry, 0o600)
    assert not loads()
    assert not mark.exists()


@pytest.mark.parametrize("umask", [0, 0o077, 0o777])
def test_what_is_made_is_private_whatever_the_umask(umask, tmp_path, monkeypatch):
    monkeypatch.setenv("NOVIKOFF_CACHE_DIR", str(tmp_path / "some" / "where"))
    before = os.umask(umask)
    try:
        assert fresh()(21) == 42
    finally:
        os.umask(before)
    modes = [stat.S_IMODE(path.stat().st_mode) for path in sorted((tmp_path / "some").rglob("*"))]
    assert modes == [0o700, 0o700, 0o600]
    assert loads()


# At once ---------------------------------------------------------------------------------------------


def test_nobody_sees_half_a_file(tmp_path):
    contents = [bytes([number]) * (50_000 + number) for number in range(4)]
    folder = tmp_path / "kernels"
    machine_code._write(folder, "key", contents[0])
    failed = []

    def write_and_read(content):
        try:
            for _ in range(100):
                machine_code._write(folder, "key", content)
                assert machine_code._read(folder, "key") in contents
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=write_and_read, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert len(list(folder.iterdir())) == 1


# Places ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chosen", "base", "home", "place"),
    [
        ("/here", "/base", "/home/me", "/here"),
        (None, "/base", "/home/me", "/base/novikoff"),
        (None, None, "/home/me", "/home/me/.cache/novikoff"),
        ("", "", "/home/me", "/home/me/.cache/novikoff"),
        ("not/absolute", "/base", "/home/me", "/base/novikoff"),
        ("~/mine", "../base", "/home/me", "/home/me/.cache/novikoff"),
    ],
)
def test_where_the_cache_is(chosen, base, home, place, monkeypatch):
    for name, value in (("NOVIKOFF_CACHE_DIR", chosen), ("XDG_CACHE_HOME", base), ("HOME", home)):
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    assert cache_directory() == Path(place)


@pytest.mark.parametrize("home", [None, "~", "relative/home"])
def test_without_a_home_kernels_work_and_nothing_is_written(home, tmp_path, monkeypatch):
    def nobody(user):
        raise KeyError(user)

    monkeypatch.delenv("NOVIKOFF_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(pwd, "getpwuid", nobody)
    if home is None:
        monkeypatch.delenv("HOME")
    else:
        monkeypatch.setenv("HOME", home)
    monkeypatch.chdir(tmp_path)
    assert fresh()(21) == 42
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileNotFoundError, match="NOVIKOFF_CACHE_DIR"):
        cache_directory()
