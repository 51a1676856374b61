"""Coverage-guided fuzzing of the reader: python -m tests.store.fuzz_model [folder] [options of libFuzzer].

An input is a header, a zero byte, and the arrays. The harness adds the lengths and a right SHA-256, so that the fuzzer
gets to what is behind them, and uses whatever model comes out. It needs the package atheris.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from novikoff.learners import state
from novikoff.store import container, model
from novikoff.store.container import MAGIC, PREFIX, VERSION, InvalidModel, unpack
from novikoff.store.model import from_content, to_parts


def sealed(text: bytes, body: bytes, version: int = VERSION) -> bytes:
    """A file with this header and these arrays, lengths and digest made right."""
    body += bytes(-len(body) % 64)
    padding = bytes(-(PREFIX.size + len(text)) % 64)
    size = PREFIX.size + len(text) + len(padding) + len(body) + 32
    data = PREFIX.pack(MAGIC, version, len(text), size) + text + padding + body
    return data + hashlib.sha256(data).digest()


def parts_of(data: bytes) -> tuple[dict[str, Any], bytes]:
    """Header and arrays of a file."""
    length = PREFIX.unpack_from(data)[2]
    return json.loads(data[PREFIX.size : PREFIX.size + length]), data[-(-(PREFIX.size + length) // 64) * 64 : -32]


def exercise(found: Any) -> None:
    """Predict and learn: ordinary errors are allowed, damage is not."""
    d = found.n_features_in_
    if d > 1000:
        return
    rng = np.random.default_rng(0)
    X = (rng.random((6, d)) < 0.5).astype(np.float64)
    labels = getattr(found, "classes_", None)
    y = X[:, 0] if labels is None and d else np.zeros(6) if labels is None else labels[[0, 1, 0, 1, 1, 0]]
    names = getattr(found, "feature_names_in_", None)
    calls = [
        lambda: found.predict(X),
        lambda: found.decision_function(X),
        lambda: found.learn_one(X[0], y[0]),
        lambda: found.predict_one(X[1]),
        lambda: found.learn_one({names[-1] if names is not None else "new": 1.0}, True),
        lambda: found.partial_fit(X, y),
        lambda: found.summary(),
        lambda: found.set_params(max_iter=2).fit(X, y),
        lambda: found.to_sklearn(),
        lambda: to_parts(found),
    ]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for call in calls:
            with contextlib.suppress(ValueError, AttributeError, TypeError, OverflowError):
                call()


def one_input(data: bytes) -> None:
    text, _, body = data.partition(b"\0")
    try:
        found = from_content(unpack(sealed(text, body)))
    except InvalidModel:
        return
    exercise(found)


def main() -> None:
    import atheris

    from tests.store.zoo import ZOO, made

    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in ZOO:
        header, body = parts_of(b"".join(to_parts(made(name))))
        (folder / name).write_bytes(json.dumps(header).encode() + b"\0" + body)
    for place in (container, model, state, state.State):
        for function in vars(place).values():
            if inspect.isfunction(function) and function.__module__ in (place.__name__, state.__name__):
                atheris.instrument_func(function)
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
