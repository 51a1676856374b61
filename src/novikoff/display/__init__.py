"""Pictures. They need matplotlib, which is imported when the first one is drawn."""

from novikoff.display.certificate import CertificateDisplay
from novikoff.display.geometry import GeometryDisplay
from novikoff.display.margins import MarginDisplay
from novikoff.display.mistakes import MistakeCurveDisplay
from novikoff.display.proof import ProofDisplay
from novikoff.display.rates import RatesDisplay

__all__ = [
    "CertificateDisplay",
    "GeometryDisplay",
    "MarginDisplay",
    "MistakeCurveDisplay",
    "ProofDisplay",
    "RatesDisplay",
]
