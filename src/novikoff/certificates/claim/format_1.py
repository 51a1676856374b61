"""Certificates of format 1, under the names of format 2."""

from __future__ import annotations

import re
from typing import Any

from novikoff.certificates.claim import separability
from novikoff.certificates.claim.fields import ORIGIN, ZERO_HEX, require, sides_of_format_1
from novikoff.certificates.claim.head import Claim
from novikoff.certificates.claim.separability import NotSeparableClaim, SeparableClaim

FORMAT = "novikoff certificate 1"
HEAD = {"format", "digest", "shape", "constant", "positive", "verdict", "weights"}


def claim(old: dict[str, Any]) -> Claim:
    record = _in_format_2(old)
    verdicts = SeparableClaim.kind, NotSeparableClaim.kind
    require(old["verdict"] in verdicts, f"its verdict is not {verdicts[0]!r} or {verdicts[1]!r}")
    sides = sides_of_format_1(old["positive"])
    if old["verdict"] == SeparableClaim.kind:
        return separability.separable(record, 1, sides)
    return separability.not_separable(record, 1, sides)


def _in_format_2(old: dict[str, Any]) -> dict[str, Any]:
    """A record of format 1 with its claims under the names of format 2."""
    separable = old.get("verdict") == SeparableClaim.kind
    own = {"support", "margin", "radius", "closest"} if separable else {"rows"} | ({"weak"} & old.keys())
    require(old.keys() == HEAD | own, f"its fields are not {sorted(HEAD | own)}")
    shape = old["shape"]
    require(type(shape) is list and len(shape) == 2, "its shape is not two numbers")
    require(old["constant"] != ORIGIN, "its constant is not a float.hex() >= 0")
    origin = old["constant"] == ZERO_HEX

    new = {name: old[name] for name in ("format", "positive", "digest")}
    new["kind"] = old["verdict"]
    new["against"] = None
    new["constant"] = ORIGIN if origin else old["constant"]
    new["rows"], new["columns"] = shape
    if separable:
        new["combination"] = old["support"]
        new["separator"] = _without_constant(old["weights"]) if origin else old["weights"]
        new |= {name: old[name] for name in ("margin", "radius", "closest")}
    else:
        new["combination"] = {"rows": old["rows"], "weights": old["weights"]}
        if "weak" in old:
            new["weak"] = _without_constant(old["weak"]) if origin else old["weak"]
    return new


def _without_constant(vector: Any) -> Any:
    """Format 1 has a weight for the constant 0, which must be 0."""
    last = vector[-1] if type(vector) is list and vector else None
    unused = (type(last) is int and last == 0) or (type(last) is str and re.fullmatch("-?0x0+", last))
    require(unused, "its weights use a constant that is zero")
    return vector[:-1]
