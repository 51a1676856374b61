"""Linear classifiers that come with their proof."""

from novikoff import concepts, data, theory
from novikoff.certify import NotSeparable, NotSeparableError, Separable, Undecided, certify
from novikoff.certify.verify import InvalidCertificate, Verified, verify
from novikoff.estimators.margin_perceptron import MarginPerceptron
from novikoff.estimators.max_margin import MaxMarginClassifier
from novikoff.estimators.perceptron import Perceptron
from novikoff.game import Transcript, play
from novikoff.learners.halving import Halving
from novikoff.learners.online import NotRealizable

__version__ = "0.1.0"

__all__ = [
    "Halving",
    "InvalidCertificate",
    "MarginPerceptron",
    "MaxMarginClassifier",
    "NotRealizable",
    "NotSeparable",
    "NotSeparableError",
    "Perceptron",
    "Separable",
    "Transcript",
    "Undecided",
    "Verified",
    "certify",
    "concepts",
    "data",
    "play",
    "theory",
    "verify",
]
