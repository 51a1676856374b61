"""Certificates: what is proved of the data, exactly."""

from novikoff.certify.certificate import NotSeparable, NotSeparableError, Proof, RunProof, Separable, Undecided
from novikoff.certify.prove import certify

__all__ = ["NotSeparable", "NotSeparableError", "Proof", "RunProof", "Separable", "Undecided", "certify"]
