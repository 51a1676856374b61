"""Certificates: what is proved of the data, exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from novikoff.certificates.certificate import NotSeparable as NotSeparable
from novikoff.certificates.certificate import NotSeparableError as NotSeparableError
from novikoff.certificates.certificate import Proof as Proof
from novikoff.certificates.certificate import RunProof as RunProof
from novikoff.certificates.certificate import Separable as Separable
from novikoff.certificates.certificate import Undecided as Undecided
from novikoff.certificates.certificate import Verdict as Verdict
from novikoff.certificates.soft_margin import SoftMargin as SoftMargin
from novikoff.certificates.verdicts import Verdicts as Verdicts

if TYPE_CHECKING:
    from novikoff.certificates.prove import certify as certify

__all__ = [
    "NotSeparable",
    "NotSeparableError",
    "Proof",
    "RunProof",
    "Separable",
    "SoftMargin",
    "Undecided",
    "Verdict",
    "Verdicts",
    "certify",
]


if not TYPE_CHECKING:  # which is to find what is not there

    def __getattr__(name: str) -> Any:
        """Imported on first use: what reads a proof needs nothing of what finds one."""
        if name != "certify":
            raise AttributeError(f"module 'novikoff.certificates' has no attribute {name!r}")
        from novikoff.certificates.prove import certify

        globals()[name] = certify
        return certify
