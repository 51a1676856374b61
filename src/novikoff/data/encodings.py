"""Text in other encodings than UTF-8, which is what every parser of lines reads.

What cannot be decoded becomes a byte that UTF-8 has not, so that whoever parses the text finds its place.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from typing import Any

from novikoff.words import said

UTF_8 = "utf-8"
UNDECODED = re.compile("[\udc80-\udcff]")

# Longer ones first: that of UTF-32 begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MOST_OF_MARK = 4
_LOOKED_AT = 1 << 10  # bytes in which UTF-16 is looked for that has no mark
_PART = 1 << 20  # bytes that are decoded at a time
_NO_CHARACTERS = ("idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "utf-7")
_LOST = b"\xff"


def not_in_utf_8() -> str:
    return f"the text is not in UTF-8; {said('encoding', 'cp1252')} reads what many programs on Windows write"


class NoMarkError(ValueError):
    """The text looks like one in an encoding that begins with a byte-order mark, but for that."""

    def __init__(self, encoding: str) -> None:
        super().__init__(f"this looks like text in {encoding} without a byte-order mark")
        self.encoding = encoding


def known(encoding: str) -> str:
    """The name of an encoding of text as Python has it; a ValueError if there is none."""
    try:
        found = codecs.lookup(encoding)
    except (LookupError, ValueError):  # a name may hold a NUL
        raise ValueError(
            f"{said('encoding', encoding)} is not known: utf-8, utf-16, cp1252, latin-1 and many others are"
        ) from None
    if found.name in _NO_CHARACTERS or not getattr(found, "_is_text_encoding", True):
        raise ValueError(f"{said('encoding', encoding)} is none that files are written in")
    return found.name


def found_in(head: bytes) -> str:
    """The encoding that the first bytes of a text tell: by a byte-order mark, else UTF-8.

    UTF-16 without a mark holds a NUL beside every character of ASCII; it is not guessed, but told.
    """
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    start = head[:_LOOKED_AT]
    even, odd = start[::2], start[1::2]
    for zeros, others, encoding in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        if len(zeros) > 1 and zeros.count(0) > 0.9 * len(zeros) and others.count(0) < 0.1 * len(others):
            raise NoMarkError(encoding)
    return UTF_8


def clearly_utf_8(head: bytes) -> bool:
    """Whether these first bytes of a text are UTF-8, and not ASCII alone: text in other encodings hardly ever is."""
    try:
        codecs.getincrementaldecoder(UTF_8)().decode(head)  # its last character may be cut
    except UnicodeDecodeError:
        return False
    return not head.isascii()


def may_begin_mark(head: bytes) -> bool:
    """Whether these bytes may be part of a byte-order mark that is not complete."""
    return any(mark.startswith(head[: len(mark)]) for mark, _ in _MARKS) and len(head) < _MOST_OF_MARK


class Recoded:
    """Bytes in another encoding, read as UTF-8."""

    def __init__(self, read: Callable[[int], bytes | None], encoding: str) -> None:
        self._read = read  # at most so many bytes: none at the end, None if nobody wants any more
        self._decoder: Any = codecs.getincrementaldecoder(encoding)(_HANDLER)
        self._pending = b""
        self._over = False

    def some(self, size: int) -> bytes | None:
        """At most so many bytes, and at least one, unless it is the end; None if nobody wants any more."""
        while not self._pending and not self._over:
            part = self._read(min(max(size, 1), _PART))
            if part is None:
                return None
            self._over = not part
            self._pending = self._decoder.decode(part, self._over).encode(UTF_8, _HANDLER)
        found, self._pending = self._pending[:size], self._pending[size:]
        return found

    def read(self, size: int = -1) -> bytes:
        parts = []
        while size and (part := self.some(size if size > 0 else _PART)):
            parts.append(part)
            size -= len(part) if size > 0 else 0
        return b"".join(parts)

    def readinto(self, buffer: Any) -> int:
        part = self.some(len(buffer)) or b""
        buffer[: len(part)] = part
        return len(part)

    def close(self) -> None:
        """The file below is closed by whoever opened it."""


def _lost(error: UnicodeError) -> tuple[str | bytes, int]:
    if isinstance(error, UnicodeDecodeError):
        return "\udcff", error.end
    assert isinstance(error, UnicodeEncodeError)
    return _LOST, error.end


_HANDLER = "novikoff.lost"
codecs.register_error(_HANDLER, _lost)
