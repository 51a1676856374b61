"""Different labels stay different, or are refused where they are: in every format and way of reading."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from novikoff import Perceptron, data, fit_file
from novikoff.cli import app
from novikoff.data import sources
from novikoff.data.lines import Lines
from novikoff.data.options import Reading
from tests.data.test_reading import either_way

__all__ = ["either_way"]

LARGE = 2**53 + 1  # which float64 does not hold
MERGED = [
    (["18446744073709551616", "18446744073709551617", "5"], 2, "18446744073709551617 is none that an integer"),
    (["9007199254740992", str(LARGE), "0.5"], 3, f"0.5 is no int64, and float64 does not hold {LARGE}, one before"),
    (["0.5", "9007199254740992", str(LARGE)], 3, f"does not hold the label {LARGE}, and 0.5, one before, is no int64"),
    ([str(LARGE), "9223372036854775808"], 2, f"9223372036854775808 is no int64, and float64 does not hold {LARGE}"),
    (["0", "1e-400"], 2, "1e-400 is none that"),
    (["1e-400", "-1"], 1, "1e-400 is none that"),
]
TEXTS = [(["a", "a\0"], 2, r"'a\x00' ends with a NUL"), (["a\0b", "\0"], 2, r"'\x00' ends with a NUL")]


def table(path: Path, labels: list[str]) -> Path:
    path.write_text("x,label\n" + "".join(f"{row},{label}\n" for row, label in enumerate(labels)))
    return path


def objects(path: Path, labels: list[str]) -> Path:
    """JSON lines; what is no number is text."""
    numbers = all(set(label) <= set("0123456789.e-") for label in labels)
    written = labels if numbers else [json.dumps(label) for label in labels]
    path.write_text("".join(f'{{"label": {label}, "x": [{row}]}}\n' for row, label in enumerate(written)))
    return path


def arriving(path: Path, room: int) -> list[Any]:
    return [ds.y.tolist() for ds in Lines(str(path), Reading(online=True)).arriving(room, lambda _: True)]


def refused(path: Path, line: int, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In every way of reading lines, however they are cut."""
    place = f"{path.name}, line {line}, column"
    for block in (sources.BLOCK, 8):
        monkeypatch.setattr(sources, "BLOCK", block)
        ways = [
            lambda: data.read(path),
            lambda: list(data.stream(path, 1)),
            lambda: fit_file(Perceptron(), path, cache=path.parent / "copies"),
            lambda: arriving(path, 1 << 20),
            lambda: arriving(path, 1),
        ]
        for way in ways:
            with pytest.raises(ValueError, match="label") as error:
                way()
            assert place in str(error.value)
            assert message in str(error.value)


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize(("labels", "row", "message"), MERGED + TEXTS)
def test_labels_of_a_table_that_would_become_one(
    labels: list[str], row: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = table(tmp_path / "a.csv", labels)
    refused(path, row + 1, message, monkeypatch)
    if labels not in [texts for texts, _, _ in TEXTS]:
        with pytest.raises(ValueError, match=r"; categorical=\['label'\] takes the labels as text"):
            data.read(path)
        assert data.read(path, categorical=["label"]).y.tolist() == labels


@pytest.mark.parametrize(("labels", "row", "message"), MERGED + TEXTS)
def test_labels_of_json_lines_that_would_become_one(
    labels: list[str], row: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused(objects(tmp_path / "a.jsonl", labels), row, message, monkeypatch)


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([str(LARGE), "9007199254740992"], [LARGE, LARGE - 1]),
        ([str(-(2**63)), str(2**63 - 1)], [-(2**63), 2**63 - 1]),
        (["18446744073709551616", "5"], [2.0**64, 5.0]),
        (["1", "1.0", "2"], [1.0, 1.0, 2.0]),
        (["1", "0.5", "9007199254740992"], [1.0, 0.5, 2.0**53]),
    ],
)
@pytest.mark.parametrize("block", [8, 1 << 20])
def test_others_are_kept(
    labels: list[str], expected: list[float], block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "BLOCK", block)
    for path in (table(tmp_path / "a.csv", labels), objects(tmp_path / "a.jsonl", labels)):
        assert data.read(path).y.tolist() == expected
        assert [label for ds in data.stream(path, 1) for label in ds.y.tolist()] == expected
        assert [label for part in arriving(path, 1) for label in part] == expected


def test_a_missing_label_does_not_round_the_others(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"label": {LARGE}, "x": [1]}}\n{{"label": null, "x": [1]}}\n')
    assert arriving(path, 1 << 20) == [[LARGE, None]]


@pytest.mark.parametrize("coded", [False, True])
def test_text_of_parquet(tmp_path: Path, coded: bool) -> None:
    labels = pa.array(["b", "a", "a\0"])
    columns = {"x": [1.0, 2.0, 3.0], "label": labels.dictionary_encode() if coded else labels}
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"a.parquet, row 3, column 'label': the label 'a\\x00' ends with a NUL"):
        data.read(tmp_path / "a.parquet")


def test_numbers_of_several_files(tmp_path: Path) -> None:
    for name, labels in (("a", np.array([LARGE, LARGE - 1])), ("b", np.array([0.5]))):
        np.savez(tmp_path / f"{name}.npz", X=np.ones((len(labels), 1)), y=labels)
        pq.write_table(pa.table({"x": np.ones(len(labels)), "label": labels}), tmp_path / f"{name}.parquet")
    for ending in ("npz", "parquet"):
        with pytest.raises(
            ValueError, match=rf"b.{ending}: the labels .* does not hold {LARGE}: write them all in one"
        ):
            data.read(tmp_path / f"*.{ending}")
        assert data.read(tmp_path / f"a.{ending}").y.tolist() == [LARGE, LARGE - 1]


def test_xor_with_large_labels_is_not_proved_separable(tmp_path: Path) -> None:
    rows = ["0,0,18446744073709551616", "1,1,18446744073709551616", "0,1,18446744073709551617"]
    rows += ["1,0,18446744073709551617", "9,9,5"]
    (tmp_path / "xor.csv").write_text("\n".join(rows) + "\n")
    found = CliRunner().invoke(app, ["certify", str(tmp_path / "xor.csv"), "-q"])
    assert found.exit_code == 1
    assert "xor.csv, line 3, column 3: the label 18446744073709551617 is none that" in found.stderr
    assert "; -r categorical=2 takes the labels as text" in found.stderr


def test_two_classes_that_float64_does_not_tell_apart(tmp_path: Path) -> None:
    lines = "".join(f'{{"label": {label}, "x": [{label % 2}]}}\n' for label in (LARGE, LARGE - 1, LARGE))
    model = tmp_path / "m.nvk"
    classes = f"{LARGE},{LARGE - 1}"
    found = CliRunner().invoke(app, ["learn", str(model), "--classes", classes, "--format", "jsonl"], input=lines)
    assert found.exit_code == 0, found.stderr
    assert set(found.stdout.split()) <= {str(LARGE), str(LARGE - 1)}
