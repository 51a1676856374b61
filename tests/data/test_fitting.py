"""`fit_file`: the bits of `fit`, whatever the file, the block and the moment of a crash."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nk
from novikoff import data
from novikoff.data import cache, sources
from novikoff.data.options import Reading
from tests.data.runs import same, svmlight

pytestmark = pytest.mark.filterwarnings("ignore:.*did not separate")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "copies"


def bits(path: Path, n: int = 300) -> Path:
    rng = np.random.default_rng(5)
    X = rng.integers(0, 2, (n, 6))
    path.write_text("".join(f"{a & b},{','.join(map(str, (a, b, *rest)))}\n" for a, b, *rest in X.tolist()))
    return path


def opened(path: Any, reading: Reading, place: Path) -> data.Dataset:
    """The mapped examples; what is mapped stays, whatever becomes of the files."""
    with cache.Copy(path, reading, place).open() as examples:
        return examples


@pytest.mark.parametrize("block", [1, 1000, 1 << 24])
@pytest.mark.parametrize(
    "model",
    [
        nk.Perceptron(shuffle=True, random_state=1),
        nk.MarginPerceptron(),
        nk.MaxMarginClassifier(),
        nk.LeastSquaresClassifier(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_the_bits_of_fit(model: Any, block: int, tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = svmlight(tmp_path / "a.svm")
    twin = type(model)(**model.get_params()).fit(data.read(path))
    monkeypatch.setattr(sources, "BLOCK", block)
    ours = nk.fit_file(type(model)(**model.get_params()), path, cache=place)
    assert ours.data_digest_ == data.read(path).digest
    assert ours.reading_["format"] == "svmlight"
    assert same(ours, twin)


def test_a_table_with_text_labels_categories_and_names(
    tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "pets.csv"
    path.write_text("weight,colour,kind\n4.5,grey,cat\n30,brown,dog\n3.5,brown,cat\n28,white,dog\n")
    monkeypatch.setattr(sources, "BLOCK", 8)
    ours = nk.fit_file(nk.Perceptron(), path, cache=place)
    assert ours.feature_names_in_.tolist() == ["weight", "colour=grey", "colour=brown", "colour=white"]
    assert ours.classes_.tolist() == ["cat", "dog"]
    assert same(ours, nk.Perceptron().fit(data.read(path)))


def test_what_killed_processes_left_goes(tmp_path, place):
    path = svmlight(tmp_path / "a.svm")
    copy = cache.Copy(path, Reading(), place)
    cut_off = copy.home / "partial"
    cut_off.mkdir(parents=True)
    (cut_off / "values").write_bytes(bytes(100))
    (copy.home / "lock").write_text("1 here\n")  # that of a process that was killed while it made the copy
    (copy.home / "header.json").write_text("{}")  # of another version
    nk.fit_file(nk.Perceptron(), path, cache=place)
    assert [file.name for file in copy.home.iterdir()] == ["copy-1"]
    (copy.home / "lock").write_text("1 here\n")  # and that of one which was killed when the copy was there
    nk.fit_file(nk.Perceptron(), path, cache=place)
    assert [file.name for file in copy.home.iterdir()] == ["copy-1"]


def test_rows_that_grow(tmp_path, place, monkeypatch):
    """Columns for missing values that come after dense rows without any."""
    monkeypatch.setattr(sources, "BLOCK", 32)
    lines = ["a,b,label", *["1,2,0", "3,4,1"] * 9, "1,,0", *["3,4,1"] * 9, ",2,0", "5,6,1"]
    file = tmp_path / "a.csv"
    file.write_text("\n".join(lines) + "\n")
    reading = Reading(missing="column")
    mapped, whole = opened(file, reading, place), data.read(file, missing="column")
    assert mapped.names.tolist() == whole.names.tolist() == ["a", "b", "b=missing", "a=missing"]
    assert mapped.X.tobytes() == whole.X.tobytes()
    assert mapped.X.shape == (len(lines) - 1, 4)


def test_types_that_grow(tmp_path, place, monkeypatch):
    """Labels that are integers at first, and rows of float32 before those of float64."""
    monkeypatch.setattr(sources, "BLOCK", 64)
    monkeypatch.setattr(cache, "PART", 3)
    labels = [*range(20), *(i / 4 for i in range(20))]
    lines = tmp_path / "a.jsonl"
    lines.write_text("".join(json.dumps({"a": i, "label": label}) + "\n" for i, label in enumerate(labels)))
    assert opened(lines, Reading(), place).y.tolist() == labels
    A = np.random.default_rng(0).standard_normal((9, 3))
    for name, kind in (("1", np.float32), ("2", np.float64), ("3", np.float32)):
        np.save(tmp_path / f"{name}.npy", A.astype(kind))
    mapped, whole = opened(tmp_path / "?.npy", Reading(), place), data.read(tmp_path / "?.npy")
    assert mapped.X.dtype == whole.X.dtype == np.float64
    assert mapped.X.tobytes() == whole.X.tobytes()
    assert mapped.y.tobytes() == whole.y.tobytes()
    assert mapped.y.dtype == whole.y.dtype
    assert not list(place.rglob("*.old"))


def test_dense_bits_and_weights(tmp_path: Path, place: Path) -> None:
    path = bits(tmp_path / "bits.csv")
    options = {"label": 0, "header": False}
    assert same(
        nk.fit_file(nk.MonotoneConjunction(), path, cache=place, **options),
        nk.MonotoneConjunction().fit(data.read(path, **options)),
    )
    weighted = tmp_path / "a.vw"
    weighted.write_text("1 |x a:1 b:2\n-1 3.5 |x a:-1 c\n1 |x b\n")
    ours = nk.fit_file(nk.MaxMarginClassifier(C=1.0), weighted, cache=place)
    assert same(ours, nk.MaxMarginClassifier(C=1.0).fit(data.read(weighted)))
    ours = nk.fit_file(nk.Perceptron(), weighted, cache=place)
    assert same(ours, nk.Perceptron().fit(data.read(weighted)))
    assert ours.weight_of_updates_ > ours.updates_


class TestCopy:
    def test_is_used_again(self, tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = svmlight(tmp_path / "a.svm")
        nk.fit_file(nk.Perceptron(), path, cache=place)
        monkeypatch.setattr(cache, "stream", None)  # a second parsing would fail
        nk.fit_file(nk.Perceptron(), path, cache=place)

    @pytest.mark.parametrize("what", ["content", "times", "replaced"])
    def test_is_made_anew_when_the_source_has_changed(self, what: str, tmp_path: Path, place: Path) -> None:
        path = svmlight(tmp_path / "a.svm")
        before = path.stat()
        nk.fit_file(nk.Perceptron(), path, cache=place)
        other = svmlight(tmp_path / "b.svm", seed=1)
        if what == "replaced":
            other.replace(path)
        else:
            # The same size and the same time of modification; only the inode tells.
            text = path.read_bytes()
            path.write_bytes(text[: len(text) // 2] + text[len(text) // 2 :].replace(b"\n-1 ", b"\n+1 "))
            if what == "times":
                os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert same(nk.fit_file(nk.Perceptron(), path, cache=place), nk.Perceptron().fit(data.read(path)))
        assert len(list(place.iterdir())) == 1

    @pytest.mark.parametrize("name", ["values", "columns", "starts", "labels", "header.json"])
    @pytest.mark.parametrize("harm", ["cut", "gone"])
    def test_is_made_anew_when_damaged(self, name: str, harm: str, tmp_path: Path, place: Path) -> None:
        path = svmlight(tmp_path / "a.svm")
        nk.fit_file(nk.Perceptron(), path, cache=place)
        (file,) = place.glob(f"*/*/{name}")
        if harm == "gone":
            file.unlink()
        else:
            file.write_bytes(file.read_bytes()[:-3])
        assert same(nk.fit_file(nk.Perceptron(), path, cache=place), nk.Perceptron().fit(data.read(path)))

    def test_belongs_to_the_options(self, tmp_path: Path, place: Path) -> None:
        path = svmlight(tmp_path / "a.svm")
        nk.fit_file(nk.Perceptron(), path, cache=place)
        wide = nk.fit_file(nk.Perceptron(), path, cache=place, zero_based=True)
        assert wide.n_features_in_ == 13

    def test_is_removed_when_asked_and_left_out_on_errors(self, tmp_path: Path, place: Path) -> None:
        path = svmlight(tmp_path / "a.svm")
        nk.fit_file(nk.Perceptron(), path, cache=place, keep_cache=False)
        assert not list(place.iterdir())
        path.write_text(path.read_text() + "1 2:x\n")
        with pytest.raises(data.FormatError, match=r"a\.svm, line 401, column 5"):
            nk.fit_file(nk.Perceptron(), path, cache=place)
        assert not list(place.iterdir())

    def test_of_a_pattern(self, tmp_path: Path, place: Path) -> None:
        for seed in (1, 2):
            svmlight(tmp_path / f"part-{seed}.svm", seed=seed)
        pattern = str(tmp_path / "part-*.svm")
        assert same(
            nk.fit_file(nk.Perceptron(max_iter=3), pattern, cache=place),
            nk.Perceptron(max_iter=3).fit(data.read(pattern)),
        )
        svmlight(tmp_path / "part-3.svm", seed=3)
        assert len(opened(pattern, Reading(), place)) == 1200

    def test_skipped_lines_are_kept(self, tmp_path: Path, place: Path) -> None:
        path = svmlight(tmp_path / "a.svm")
        path.write_text("nonsense\n" + path.read_text())
        for _ in range(2):
            (bad,) = opened(path, Reading(skip_bad=1), place).bad
            assert bad.line == 1


def test_the_header_of_a_copy_is_plain_json(tmp_path: Path, place: Path) -> None:
    nk.fit_file(nk.Perceptron(), svmlight(tmp_path / "a.svm"), cache=place)
    (header,) = place.glob("*/*/header.json")
    assert json.loads(header.read_text())["shape"] == [400, 12]
