"""A file is there whole or not at all, and a damaged one is refused with a reason."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import random
import signal
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from novikoff import Perceptron, verify
from novikoff.disk import atomic
from novikoff.labels import Labels
from novikoff.learners.linear import LinearLearner
from novikoff.store import InvalidModel, describe, load, save
from novikoff.store.container import PREFIX, unpack
from novikoff.store.model import from_content, to_parts
from tests.store import zoo
from tests.store.zoo import differences, made


@pytest.fixture(scope="module")
def whole() -> bytes:
    return b"".join(to_parts(Perceptron().learn_one([1.0, 2.0], True)))


def refused(path: Path, match: str) -> None:
    for read in (load, describe):
        with pytest.raises(InvalidModel, match=match) as caught:
            read(path)
        assert str(caught.value).startswith(f"{path}: ")
        assert "\n" not in str(caught.value)


# Damage ------------------------------------------------------------------------------------------


def test_every_flip_of_a_bit_in_every_byte_is_refused(whole):
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        with pytest.raises(InvalidModel):
            unpack(bytes(damaged))


def test_every_truncation_is_refused(whole):
    for length in range(len(whole)):
        with pytest.raises(InvalidModel, match=r"cut off|empty"):
            unpack(whole[:length])


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda data: b"", "the file is empty"),
        (lambda data: data[:-1], "cut off: it has .* bytes and says"),
        (lambda data: data[:20], "cut off after 20 bytes"),
        (lambda data: data + b"\0", "goes on after its end"),
        (lambda data: data[:-40] + b"x" + data[-39:], "damaged: its SHA-256 is another"),
        (lambda data: pickle.dumps({"w": 1}), "looks like a pickle, which is not opened"),
        (lambda data: b"PK\x03\x04" + data, "not a model file"),
        (lambda data: b"x1,x2\n1,2\n", "not a model file"),
        (
            lambda data: data[:8] + struct.pack("<I", 3) + data[12:],
            "made by a newer novikoff: version 3, this one reads 2",
        ),
        (lambda data: data[:8] + struct.pack("<I", 0) + data[12:], "there is no version 0 of the format"),
        (
            lambda data: data[:12] + struct.pack("<I", 2**32 - 1) + data[16:],
            "header of 4,294,967,295 bytes does not fit",
        ),
        (lambda data: data[:16] + struct.pack("<Q", 2**60) + data[24:], "cut off: it has"),
    ],
)
def test_each_kind_of_damage_has_its_sentence(whole, change, match, tmp_path):
    path = tmp_path / "model.nvk"
    path.write_bytes(change(whole))
    refused(path, match)


def test_what_is_not_a_file_is_not_read(tmp_path):
    refused(tmp_path, "directory")
    os.mkfifo(tmp_path / "pipe")
    refused(tmp_path / "pipe", "not a file")


def test_the_layout_is_the_documented_one(whole):
    """A reader from docs/model-file.md, in a few lines."""
    magic, version, length, size = struct.unpack_from("<8sIIQ", whole)
    assert (magic, version, size) == (b"\x89NVK\r\n\x1a\n", 2, len(whole))
    assert hashlib.sha256(whole[:-32]).digest() == whole[-32:]
    header = json.loads(whole[24 : 24 + length])
    start = -(-(24 + length) // 64) * 64
    entry = next(entry for entry in header["arrays"] if entry["name"] == "w")
    assert (start + entry["offset"]) % 64 == 0
    w = np.frombuffer(whole, entry["dtype"], entry["shape"][0], start + entry["offset"])
    assert w.tolist() == [1.0, 2.0, 1.0]
    assert header["state"]["mistakes"] == header["guarantee"]["mistakes"] == 1
    assert header["features"] == {"count": 2, "named": False, "growing": False}
    assert PREFIX.size == 24


@pytest.mark.parametrize("path", sorted((Path(__file__).parent / "version1").iterdir()), ids=lambda path: path.stem)
def test_a_file_of_version_1_is_read_as_ever(path, tmp_path):
    assert path.read_bytes()[8] == 1
    expected = made(path.stem)
    if isinstance(getattr(expected, "_learner", None), LinearLearner):
        expected._learner.state[0].rounded = 1  # the file does not say: the weaker promise is the safe one
        expected._learner.state[0].rounds = 0  # nor does it say this, which averages alone ask
        expected._learner.run_rows, expected._learner.first_mistakes, expected._learner.support = 0, -1, -1  # nor these
    if path.stem in ("perceptron-dicts", "perceptron-int-names"):  # of bools a stream had the signs as labels
        expected._labels = Labels(np.array([-1, 1]))
        expected.classes_ = expected._labels.classes
    if hasattr(expected, "certificate_"):  # found by a search in floats, which ends in other bits on other processors
        found = load(path)
        assert verify(found.certificate_, zoo.X, zoo.TRUE).verdict == "separable"
        assert found.coef_ == pytest.approx(expected.coef_, rel=1e-9)
        assert found.intercept_ == pytest.approx(expected.intercept_, rel=1e-9)
        expected = found
    assert differences(load(path), expected) == []
    save(load(path), tmp_path / "model.nvk")
    assert (tmp_path / "model.nvk").read_bytes() == b"".join(to_parts(expected))
    assert describe(path).feature_names == describe(tmp_path / "model.nvk").feature_names
    assert describe(path).stream is None


# Writing -----------------------------------------------------------------------------------------


class Stop(Exception):  # noqa: N818
    pass


@pytest.mark.parametrize("function", ["open", "write", "fsync", "replace"])
def test_an_error_while_writing_leaves_what_was_there(function, tmp_path, monkeypatch):
    path = tmp_path / "model.nvk"
    first, second = made("perceptron"), made("margin")
    save(first, path)

    def fails(*arguments, **keywords):
        raise Stop

    monkeypatch.setattr(os, function, fails)
    with pytest.raises(Stop):
        save(second, path)
    monkeypatch.undo()
    assert os.listdir(tmp_path) == ["model.nvk"]
    assert differences(load(path), first) == []


def test_an_interrupt_between_two_writes_leaves_what_was_there(tmp_path, monkeypatch):
    path, write, calls = tmp_path / "model.nvk", os.write, []

    def interrupted(file, data):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return write(file, data)

    monkeypatch.setattr(os, "write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        save(made("perceptron"), path)
    assert os.listdir(tmp_path) == []


def test_short_writes_are_continued(tmp_path, monkeypatch):
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:7]))
    save(made("perceptron"), tmp_path / "model.nvk")
    monkeypatch.undo()
    assert differences(load(tmp_path / "model.nvk"), made("perceptron")) == []


def test_the_disk_is_asked_before_and_after_the_renaming(tmp_path, monkeypatch):
    order = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda file: (order.append(os.path.isdir(f"/proc/self/fd/{file}")), fsync(file)))
    monkeypatch.setattr(os, "replace", lambda a, b: (order.append("replace"), replace(a, b)))
    save(made("perceptron"), tmp_path / "model.nvk")
    assert order == [False, "replace", True]


def test_a_link_stays_and_its_target_is_replaced(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real / "model.nvk")
    save(made("perceptron"), link)  # the target may not exist yet
    save(made("margin"), link)
    assert link.is_symlink()
    assert differences(load(real / "model.nvk"), made("margin")) == []
    assert sorted(os.listdir(tmp_path)) == ["link", "real"]
    assert os.listdir(real) == ["model.nvk"]


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_the_mode_is_that_of_a_new_file(mask, tmp_path):
    before = os.umask(mask)
    try:
        save(made("perceptron"), tmp_path / "model.nvk")
    finally:
        os.umask(before)
    assert (tmp_path / "model.nvk").stat().st_mode & 0o777 == 0o666 & ~mask


def test_what_is_not_a_file_is_not_replaced(tmp_path):
    with pytest.raises(ValueError, match="not replaced"):
        save(made("perceptron"), tmp_path)
    with pytest.raises(FileNotFoundError):
        save(made("perceptron"), tmp_path / "nowhere" / "model.nvk")
    assert os.listdir(tmp_path) == []


CHILD = """
import os, runpy, sys
write = runpy.run_path(sys.argv[3])["write"]
parts = [open(path, "rb").read() for path in sys.argv[1:3]]
left = int(sys.argv[4])
real = {name: getattr(os, name) for name in ("write", "fsync", "replace", "open", "close")}
def counted(name):
    def call(*arguments, **keywords):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), 9)
        return real[name](*arguments, **keywords)
    return call
for name in real:
    setattr(os, name, counted(name))
while True:
    for part in parts:
        write("model.nvk", [part[i : i + 100] for i in range(0, len(part), 100)])
"""


def test_killed_at_any_moment_the_file_is_one_of_the_two(tmp_path):
    """The child counts its calls to the system, and kills itself in the middle of one of them."""
    contents = [b"".join(to_parts(made(name))) for name in ("perceptron", "margin")]
    for number, content in enumerate(contents):
        (tmp_path / str(number)).write_bytes(content)
    (tmp_path / "model.nvk").write_bytes(contents[0])
    rng, seen = random.Random(0), set()
    arguments = [sys.executable, "-S", "-c", CHILD, str(tmp_path / "0"), str(tmp_path / "1"), atomic.__file__]
    for _ in range(25):
        child = subprocess.run([*arguments, str(rng.randrange(1, 90))], cwd=tmp_path, capture_output=True)
        assert child.returncode == -signal.SIGKILL, child.stderr
        found = (tmp_path / "model.nvk").read_bytes()
        from_content(unpack(found))
        seen.add(contents.index(found))
    assert seen == {0, 1}
