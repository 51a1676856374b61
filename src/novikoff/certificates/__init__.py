"""Certificates: what is proved of the data, exactly."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from novikoff.certificates.certificate import NotSeparable as NotSeparable
from novikoff.certificates.certificate import NotSeparableError as NotSeparableError
from novikoff.certificates.certificate import Proof as Proof
from novikoff.certificates.certificate import RunProof as RunProof
from novikoff.certificates.certificate import Separable as Separable
from novikoff.certificates.certificate import Undecided as Undecided
from novikoff.certificates.certificate import Verdict as Verdict
from novikoff.certificates.joint_verdicts import JointNotSeparable as JointNotSeparable
from novikoff.certificates.joint_verdicts import JointSeparable as JointSeparable
from novikoff.certificates.mistakes import FewestMistakes as FewestMistakes
from novikoff.certificates.pair_verdicts import PairVerdicts as PairVerdicts
from novikoff.certificates.soft_margin import SoftMargin as SoftMargin
from novikoff.certificates.verdicts import Verdicts as Verdicts

if TYPE_CHECKING:
    from novikoff.certificates.fewest import fewest_mistakes as fewest_mistakes
    from novikoff.certificates.prove import certify as certify

__all__ = [
    "FewestMistakes",
    "JointNotSeparable",
    "JointSeparable",
    "NotSeparable",
    "NotSeparableError",
    "PairVerdicts",
    "Proof",
    "RunProof",
    "Separable",
    "SoftMargin",
    "Undecided",
    "Verdict",
    "Verdicts",
    "certify",
    "fewest_mistakes",
]


SEARCHES = {"certify": "prove", "fewest_mistakes": "fewest"}  # by module

if not TYPE_CHECKING:  # which is to find what is not there

    def __getattr__(name: str) -> Any:
        """Imported on first use: what reads a proof needs nothing of what finds one."""
        if name not in SEARCHES:
            raise AttributeError(f"module 'novikoff.certificates' has no attribute {name!r}")
        globals()[name] = getattr(import_module(f"novikoff.certificates.{SEARCHES[name]}"), name)
        return globals()[name]
