"""What a model file says of itself, in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from novikoff.standardization import Standardization
from novikoff.store.header import STREAM
from novikoff.words import counted

SHOWN = 5  # columns


@dataclass(frozen=True)
class Description:
    """What a model file says of itself; ``str`` tells it in words.

    Attributes
    ----------
    path, size, format, producer, sha256 : where it is, its bytes, version of the format, who wrote it, its digest
    learner, parameters : name and values; a random_state that was a generator is "RandomState"
    classes : the labels, or None
    n_features, feature_names, growing : columns, their names or None, and whether new names get new columns
    standardization : by which means and scales columns are standardised, or None
    guarantee : R, rounds, mistakes, updates, margin, what the theorem allows, why it stopped, digest of the data; told
        by the state of the model, which nobody can check without the data
    input : how the data were read, or None
    stream : lines read, examples answered and learned by `novikoff learn`, or None
    """

    path: str
    size: int
    format: int
    producer: str
    sha256: str
    learner: str
    parameters: dict[str, Any]
    classes: list[Any] | None
    n_features: int
    feature_names: list[Any] | None
    growing: bool
    standardization: Standardization | None
    guarantee: dict[str, Any]
    input: dict[str, Any] | None
    stream: dict[str, int] | None = None

    def __str__(self) -> str:
        changed = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        lines = [f"{self.learner}({changed})"]
        if self.classes is not None:
            lines.append(self._labels())
        lines.append(self._features())
        lines += self._standardised()
        lines += self._streamed()
        lines.append("By the account of the file, which nothing but the data can confirm:")
        lines += (f"  {promise}" for promise in self._promises())
        account = (self.input or {}).get("account")
        if isinstance(account, dict):
            lines.append(f"  It learned from {account.get('line')}.")
        lines.append(f"  Data: {self.guarantee['data'] or 'no digest is kept'}.")
        lines.append(f"{self.size:,} bytes, format {self.format}, written by {self.producer}, SHA-256 {self.sha256}.")
        # What a file says may be meant for the terminal.
        return "\n".join("".join(c if c.isprintable() else "\ufffd" for c in line) for line in lines)

    def _labels(self) -> str:
        assert self.classes is not None
        if len(self.classes) == 2:
            return f"Labels: {self.classes[0]!r} (-) and {self.classes[1]!r} (+)."
        shown = ", ".join(repr(label)[:40] for label in self.classes[:10])
        more = f" and {len(self.classes) - 10:,} more" if len(self.classes) > 10 else ""
        return f"{counted(len(self.classes), 'label')}: {shown}{more}."

    def _features(self) -> str:
        count = counted(self.n_features, "feature")
        if not self.feature_names:
            return count + "."
        shown = ", ".join(str(name)[:40] for name in self.feature_names[:SHOWN])
        more = _more(len(self.feature_names))
        return f"{count}: {shown}{more}{'; new ones are learned' if self.growing else ''}."

    def _standardised(self) -> list[str]:
        kept = self.standardization
        if kept is None:
            return []
        numbers = zip(kept.means[:SHOWN].tolist(), kept.scales[:SHOWN].tolist(), strict=True)
        shown = ", ".join(
            f"{f'({self._column(j)} - {mean:.6g})' if kept.centred else self._column(j)} / {scale:.6g}"
            for j, (mean, scale) in enumerate(numbers)
        )
        return [
            f"Columns are standardised, {kept}: {shown}{_more(len(kept.means))}.",
            "So R, margins and bounds are of standardised rows; the model takes rows as they are.",
        ]

    def _column(self, j: int) -> str:
        return str(self.feature_names[j])[:40] if self.feature_names else f"column {j}"

    def _streamed(self) -> list[str]:
        if self.stream is None:
            return []
        lines, answered, learned = (self.stream[name] for name in STREAM)
        return [f"From streams: {lines:,} lines read, {answered:,} examples answered, {learned:,} of them learned."]

    def _promises(self) -> list[str]:
        known = self.guarantee
        lines = []
        if known["mistakes"] is not None:
            text = counted(known["mistakes"], "mistake")
            if known["updates"] not in (None, known["mistakes"]):
                text += f" and {counted(known['updates'], 'update')}"
            if known["rounds"] is not None:
                text += f" in {counted(known['rounds'], 'round')}"
            allows = [f"at least {known['allowed']:,}"] if known["allowed"] is not None else []
            allows += [f"at most {known['bound']:,}"] if known["bound"] is not None else []
            lines.append(text + (f"; the theorem allows {' and '.join(allows)}." if allows else "."))
        elif known["bound"] is not None:
            most = counted(known["bound"], "mistake")
            lines.append(f"A Perceptron makes at most {most} on these rows, in any order.")
        if known["radius"] is not None:
            lines.append(f"Rows of norm at most R = {known['radius']:.6g}.")
        if known["margin"] is not None:
            lower, upper = known["margin"]
            ends = [f"at least {lower:.6g}"] if lower > 0 else []
            ends += [f"at most {upper:.6g}"] if upper < math.inf else []
            if ends:
                lines.append(f"The best margin is {' and '.join(ends)}.")
        if known["stop_reason"]:
            reason = known["stop_reason"]
            named = reason.startswith("max_iter")  # a name stays as it is written
            lines.append(f"{reason if named else reason[0].upper() + reason[1:]}.")
        return lines


def _more(count: int) -> str:
    """What is said of those that are not shown."""
    return f" and {count - SHOWN:,} more" if count > SHOWN else ""
