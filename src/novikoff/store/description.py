"""What a model file says of itself, in words."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from novikoff.estimators.named_weights import NamedWeights
from novikoff.examples import written
from novikoff.standardization import Standardization
from novikoff.store.header import STREAM
from novikoff.words import counted

SHOWN = 5  # columns
LARGEST = 12  # weights that are told of one vector
OF_EACH = 4  # and of each of several,
HEADS = 12  # the first of them
LONGEST = 4000  # characters of what was learned from; no account has more


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
    weights : the weights by name, or None
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
    weights: NamedWeights | None = field(default=None, repr=False)

    @property
    def positive(self) -> Any:
        """Of two labels that which is +; else None."""
        return self.classes[1] if self.classes is not None and len(self.classes) == 2 else None

    def record(self) -> dict[str, Any]:
        """All of it for a program; of the weights the largest."""
        told = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "weights"}
        return told | {
            "positive": self.positive,
            "standardization": None if self.standardization is None else asdict(self.standardization),
            "columns": self.feature_names,
            "fit_intercept": self.parameters.get("fit_intercept"),
            "intercept_scaling": self.parameters.get("intercept_scaling"),
            "largest_weights": self._largest(),
        }

    def _largest(self) -> list[dict[str, Any]] | None:
        """The largest weights of each head, and the constant beside them."""
        weights = self.weights
        if weights is None:
            return None
        count = LARGEST if len(weights.heads) == 1 else OF_EACH
        return [
            {
                "label": head.label,
                "against": head.other,
                "weights": [
                    {"feature": weights.features[j], "weight": float(weights.W[place, j])}
                    for j in weights.largest(place, count).tolist()
                ],
                "intercept": float(weights.intercepts[place]),
            }
            for place, head in enumerate(weights.heads)
        ]

    def __str__(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        lines = [f"{self.learner}({settings})"]
        if self.classes is not None:
            lines.append(self._labels())
        lines.append(self._features())
        lines += self._standardised()
        lines += self._weights()
        lines += self._streamed()
        lines.append("By the account of the file, which nothing but the data can confirm:")
        lines += (f"  {promise}" for promise in self._promises())
        account = (self.input or {}).get("account")
        line = account.get("line") if isinstance(account, dict) else None
        if isinstance(line, str):  # nobody has looked at it
            lines.append(f"  It learned from {line[:LONGEST]}.")
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

    def _weights(self) -> list[str]:
        """The largest weights: of one vector a line for each, of several a line for each vector."""
        found = self._largest()
        if found is None or self.weights is None:
            return []
        if len(found) == 1:
            (one,) = found
            zeros = int((self.weights.W[0] == 0).sum())
            speaks = ""
            if one["label"] is not None:
                label, other = written(one["label"]), written(one["against"])
                speaks = f", which speak for {label} if they are +, for {other} if they are -"
            lines = [f"Weights{speaks}:"]
            lines += (f"  {each['weight']:>+12.6g}  {str(each['feature'])[:60]}" for each in one["weights"])
            rest = self.weights.W.shape[1] - zeros - len(one["weights"])
            if rest:
                lines.append(f"  {'':>12}  and {rest:,} smaller: novikoff inspect --weights lists all")
            lines.append(f"  {one['intercept']:>+12.6g}  (constant)")
            return lines
        lines = [f"The largest weights for each {'pair of labels' if found[0]['against'] is not None else 'label'}:"]
        for head, one in zip(self.weights.heads[:HEADS], found, strict=False):
            told = [f"{each['weight']:+.6g} {str(each['feature'])[:40]}" for each in one["weights"]]
            told.append(f"{one['intercept']:+.6g} (constant)")
            lines.append(f"  {head}: {', '.join(told)}")
        if len(found) > HEADS:
            lines.append(f"  and {len(found) - HEADS:,} more: novikoff inspect --weights lists all")
        return lines

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
