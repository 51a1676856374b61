"""`read` and `stream`: from files of any format to data sets."""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import Any, TypeVar, Unpack

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.data import sources
from novikoff.data.arff import ArffParser
from novikoff.data.arrays import ArrayReader
from novikoff.data.arrow import ArrowReader
from novikoff.data.block import Block, FormatError, Parser, shortened
from novikoff.data.columns import Column
from novikoff.data.dataset import Dataset, Skipped
from novikoff.data.dialect import INDEX_LEFT_OUT, MOST, Dialect, sniffed
from novikoff.data.idx import IdxReader
from novikoff.data.jsonlines import JsonParser
from novikoff.data.options import DELIMITERS, Options, Reading, reading_of, record_of, takes_options
from novikoff.data.positive import OneAgainstAll
from novikoff.data.sources import Source
from novikoff.data.splitting import Refusal, Splitter, text_blocks
from novikoff.data.svmlight import SvmlightParser
from novikoff.data.tables import TableParser
from novikoff.data.vw import Scanned, VwParser
from novikoff.data.weighed import Reader, WeighedReader, with_weights_as_features
from novikoff.float64 import Rounded, floats, joined
from novikoff.words import said

WITH_COLUMNS = ("csv", "tsv", "parquet", "arrow", "npy", "arff")
_log = logging.getLogger("novikoff")

NAMELESS = ("svmlight", "idx")
THREADS = 2  # that parse svmlight and VW text

T = TypeVar("T")
F = TypeVar("F", Block, Scanned)


@takes_options
def read(path: str | os.PathLike[str], **options: Unpack[Options]) -> Dataset:
    """All examples of a file, of the files that match a pattern, or of standard input ("-").

    The options are those of `Reading`; docs/guides/files.md tells what each format holds.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "pets.csv"
    ...     _ = file.write_text("weight,colour,kind\\n4.5,grey,cat\\n30,brown,dog\\n3.5,brown,cat\\n")
    ...     ds = read(file)
    >>> print(ds)
    3 rows, 3 columns → 3 features: weight is a number; colour (2 levels); label kind, + is dog (1) and - is cat (2)
    >>> ds.names.tolist()
    ['weight', 'colour=grey', 'colour=brown']
    """
    return _Run(path, reading_of(options)).whole()


@takes_options
def stream(path: str | os.PathLike[str], chunk: int | None = 100_000, **options: Unpack[Options]) -> Iterator[Dataset]:
    """The examples of a file, as `read` has them, in data sets of `chunk` rows, in memory that does not grow.

    The last one may have fewer rows. None stands for as many rows as are parsed at a time, which costs the least.

    Where columns are found on the way (svmlight, VW, JSON lines, categories), a chunk has those found so far; `columns`
    or `width` fixes them.
    """
    if chunk is not None and chunk < 1:
        raise ValueError(f"chunk={chunk}: at least one row is expected")
    run = _Run(path, reading_of(options))
    return _blocks(run) if chunk is None else _chunks(run, chunk)


def _blocks(run: _Run) -> Iterator[Dataset]:
    held: list[Block] = []  # the last one waits for the end of the file, and for the bad lines there
    for block in run.blocks():
        if held:
            yield run.dataset(held)
        held = [block]
    yield run.dataset(held)


def _chunks(run: _Run, chunk: int) -> Iterator[Dataset]:
    held: list[Block] = []
    rows = 0
    for block in run.blocks():
        held.append(block)
        rows += block.X.shape[0]
        while rows > chunk:  # the last chunk waits for the end of the file, and for the bad lines there
            surplus = rows - chunk
            last = held.pop()
            cut = last.X.shape[0] - surplus
            held.append(_cut(last, 0, cut))
            yield run.dataset(held)
            held, rows = [_cut(last, cut, cut + surplus)], surplus
    if rows:
        yield run.dataset(held)


def _cut(block: Block, start: int, stop: int) -> Block:
    if start == 0 and stop == block.X.shape[0]:
        return block
    part = slice(start, stop)
    return Block(
        block.X[part],
        None if block.y is None else block.y[part],
        None if block.weights is None else block.weights[part],
        None if block.tags is None else block.tags[part],
        0,
        [],
        None if block.inexact is None else block.inexact.part(start, stop),
        block.filled if start == 0 else 0,
    )


def located(block: Block, path: str) -> Block:
    """The block with the name of its file, where that will be told."""
    return block if block.inexact is None else block._replace(inexact=block.inexact._replace(path=path))


class _Run:
    """One reading of a path."""

    def __init__(self, path: str | os.PathLike[str], reading: Reading) -> None:
        self._path = os.fspath(path)
        self._reading = reading
        self._reader: Reader | None = None
        self._skipped: list[Skipped] = []
        self._columns: NDArray[np.object_] | None = None

    def blocks(self) -> Iterator[Block]:
        """The blocks of all files, none of them empty."""
        first: Block | None = None
        kinds = _NumberKinds()
        told_apart = None if self._reading.positive is None else OneAgainstAll(self._reading.positive)
        for source in sources.sources(self._path):
            if self._reader is None:
                self._reader = _reader(replace(self._reading, format=sources.opened(source, self._reading)))
            else:
                sources.opened(source, self._reader.reading)
            for block in self._reader.blocks(source):
                self._skipped += (Skipped(source.name, *line) for line in block.bad)
                block = located(block, source.name)
                if block.X.shape[0]:
                    if first is None:
                        self._tell_of_index(source.name)
                    first = first or block
                    with placed(source.name):
                        _check_like(block, first, self._reader.reading)
                        kinds.add(block.y)
                    yield block if told_apart is None else block._replace(y=told_apart(block.y))
        if first is None:
            raise ValueError(f"{'standard input' if self._path == '-' else self._path} holds no examples")
        if told_apart is not None and self._reading.features is None:  # for a model there may be none
            with placed("standard input" if self._path == "-" else self._path):
                told_apart.check_met()

    def _tell_of_index(self, name: str) -> None:
        """What is left out although nobody asked for that is said at once."""
        assert self._reader is not None
        dialect = self._reader.dialect
        if dialect is not None and dialect.row_names and self._reading.features is None:
            _log.warning("%s: %s", name, INDEX_LEFT_OUT)

    def whole(self) -> Dataset:
        """All rows, with the record of how they were read."""
        found = self.dataset(list(self.blocks()))
        reader = self._reader.within if isinstance(self._reader, WeighedReader) else self._reader
        needed = isinstance(reader, LineReader) and reader.header_overruled
        columns = found.account.of_columns
        record = record_of(self._reading, len(found.bad), found.filled, columns, idle=() if needed else ("header",))
        doubted = found.account.doubted(found.names, droppable=found.reading.format in WITH_COLUMNS)
        return replace(found, record=record, doubted=doubted)

    def dataset(self, blocks: list[Block]) -> Dataset:
        """The rows of the blocks, which are given up one by one, as a data set."""
        assert self._reader is not None
        width = self._reader.width
        if self._columns is None or len(self._columns) != width:  # none is ever renamed
            names = self._reader.names
            self._columns = None if names is None else np.array(names, dtype=object)
        y, weights, tags = _labels(blocks), _weights(blocks), _tags(blocks)
        rounded: Rounded | None = None
        for block in blocks:
            rounded = joined(rounded, block.inexact and block.inexact.told())
        filled = sum(block.filled for block in blocks)
        X = _stacked(blocks, width)
        bad, self._skipped = tuple(self._skipped), []
        reading = self._reader.reading
        if reading.label is False:
            y = None
        return Dataset(
            X,
            y,
            self._columns,
            weights,
            tags,
            reading,
            bad,
            filled,
            self._reader.dialect,
            columns=self._reader.columns,
            label_given=self._reading.label is not None,
            rounded=rounded,
        )


def _reader(reading: Reading) -> Reader:
    if reading.drop and reading.features is None and reading.format not in WITH_COLUMNS:
        tables = ", ".join(WITH_COLUMNS)
        raise ValueError(f"{said('drop', reading.drop)} leaves out a column of a table ({tables}), and this is none")
    if reading.columns is not None and reading.format in NAMELESS:
        raise ValueError(
            f"{said('columns', reading.columns)} names columns, and those of {reading.format} have no names"
        )
    if reading.weight is not None:
        return WeighedReader(_reader(with_weights_as_features(reading)), reading)
    if reading.format in ("parquet", "arrow"):
        return ArrowReader(reading)
    if reading.format in ("npy", "npz"):
        return ArrayReader(reading)
    if reading.format == "idx":
        return IdxReader(reading)
    if reading.format == "svmlight":
        return SvmlightReader(reading)
    return LineReader(line_parser(reading), reading)


def line_parser(reading: Reading) -> Parser:
    """The parser of a format of lines; columns of svmlight text count from 1 unless `zero_based` says otherwise."""
    if reading.format == "svmlight":
        return SvmlightParser(bool(reading.zero_based), reading.width)
    if reading.format == "vw":
        return VwParser(reading.wanted, grow=reading.online, max_names=reading.max_names)
    if reading.format == "jsonl":
        return JsonParser(reading)
    if reading.format == "arff":
        return ArffParser(reading)
    if reading.format in DELIMITERS:
        return TableParser(reading)
    raise ValueError(f"{reading.format} is not a format of lines: svmlight, vw, jsonl, csv, tsv or arff is expected")


class LineReader:
    """Reads lines of text, block by block."""

    def __init__(self, parser: Parser, reading: Reading) -> None:
        self._parser = parser
        self._reading = reading
        self._allowed = reading.skip_bad
        self._width = 0  # of the last block handed over; the parser may be ahead of it

    @property
    def names(self) -> list[str] | None:
        names = self._parser.names
        return names if names is None else names[: self._width]

    @property
    def width(self) -> int:
        return self._width

    @property
    def reading(self) -> Reading:
        return (
            self._parser.reading if isinstance(self._parser, TableParser | JsonParser | ArffParser) else self._reading
        )

    @property
    def dialect(self) -> Dialect | None:
        return self._parser.dialect if isinstance(self._parser, TableParser) else None

    @property
    def columns(self) -> tuple[Column, ...]:
        return self._parser.columns if isinstance(self._parser, TableParser | JsonParser | ArffParser) else ()

    @property
    def header_overruled(self) -> bool:
        """Whether the first line is taken for names, or for an example, only because the option ``header`` says so."""
        return isinstance(self._parser, TableParser) and self._parser.header_overruled

    def blocks(self, source: Source) -> Iterator[Block]:
        parser, delimiter = self._parser, None
        if isinstance(parser, TableParser):
            with placed(source.name):
                head = source.peek(MOST)
                dialect = sniffed(head, parser.reading, source.encoding, complete=len(head) < MOST)
                parser.begin(dialect)
            delimiter = dialect.delimiter
        texts = _ahead(text_blocks(source, sources.BLOCK, Splitter(self._reading, delimiter)))
        found = self._scanned(parser, texts, source) if isinstance(parser, VwParser) else self._parsed(texts, source)
        for block, self._width in found:
            yield block

    def _parsed(self, texts: Iterator[memoryview | Refusal], source: Source) -> Iterator[tuple[Block, int]]:
        """Blocks, and how many columns there are after each."""
        line = 1
        for text in texts:
            with placed(source.name):
                block = _unless_refused(self._parser.parse, text, line, self._allowed)
            line += block.lines
            self._allowed -= len(block.bad)
            yield block, self._parser.width

    def _scanned(
        self, parser: VwParser, texts: Iterator[memoryview | Refusal], source: Source
    ) -> Iterator[tuple[Block, int]]:
        """Blocks of VW text, and how many columns there are after each.

        Some blocks are scanned at once, and given their columns one after the other before the next are scanned.
        """
        before = 0  # lines
        settled: list[tuple[Block, int]] = []
        with _threads(THREADS) as pool:
            while batch := list(islice(texts, THREADS)):
                coming = [pool.submit(_unless_refused, parser.scan, text, 1, self._reading.skip_bad) for text in batch]
                scans: list[tuple[Scanned, int]] = []  # and their first lines; those before are not needed any more
                yield from settled
                settled = []
                with placed(source.name):
                    for future in coming:
                        scan = _result(future, before)
                        scans.append((scan, before + 1))
                        before += scan.lines
                    for scan, line in scans:  # none is still scanning
                        block = parser.settle(scan, line)
                        self._allowed = _left(self._allowed, block)
                        settled.append((block, parser.width))
            yield from settled


class SvmlightReader:
    """Reads svmlight text, in which blocks do not depend on each other, with several threads."""

    names: None = None
    dialect: None = None
    columns: tuple[()] = ()

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.width = 0  # of the blocks handed over: the parser may be ahead
        self._parser: SvmlightParser | None = None
        self._allowed = reading.skip_bad

    def blocks(self, source: Source) -> Iterator[Block]:
        pending: deque[Future[Block]] = deque()
        self._before = 0
        try:
            with _threads(THREADS) as pool:
                for text in _ahead(text_blocks(source, sources.BLOCK, Splitter(self.reading))):
                    if self._parser is None:
                        self._parser = self._begin(text)
                    pending.append(pool.submit(_unless_refused, self._parser.parse, text, 1, self.reading.skip_bad))
                    if len(pending) > THREADS:
                        yield self._next(pending)
                while pending:
                    yield self._next(pending)
        except FormatError as error:
            raise error.at(source.name) from None

    def _begin(self, text: memoryview | Refusal) -> SvmlightParser:
        """The first block tells whether columns count from 0."""
        zero_based = self.reading.zero_based
        if zero_based is None:
            scout = SvmlightParser()
            _unless_refused(scout.parse, text, 1, self.reading.skip_bad)
            zero_based = scout.smallest == 0
            self.reading = replace(self.reading, zero_based=zero_based)
        return SvmlightParser(zero_based, self.reading.width)

    def _next(self, pending: deque[Future[Block]]) -> Block:
        block = _result(pending.popleft(), self._before)
        self._before += block.lines
        self._allowed = _left(self._allowed, block)
        self.width = max(self.width, block.X.shape[1])
        return block


def _check_like(block: Block, first: Block, reading: Reading) -> None:
    """Blocks of one path are all dense or all sparse, and their labels all numbers, all text, or not there."""
    if sp.issparse(block.X) != sp.issparse(first.X):
        raise ValueError("some files hold dense rows and others sparse ones")
    if reading.label is False or reading.online:
        return
    y, others = block.y, first.y
    if (y is None) != (others is None) or (y is not None and y.dtype.kind == "f" and np.isnan(y).any()):
        raise ValueError(f"some examples have a label and others have none; {said('label', False)} reads no labels")
    if y is not None and others is not None and (y.dtype.kind in "OU") != (others.dtype.kind in "OU"):
        raise ValueError("some labels are text and others are numbers")


class _NumberKinds:
    """The types of the labels of all blocks that are numbers: together they become float64, which may not hold them.

    Those of lines are looked at by their parsers, which know where they are. Files of arrays may differ in their type.
    """

    def __init__(self) -> None:
        self._kinds: set[str] = set()
        self._large: str | None = None  # the first that float64 does not hold

    def add(self, y: NDArray[Any] | None) -> None:
        if y is None or y.dtype.kind not in "iuf":
            return
        self._kinds.add(y.dtype.kind)
        if self._large is None:
            lost = floats(y, lambda k: f"row {k + 1}")[1]
            self._large = None if lost is None else lost.value
        if self._large is not None and len(self._kinds) > 1:
            raise ValueError(
                f"the labels of the files are of different types, and float64, which takes the others, does not hold "
                f"{self._large}: write them all in one type"
            )


@contextmanager
def placed(name: str) -> Iterator[None]:
    """What is wrong with the text is told with the name of the file; what is wrong with the file has it already."""
    try:
        yield
    except FormatError as error:
        raise error.at(name) from None
    except ValueError as error:
        raise ValueError(f"{name}: {shortened(str(error))}") from None


def _unless_refused(
    parse: Callable[[memoryview, int, int], F], text: memoryview | Refusal, line: int, allowed: int
) -> F:
    """What a parser makes of a text. A refusal waits for its turn, behind the faults of the lines before it."""
    if isinstance(text, Refusal):
        raise text.error(line)
    return parse(text, line, allowed)


def _result(future: Future[F], before: int) -> F:
    """What a thread found in a text, whose lines it counted from 1, when so many are before it."""
    try:
        found = future.result()
    except FormatError as error:
        raise FormatError(error.message, error.line + before, error.column) from None
    if found.bad:
        found = found._replace(bad=[bad._replace(line=bad.line + before) for bad in found.bad])
    return found._replace(inexact=found.inexact._replace(at=found.inexact.at + before)) if found.inexact else found


def _left(allowed: int, block: Block) -> int:
    """How many bad lines are allowed after this block."""
    if len(block.bad) > allowed:
        line, column, message = block.bad[allowed]
        raise FormatError(message, line, column)
    return allowed - len(block.bad)


@contextmanager
def _threads(count: int) -> Iterator[ThreadPoolExecutor]:
    """A pool that waits for nobody at its end.

    A generator that was left half way may end within a garbage collection, in a thread that is just being started: to
    wait for another thread there is to wait for ever.
    """
    pool = ThreadPoolExecutor(count)
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _ahead(items: Iterator[T]) -> Iterator[T]:
    """The items, the next one being fetched while one is worked on."""
    with _threads(1) as pool:
        coming = pool.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = pool.submit(next, items, None)
            yield item


def _labels(blocks: list[Block]) -> NDArray[Any] | None:
    found = [block.y for block in blocks if block.y is not None]
    if not found:
        return None
    y = found[0] if len(found) == 1 else np.concatenate(found)
    return y.astype(np.str_) if y.dtype == object else y


def _weights(blocks: list[Block]) -> NDArray[np.float64] | None:
    if all(block.weights is None for block in blocks):
        return None
    found = [np.ones(block.X.shape[0]) if block.weights is None else block.weights for block in blocks]
    weights = np.concatenate(found, dtype=np.float64)
    return None if (weights == 1).all() else weights


def _tags(blocks: list[Block]) -> list[str] | None:
    if all(block.tags is None for block in blocks):
        return None
    tags = [tag for block in blocks for tag in block.tags or [""] * block.X.shape[0]]
    return tags if any(tags) else None


def _stacked(blocks: list[Block], width: int) -> Any:
    """The rows of all blocks, of one width. Blocks are freed on the way, so that nothing is in memory twice."""
    n = sum(block.X.shape[0] for block in blocks)
    blocks.reverse()
    if not sp.issparse(blocks[0].X):
        return _stacked_dense(blocks, n, width)
    nnz = sum(block.X.nnz for block in blocks)
    index = np.int32 if nnz < 2**31 else np.int64
    if len(blocks) == 1:
        X = blocks.pop().X
        data, indices, indptr = X.data, X.indices.astype(index, copy=False), X.indptr.astype(index, copy=False)
    else:
        data, indices, indptr = np.empty(nnz), np.empty(nnz, dtype=index), np.zeros(n + 1, dtype=index)
        row = entry = 0
        while blocks:
            X = blocks.pop().X
            rows, entries = X.shape[0], X.nnz
            data[entry : entry + entries] = X.data[:entries]
            indices[entry : entry + entries] = X.indices[:entries]
            indptr[row + 1 : row + rows + 1] = X.indptr[1:] + np.int64(entry)
            row, entry = row + rows, entry + entries
    stacked = sp.csr_array((data, indices, indptr), shape=(n, width))
    stacked.has_canonical_format = True
    return stacked


def _stacked_dense(blocks: list[Block], n: int, width: int) -> NDArray[Any]:
    if len(blocks) == 1 and blocks[0].X.shape[1] == width:
        return np.ascontiguousarray(blocks.pop().X)
    out = np.empty((n, width), dtype=np.result_type(*(block.X.dtype for block in blocks)))
    row = 0
    while blocks:
        X = blocks.pop().X
        part = out[row : row + X.shape[0]]
        part[:, : X.shape[1]] = X
        part[:, X.shape[1] :] = 0
        row += X.shape[0]
    return out
