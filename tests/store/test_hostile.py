"""A file with a right SHA-256 that somebody wrote with intent: refused, or harmless."""

from __future__ import annotations

import json
import random
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from novikoff.estimators.guarantee import guarantee
from novikoff.store import InvalidModel, bare, container, describe, load
from novikoff.store.container import VERSION, unpack
from novikoff.store.model import from_content, to_parts
from tests.store.fuzz_model import exercise, parts_of, sealed
from tests.store.zoo import ZOO, made

CORPUS = Path(__file__).parent / "corpus"


@pytest.fixture(scope="module")
def files() -> dict[str, tuple[dict[str, Any], bytes]]:
    """Header and body of every model."""
    return {name: parts_of(b"".join(to_parts(made(name)))) for name in ZOO}


def build(header: Any, body: bytes, version: int = VERSION) -> Any:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return from_content(unpack(sealed(text, body, version)))


def changed(header: dict[str, Any], *path: Any, to: Any) -> dict[str, Any]:
    copy = json.loads(json.dumps(header))
    place = copy
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = to
    return copy


def test_the_harness_itself_gives_valid_files(files):
    for header, body in files.values():
        build(header, body)


# One lie at a time -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "path", "to", "match"),
    [
        ("perceptron", ("features", "count"), 5, "5 columns, but 5 weights"),
        ("perceptron", ("features", "count"), 2**60, "weights: one more is the least"),
        ("perceptron", ("features", "count"), -1, "not counted by an integer"),
        ("perceptron", ("features", "count"), 3, "does not exist yet has a weight"),
        ("perceptron", ("features", "growing"), True, "grow, but have no names"),
        ("one against the rest", ("state", "kind"), "all", "is of a known kind"),
        ("one against the rest", ("state", "mistakes"), [1, 2], "mistakes is not a list of 3 values"),
        ("one against the rest", ("state", "mistakes"), [1, -2, 3], "mistakes is -2"),
        ("one against the rest", ("state", "mistakes"), 7, "mistakes is not a list of 3 values"),
        ("one against the rest", ("state", "constant"), [1.0, 1.0, 1.0], "constant is .*: a float"),
        ("one against the rest", ("state", "chose"), [1, 0, 0], "chose is not a list of bools"),
        ("one against the rest", ("state", "drawn"), -1, "drawn is no seed"),
        ("one against the rest", ("state", "heads_turns"), [1, 1, 1], "heads_history is not that of its heads"),
        ("one against the rest", ("state", "heads_reason"), ["a", "b", 3], "reason is 3: text is expected"),
        ("one against the rest", ("classes", "values"), [0, 1], "more than two classes"),
        ("perceptron-frame", ("features", "count"), 5, "5 features, but 4 names"),
        ("perceptron-frame", ("features", "named"), 1, "whether they have names"),
        ("perceptron-frame", ("features", "named"), False, "has 'names_text', which this learner does not know"),
        ("perceptron", ("features", "named"), True, "not in arrays names_text, names_ends, names_integers"),
        ("perceptron", ("features", "names"), ["a", "b"], "not stated by count, named and growing"),
        ("perceptron", ("stream",), {"lines": 3, "answered": 2, "learned": 4}, "more lines than it has read"),
        ("perceptron", ("stream",), {"lines": 3, "answered": 2}, "not stated by the integers"),
        ("perceptron", ("stream",), {"lines": 3, "answered": 2, "learned": True}, "not stated by the integers"),
        ("perceptron", ("stream",), [], "'stream' is not a JSON object"),
        ("winnow", ("features", "growing"), True, "grow"),
        ("perceptron", ("learner",), "os.system", "unknown kind, 'os.system'"),
        ("perceptron", ("learner",), ["Perceptron"], "unknown kind"),
        ("perceptron", ("learner",), "LeastSquares", "has no parameter"),
        ("perceptron", ("format",), 1, "another version"),
        ("perceptron", ("parameters", "__class__"), 1, "has no parameter '__class__'"),
        ("perceptron", ("parameters", "max_iter"), -5, "max_iter"),
        ("perceptron", ("parameters", "max_iter"), [1], "a parameter is a list"),
        ("perceptron", ("parameters", "at_zero"), "up", "at_zero"),
        ("perceptron", ("parameters",), [], "not a JSON object"),
        ("perceptron", ("classes",), None, "needs labels"),
        ("perceptron", ("classes", "dtype"), "|O8", "unknown type"),
        ("perceptron", ("classes", "dtype"), "<U999999999", "unknown type"),
        ("perceptron", ("classes", "dtype"), "<i8", "not values of the type"),
        ("perceptron", ("classes", "values"), [True, True], "not different values"),
        ("perceptron", ("classes", "values"), [], "not values"),
        ("perceptron-int8", ("classes", "values"), [3, 700], "its labels"),
        ("perceptron-strings", ("classes", "values"), ["yes", "longer than three"], "not different values"),
        ("squares", ("classes",), {"dtype": "|b1", "values": [False, True]}, "has no labels"),
        ("winnow", ("classes", "values"), [0, 2], "not 0 and 1"),
        ("perceptron", ("state", "rule_zero"), True, "rule_zero is True: a value like 0 is expected"),
        ("margin", ("state", "rule_theta"), -1.0, r"no MarginPerceptron has the parameters"),
        ("perceptron", ("state", "rule_zero"), 2, r"no Perceptron has the parameters \(2,\)"),
        ("aggressive", ("state", "rule_variant"), 7, "no PassiveAggressive has the parameters"),
        ("aggressive", ("state", "rule_variant"), 1.0, "rule_variant is 1.0: a value like 1 is expected"),
        ("aggressive", ("state", "rule_C"), -1.0, "no PassiveAggressive has the parameters"),
        ("aggressive", ("state", "rule_C"), 0.0, "no PassiveAggressive has the parameters"),
        ("aggressive", ("state", "rule_C"), {"float": "inf"}, "no PassiveAggressive has the parameters"),
        ("aggressive", ("state", "rule_tol"), -0.5, "no PassiveAggressive has the parameters"),
        ("aggressive", ("state", "rule_tol"), {"float": "nan"}, "neither a number nor a word"),
        ("aggressive", ("state", "theta"), 0.5, "theta is not that of the rule and the largest norm"),
        ("aggressive", ("state", "steps"), -1.0, "steps is -1.0"),
        ("aggressive", ("state", "steps"), {"float": "inf"}, "steps is inf"),
        ("perceptron", ("state", "unit"), True, "unit is True"),
        ("perceptron", ("state", "mistakes"), -1, "mistakes is -1"),
        ("perceptron", ("state", "updates"), {"int": "0x" + "f" * 5000}, "updates is a huge integer"),
        ("perceptron", ("state", "theta"), {"float": "inf"}, "theta is inf"),
        ("perceptron", ("state", "radius_m"), 1.0, "radius_m is 1.0"),
        ("perceptron", ("state", "theta"), 0, "theta is 0: a float"),
        ("perceptron", ("state", "theta"), {"float": "nan"}, "neither a number nor a word"),
        ("perceptron", ("state", "radius_e"), 10**6, "radius_e"),
        ("perceptron", ("state", "radius_m"), 0.25, "not a mantissa"),
        ("perceptron", ("state", "lower"), None, "lower is None"),
        ("perceptron", ("state", "stop_reason"), 5, "stop_reason is 5: text"),
        ("perceptron", ("state", "extra"), 5, "has 'extra', which this learner does not know"),
        ("perceptron", ("state",), {}, "state has no"),
        ("margin", ("state", "theta"), 1.0, "theta is not that of the rule and the largest norm"),
        ("perceptron", ("input",), [], "'input' is not"),
        ("perceptron", ("producer",), 3, "who wrote it"),
        ("perceptron", ("guarantee",), {}, "does not state"),
        ("perceptron", ("guarantee", "mistakes"), "many", "mistakes of the wrong type"),
        ("perceptron", ("guarantee", "bound"), {"int": "0x" + "f" * 5000}, "that no theorem gives"),
        ("perceptron", ("guarantee", "margin"), [1.0], "not two floats"),
        ("perceptron", ("arrays", 0, "dtype"), "|O", "not of a known type"),
        ("perceptron", ("arrays", 0, "dtype"), "<f4", "not of a known type"),
        ("perceptron", ("arrays", 0, "dtype"), "<i8", "array 'w' is <i8"),
        ("perceptron", ("arrays", 0, "shape"), [2**60], "does not fit"),
        ("perceptron", ("arrays", 0, "shape"), [2**40, 0], "does not fit"),
        ("perceptron", ("arrays", 0, "shape"), [-1], "does not fit"),
        ("perceptron", ("arrays", 0, "shape"), [5, 1], "it has 4 columns, but 1 weights"),
        ("perceptron", ("arrays", 0, "shape"), [True], "does not fit"),
        ("perceptron", ("arrays", 0, "shape"), [], "does not fit"),
        ("perceptron", ("arrays", 0, "shape"), [1] * 40, "does not fit"),
        ("perceptron", ("arrays", 0, "offset"), 64, "not where it should be"),
        ("perceptron", ("arrays", 1, "offset"), 0, "not where it should be"),
        ("perceptron", ("arrays", 1, "name"), "w", "no name of its own"),
        ("perceptron", ("arrays", 1, "name"), "other", "no array 'history'"),
        ("perceptron", ("arrays",), {}, "no list of arrays"),
        ("perceptron", ("arrays",), [], "something after the last array"),
        ("perceptron-generator", ("parameters", "random_state", "RandomState", "position"), 625, "position is 625"),
        ("perceptron-generator", ("parameters", "random_state", "RandomState", "gauss"), "x", "gauss"),
        ("perceptron-generator", ("parameters", "random_state"), None, "has 'random_state'"),
        ("perceptron", ("parameters", "random_state"), {"RandomState": {"position": 1, "gauss": None}}, "array 'key'"),
        ("max-margin", ("state", "proof_shape"), [40, 5], "data of another shape"),
        ("max-margin", ("state", "proof_w"), [0] * 5, "is zero"),
        ("max-margin", ("state", "proof_w"), [1], "list of 5 integers"),
        ("max-margin", ("state", "proof_closest"), 40, "proof_closest"),
        ("max-margin", ("state", "margin_lower"), 0.0, "not positive and finite"),
        ("max-margin", ("state", "proof_radius"), 0.0, "radius of its certificate"),
        ("max-margin", ("state", "proof_positive"), None, "another positive label"),
        ("max-margin", ("state", "proof_positive"), "nobody", "another positive label"),
        ("squares-newton", ("features", "count"), 3, "array 'w'"),
        ("squares-newton", ("state", "stream_method"), "gd", "streams by no known method"),
        ("squares-newton", ("state", "stream_method"), "sgd", "array 'stream_inverse'"),
        ("squares-stream", ("state", "stream_method"), "newton-sgd", "array 'stream_inverse'"),
        ("squares-stream", ("state", "stream_steps"), -1, "stream_steps"),
        ("squares", ("state", "method"), "magic", "no known method"),
        ("winnow", ("features", "count"), 7, "not those of its columns"),
        ("winnow", ("features", "count"), 2**50, "not those of its columns"),
        ("winnow", ("state", "up"), 1.0, "not those of Winnow"),
        ("winnow", ("state", "up"), 1e308, "not those of Winnow|overflow"),
        ("winnow", ("state", "threshold"), 1e-3, "a weight is not between"),
        ("winnow", ("state", "rounds"), 1, "mistakes is"),
        ("conjunction", ("features", "count"), 2**40, "not those of its columns"),
        ("conjunction", ("state", "rounds"), 6, "round that was not played"),
        ("kdnf", ("state", "k"), 10**6, "terms are not those"),
        ("kdnf", ("state", "k"), 1, "terms are not those"),
        ("kdnf", ("features", "count"), 2**40, "terms are not those"),
        ("kdnf", ("features", "count"), 0, "terms are not those"),
    ],
)
def test_a_lie_has_its_sentence(files, name, path, to, match):
    header, body = files[name]
    with pytest.raises(InvalidModel, match=match):
        build(changed(header, *path, to=to), body)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (b"", "not JSON"),
        (b"[]", "not a JSON object"),
        (b"\xff\xfe", "not JSON"),
        (b'{"format": 1, "format": 1}', "the same key twice"),
        (b'{"a": NaN}', "NaN, which is not JSON"),
        (b'{"a": -Infinity}', "-Infinity, which is not JSON"),
        (b'{"a": 1e999}', "not a float64"),
        (b'{"a": ' + b"9" * 10000 + b"}", "not JSON"),
        (b"[" * 5_000 + b" " * 200_000, "nested too deeply"),
        (b" " * 200_000 + b'{"a":' * 5_000, "nested too deeply"),
        (b'{"a":' * 5_000 + b" " * 5_000_000, "nested too deeply"),  # in one pass over the blanks
        (b"[" * 200_000, "more than 8,407 objects and lists"),
        (b'{"a":' * 200_000, "more than 38,037 objects and lists"),
        (b'{"a": [' + b"{}," * 200_000 + b"1]}", "more than 23,222 objects and lists"),
        (b'{"a": 1} x', "not JSON"),
    ],
)
def test_bad_json_has_its_sentence(text, match):
    with pytest.raises(InvalidModel, match=match):
        build(text, b"")


@pytest.mark.parametrize(
    ("array", "change", "match"),
    [
        ("standard_means", lambda a: a[:3], "means and scales are not those of its columns"),
        ("standard_scales", lambda a: a[:3], "means and scales are not those of its columns"),
        ("standard_means", lambda a: np.append(a, [0.0]), "means and scales are not those of its columns"),
        ("standard_means", lambda a: None, "no array 'standard_means'"),
        ("standard_scales", lambda a: None, "no array 'standard_scales'"),
        ("standard_means", lambda a: a.reshape(2, 2), "expected is <f8 of"),
        ("standard_means", lambda a: a.astype(np.int64), "expected is <f8 of"),
        ("standard_means", lambda a: a * np.nan, "the mean of a column is not finite"),
        ("standard_means", lambda a: a + np.inf, "the mean of a column is not finite"),
        ("standard_scales", lambda a: a * [1, 0, 1, 1], "not a finite number above 0"),
        ("standard_scales", lambda a: a * [1, 1, -1, 1], "not a finite number above 0"),
        ("standard_scales", lambda a: a * np.nan, "not a finite number above 0"),
        ("standard_scales", lambda a: a + np.inf, "not a finite number above 0"),
    ],
)
@pytest.mark.parametrize("name", ["perceptron-standardised", "squares-standardised"])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_means_and_scales_that_are_none(name, array, change, match, tmp_path):
    content = unpack(b"".join(to_parts(made(name))))
    arrays = {key: value for key, value in content.arrays.items() if key != array}
    if (changed_array := change(content.arrays[array])) is not None:
        arrays[array] = changed_array
    parts = container.pack(content.header, arrays)
    with pytest.raises(InvalidModel, match=match):
        from_content(unpack(b"".join(parts)))
    (tmp_path / "model.nvk").write_bytes(b"".join(parts))
    if name.startswith("perceptron"):
        with pytest.raises(InvalidModel, match=match):
            bare.load(tmp_path / "model.nvk")


def test_columns_of_no_width_and_of_bits_are_not_standardised():
    def refused(name: str, count: int, match: str) -> None:
        content = unpack(b"".join(to_parts(made(name))))
        arrays = content.arrays | {"standard_means": np.zeros(count), "standard_scales": np.ones(count)}
        with pytest.raises(InvalidModel, match=match):
            from_content(unpack(b"".join(container.pack(content.header, arrays))))

    refused("perceptron", 0, "it standardises no column")
    refused("winnow", 6, "the columns of a Winnow are not standardised")
    refused("squares", 3, "means and scales are not those of its columns")  # which do not grow


def test_array_contents_are_checked(files):
    def refused(name: str, array: str, place: int, value: bytes, match: str) -> None:
        header, body = files[name]
        entry = next(entry for entry in header["arrays"] if entry["name"] == array)
        at = entry["offset"] + place
        with pytest.raises(InvalidModel, match=match):
            build(header, body[:at] + value + body[at + len(value) :])

    nan, large = np.float64(np.nan).tobytes(), np.int64(10**6).tobytes()
    refused("perceptron", "w", 8, nan, "not finite")
    refused("perceptron", "w", 40, b"\1", "between the arrays")
    refused("winnow", "w", 0, nan, "not between")
    refused("winnow", "w", 0, np.float64(-1).tobytes(), "not between")
    refused("conjunction", "removed", 0, large, "round that was not played")
    refused("conjunction", "negative_rounds", 0, large, "round that was not played")
    refused("conjunction", "negatives", 1, b"\xff", "do not exist")
    refused("conjunction", "negatives", 0, b"\0\0", "no false literal left")
    refused("max-margin", "proof_rows", 0, large, "rows that do not exist")
    refused("average", "tilt", 8, nan, "what it averages with is not finite")
    refused("the best", "chosen", 8, nan, "a weight of the hypothesis that it returns is not finite")


@pytest.mark.parametrize(
    ("array", "place", "value", "match"),
    [
        ("names_text", 0, b"\xff", "not in UTF-8"),
        ("names_ends", 0, np.int64(-1).tobytes(), "do not fit their text"),
        ("names_ends", 0, np.int64(40).tobytes(), "do not fit their text"),
        ("names_ends", 24, np.int64(99).tobytes(), "do not fit their text"),
        ("names_integers", 0, b"\2", "which names of its features are integers"),
        ("names_integers", 2, b"\1", "same name"),
        ("names_text", 0, b"x", "the name 'x' of a feature is not an integer"),
        ("names_text", 0, b"-", "the name '-' of a feature is not an integer"),
    ],
)
def test_names_that_are_none(files, array, place, value, match):
    header, body = files["perceptron-int-names"]
    at = next(entry["offset"] for entry in header["arrays"] if entry["name"] == array) + place
    with pytest.raises(InvalidModel, match=match):
        build(header, body[:at] + value + body[at + len(value) :])


def test_many_keys_are_refused_before_they_are_parsed(monkeypatch):
    text = b"{" + b",".join(b'"%x":0' % i for i in range(2_000)) + b"}"
    monkeypatch.setattr(container.json, "loads", None)
    with pytest.raises(InvalidModel, match="its objects have more than 1,000 keys beside one each"):
        unpack(sealed(text, b"", VERSION))


def test_names_with_brackets_are_names(files):
    """A long header of version 1 may be full of them."""
    header, body = files["perceptron-dicts"]
    names = [f"[{{:{i}" for i in range(2000)]
    old = {key: value for key, value in header.items() if key != "stream"} | {"format": 1}
    old["features"] = {"count": 2000, "names": names, "growing": True}
    kept = [entry for entry in header["arrays"] if not entry["name"].startswith("names_")]
    room = next(entry for entry in kept if entry["name"] == "w")
    assert kept[0] is room
    body = np.zeros(2001).tobytes() + bytes(-2001 * 8 % 64)
    old["arrays"] = [room | {"shape": [2001]}, kept[1] | {"offset": len(body), "shape": [0]}]
    assert build(old, body, version=1)._columns.names() == names


def test_what_a_header_says_of_its_guarantee_is_not_believed(files, tmp_path):
    header, body = files["perceptron"]
    lies = {"mistakes": 0, "updates": 0, "bound": 0, "allowed": 0, "radius": 1e-9, "margin": [9.0, 9.0], "rounds": 5}
    forged = changed(header, "guarantee", to=header["guarantee"] | lies | {"stop_reason": "separated"})
    (tmp_path / "forged.nvk").write_bytes(sealed(json.dumps(forged).encode(), body))
    told = describe(tmp_path / "forged.nvk")
    assert told.guarantee == guarantee(made("perceptron"))
    lines = str(told).splitlines()
    account = lines.index("By the account of the file, which nothing but the data can confirm:")
    assert all(line.startswith("  ") for line in lines[account + 1 : -1])
    assert not any("mistakes" in line or "margin" in line for line in lines[:account])


def test_every_model_that_loads_can_be_described(files, tmp_path):
    for name, (header, body) in files.items():
        (tmp_path / name).write_bytes(sealed(json.dumps(header).encode(), body))
        assert describe(tmp_path / name).guarantee == guarantee(load(tmp_path / name)), name


def test_nothing_is_allocated_for_what_a_header_says(files):
    header, body = files["kdnf"]
    tracemalloc.start()
    try:
        for shape in ([2**60], [1, 2**60], [2**31, 2**31]):
            with pytest.raises(InvalidModel):
                build(changed(header, "arrays", 0, "shape", to=shape), body)
        for count in (2**24, 2**40, 2**60):
            for name in ("kdnf", "winnow", "conjunction", "squares-newton", "perceptron"):
                with pytest.raises(InvalidModel):
                    build(changed(files[name][0], "features", "count", to=count), files[name][1])
        assert tracemalloc.get_traced_memory()[1] < 5e6
    finally:
        tracemalloc.stop()


# Many at random ----------------------------------------------------------------------------------

INTERESTING = [
    None, True, False, 0, 1, -1, 2, 3, 7, 63, 64, 2**31, 2**53, 2**63, -(2**63), 0.0, -0.0, 0.5, 1.0, 1e308, 5e-324,
    "", "auto", "<f8", "<i8", "|u1", "newton-sgd", "sgd", "Perceptron", "KDNF", [], [0], [1, 2], {}, {"float": "inf"},
    {"float": "-inf"}, {"int": "0x20000000000000"}, {"int": "-0x1"},
]  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, entry in entries for found in [(*path, key), *places(entry, (*path, key))]]


@pytest.mark.parametrize("seed", range(4))
def test_two_thousand_random_lies_do_no_harm(files, seed):
    rng = random.Random(seed)
    names = sorted(files)
    built = 0
    for _ in range(500):
        header, body = files[rng.choice(names)]
        for _ in range(rng.choice((1, 1, 2))):
            if rng.random() < 0.4 and body:
                at = rng.randrange(len(body))
                size = rng.choice((1, 8))
                body = (body[:at] + rng.randbytes(size) + body[at + size :])[: len(body)]
            else:
                header = changed(header, *rng.choice(places(header)), to=rng.choice(INTERESTING))
        try:
            model = build(header, body)
        except InvalidModel:
            continue
        built += 1
        exercise(model)
    assert built > 20  # some lies are harmless: counts, parameters, weights


@pytest.mark.parametrize("path", sorted(CORPUS.iterdir()), ids=lambda path: path.name)
def test_what_fuzzing_found_does_no_harm(path):
    data = path.read_bytes()
    text, _, body = data.partition(b"\0")
    try:
        model = build(text, body, version=1)  # which they were found in
    except InvalidModel:
        return
    exercise(model)
