"""What certificates of every kind say: which data they are about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from novikoff.certificates.claim import fields
from novikoff.certificates.claim.fields import require
from novikoff.certificates.claim.reading import HowRead, how_read

FIELDS = {"format", "kind", "constant", "rows", "columns", "digest"}
OPTIONAL = {"reading"}
DIGEST = re.compile(r"[0-9a-f]{64}")


class Head(NamedTuple):
    version: int  # of the format, and in all likelihood of the digest
    constant: float  # c > 0; or 0, through the origin, where there is no constant coordinate
    n: int  # rows
    d: int  # columns
    digest: str
    reading: HowRead | None  # None: it is not recorded

    @property
    def width(self) -> int:
        """D, the coordinates of a row."""
        return self.d + 1 if self.constant else self.d


@dataclass(frozen=True)
class Claim:
    """A certificate that keeps to the format. Nothing has been compared with the data yet; kinds add what they say."""

    head: Head

    kind: ClassVar[str]

    @property
    def reading(self) -> HowRead | None:
        return self.head.reading


def check_fields(record: dict[str, Any], own: set[str], optional: frozenset[str] = frozenset()) -> None:
    """Beside the head the record has these fields, perhaps the optional ones, and no others."""
    expected = FIELDS | own | ((OPTIONAL | optional) & record.keys())
    require(record.keys() == expected, f"its fields are not {sorted(expected)}")


def head(record: dict[str, Any], version: int) -> Head:
    n, d = record["rows"], record["columns"]
    require(fields.is_count(n) and fields.is_count(d), "its rows and columns are not two numbers >= 0")
    digest = record["digest"]
    require(type(digest) is str and DIGEST.fullmatch(digest), "its digest is not 64 hexadecimal digits")
    return Head(
        version=version,
        constant=fields.constant(record["constant"]),
        n=n,
        d=d,
        digest=digest,
        reading=how_read(record["reading"]) if "reading" in record else None,
    )
