"""Coverage-guided fuzzing of `read`, file by file, and what must hold for every file.

It needs `atheris`, and is not a test of its own: from the root of the repository

    python -m tests.data.fuzz_files csv scratch tests/data/corpus/csv -max_total_time=300

for each of the formats in `FORMATS`. The first directory receives new inputs: a scratch directory keeps the corpus
small. An input for "npz" is the members of an archive, each after `MEMBER` and its name in a line, so that the fuzzer
gets past their checksums; "zip" is an archive as it is.
"""

import inspect
import io
import sys
import tempfile
import warnings
import zipfile
from itertools import pairwise
from pathlib import Path
from unittest import mock

import numpy as np
import scipy.sparse as sp

from novikoff import data
from novikoff.data import (
    arff,
    arrays,
    arrow,
    cache,
    columns,
    dialect,
    encodings,
    idx,
    jsonlines,
    npy,
    sources,
    tables,
)
from novikoff.data.options import Reading

FORMATS = ("csv", "jsonl", "npy", "npz", "zip", "arrow", "parquet", "arff", "idx")
MEMBER = b"\n--member--"
WAYS = (  # bytes of a block, and options
    (1 << 24, {}),
    (32, {"skip_bad": 3, "missing": "zero"}),
    (16, {"missing": "column", "label": False}),
    (1 << 24, {"features": ["a", "b"], "label": "label"}),
)
OF_TABLES = (  # of CSV and ARFF, beside them
    (64, {"encoding": "cp1252", "missing": "zero", "drop": [0]}),
    (1 << 24, {"delimiter": ";", "decimal": ",", "columns": ["a", "b"]}),
)


def sealed(content):
    """The archive of these members."""
    members = (member.partition(b"\n") for member in content.split(MEMBER)[1:])
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, body in {name.decode("latin-1").replace("\0", ""): body for name, _, body in members}.items():
            archive.writestr(zipfile.ZipInfo(name), body)
    return file.getvalue()


def check(format, content, folder):
    """A file is read, by chunks and through a copy to the same examples, or refused in one line that names it once."""
    path = Path(folder) / f"file.{format}"
    path.write_bytes(sealed(content) if format == "npz" else content)
    format = "npz" if format == "zip" else format
    ways = (*WAYS, *OF_TABLES) if format in ("csv", "arff") else WAYS
    for block, options in ways if format != "idx" else ((1 << 24, {}), (16, {"missing": "zero"})):
        with mock.patch.object(sources, "BLOCK", block):
            check_reading(path, {"format": format, **options})


def check_reading(path, options):
    examples, tags, names = outcome(whole, path, options)
    assert outcome(in_chunks, path, options)[:2] == (examples, tags)
    assert outcome(copied, path, options)[::2] == (examples, names)
    if options["format"] in ("csv", "tsv", "arff"):
        with mock.patch.object(tables, "pyarrow", side_effect=ImportError):
            assert outcome(whole, path, options) == (examples, tags, names)


def whole(path, options):
    return [data.read(path, **options)]


def in_chunks(path, options):
    return list(data.stream(path, chunk=2, **options))


def copied(path, options):
    with (
        tempfile.TemporaryDirectory(dir=path.parent) as place,
        cache.Copy(path, Reading(**options), Path(place)).open() as examples,
    ):
        return [examples]


def outcome(function, path, options):
    """The examples, with labels, weights and the lines skipped; the tags; the names. Or a message."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            parts = function(path, options)
        except ValueError as error:
            message = str(error)
            assert message.count(str(path)) == 1
            assert "\n" not in message
            return (message,) * 3
    for ds in parts:
        n, d = ds.X.shape
        assert np.isfinite(ds.X.data if sp.issparse(ds.X) else ds.X).all()
        assert ds.names is None or len(ds.names) == d
        assert all(part is None or len(part) == n for part in (ds.y, ds.weights, ds.tags))
        assert str(ds)
    return (
        (
            [row for ds in parts for row in rows(ds.X)],
            None if parts[0].y is None else [label for ds in parts for label in ds.y.tolist()],
            [weight for ds in parts for weight in (np.ones(len(ds)) if ds.weights is None else ds.weights).tolist()],
            [line for ds in parts for line in ds.bad],
        ),
        [tag for ds in parts for tag in ([""] * len(ds) if ds.tags is None else ds.tags)],
        None if parts[-1].names is None else parts[-1].names.tolist(),
    )


def rows(X):
    """The stored entries of each row; dense rows may get longer in later chunks."""
    if not sp.issparse(X):
        X = sp.csr_array(X)
    return [(X.indices[a:b].tolist(), X.data[a:b].tolist()) for a, b in pairwise(X.indptr)]


def main():
    import atheris

    format = sys.argv.pop(1)
    for place in (npy, arrays, arrow, jsonlines, tables, columns, arff, idx, dialect, encodings):
        for owner in (place, *(kind for kind in vars(place).values() if inspect.isclass(kind))):
            for function in vars(owner).values():
                if inspect.isfunction(function) and function.__module__ == place.__name__:
                    atheris.instrument_func(function)
    with tempfile.TemporaryDirectory() as folder:
        atheris.Setup(sys.argv, lambda content: check(format, content, folder))
        atheris.Fuzz()


if __name__ == "__main__":
    main()
