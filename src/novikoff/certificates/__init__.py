"""Certificates: what is proved of the data, exactly."""

from novikoff.certificates.certificate import NotSeparable, NotSeparableError, Proof, RunProof, Separable, Undecided
from novikoff.certificates.prove import certify

__all__ = ["NotSeparable", "NotSeparableError", "Proof", "RunProof", "Separable", "Undecided", "certify"]
