"""What a fitted model promises, as plain values: for model files and exports."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from novikoff.certificates import Separable
from novikoff.learners.online import OnlineLearner
from novikoff.theory import float_bound


def guarantee(model: Any) -> dict[str, Any]:
    """Every model has all these entries; None where it promises nothing.

    ``allowed`` is what the theorem allows at least: its bound with the upper end of the margin. ``bound`` is what it
    allows at most: its bound with the lower end, or without any margin.
    """
    margin = getattr(model, "margin_", None)
    certificate = getattr(model, "certificate_", None)
    return {
        "radius": getattr(model, "radius_", certificate.radius if isinstance(certificate, Separable) else None),
        "rounds": getattr(model, "rounds_", None),
        "mistakes": getattr(model, "mistakes_", None),
        "updates": getattr(model, "updates_", None),
        "margin": margin and list(margin),
        "allowed": _allowed(model, margin),
        "bound": _bound(model, margin, certificate),
        "stop_reason": getattr(model, "stop_reason_", None),
        "data": getattr(model, "data_digest_", certificate and certificate.about.digest),
    }


def _allowed(model: Any, margin: tuple[float, float] | None) -> int | None:
    least: Callable[[], tuple[float, int | None]] | None = getattr(model, "_theorem_allows", None)
    return least()[1] if least and margin else None


def _bound(model: Any, margin: tuple[float, float] | None, certificate: Any) -> int | None:
    if isinstance(certificate, Separable):
        return float_bound(Fraction(certificate.radius) ** 2, Fraction(certificate.margin[0]) ** 2)
    if isinstance(model, OnlineLearner):
        return model.bound()
    if not hasattr(model, "_theorem_allows") or margin is None or not margin[0] > 0:
        return None
    most: int | float | None = model.bound(Fraction(margin[0]))
    return most if isinstance(most, int) else None  # of weights, and not of updates
