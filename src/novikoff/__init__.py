"""Linear classifiers that come with their proof."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from novikoff import concepts as concepts
    from novikoff import data as data
    from novikoff import display as display
    from novikoff import problems as problems
    from novikoff import theory as theory
    from novikoff.certificates import JointNotSeparable as JointNotSeparable
    from novikoff.certificates import JointSeparable as JointSeparable
    from novikoff.certificates import NotSeparable as NotSeparable
    from novikoff.certificates import NotSeparableError as NotSeparableError
    from novikoff.certificates import PairVerdicts as PairVerdicts
    from novikoff.certificates import RunProof as RunProof
    from novikoff.certificates import Separable as Separable
    from novikoff.certificates import SoftMargin as SoftMargin
    from novikoff.certificates import Undecided as Undecided
    from novikoff.certificates import Verdicts as Verdicts
    from novikoff.certificates import certify as certify
    from novikoff.certificates.claim import InvalidCertificate as InvalidCertificate
    from novikoff.certificates.fewest import fewest_mistakes as fewest_mistakes
    from novikoff.certificates.mistakes import FewestMistakes as FewestMistakes
    from novikoff.certificates.verified import Verified as Verified
    from novikoff.certificates.verified import VerifiedSoftMargin as VerifiedSoftMargin
    from novikoff.certificates.verify import verify as verify
    from novikoff.descent.rates import rates as rates
    from novikoff.display.report import Report as Report
    from novikoff.display.report import report as report
    from novikoff.estimators.boolean import KDNF as KDNF
    from novikoff.estimators.boolean import Conjunction as Conjunction
    from novikoff.estimators.boolean import Disjunction as Disjunction
    from novikoff.estimators.boolean import MonotoneConjunction as MonotoneConjunction
    from novikoff.estimators.boolean import MonotoneDisjunction as MonotoneDisjunction
    from novikoff.estimators.least_squares import LeastSquares as LeastSquares
    from novikoff.estimators.least_squares import LeastSquaresClassifier as LeastSquaresClassifier
    from novikoff.estimators.margin_perceptron import MarginPerceptron as MarginPerceptron
    from novikoff.estimators.max_margin import MaxMarginClassifier as MaxMarginClassifier
    from novikoff.estimators.passive_aggressive import PassiveAggressive as PassiveAggressive
    from novikoff.estimators.perceptron import Perceptron as Perceptron
    from novikoff.estimators.winnow import Winnow as Winnow
    from novikoff.fitting import fit_file as fit_file
    from novikoff.game import Transcript as Transcript
    from novikoff.game import play as play
    from novikoff.learners.adversary import worst_case as worst_case
    from novikoff.learners.ellipsoid import EllipsoidPerceptron as EllipsoidPerceptron
    from novikoff.learners.halving import Halving as Halving
    from novikoff.learners.littlestone import StandardOptimal as StandardOptimal
    from novikoff.learners.littlestone import littlestone_dimension as littlestone_dimension
    from novikoff.learners.littlestone import shattered_tree as shattered_tree
    from novikoff.learners.online import NotRealizable as NotRealizable
    from novikoff.learners.weighted_majority import RandomizedWeightedMajority as RandomizedWeightedMajority
    from novikoff.learners.weighted_majority import WeightedMajority as WeightedMajority
    from novikoff.store import InvalidModel as InvalidModel
    from novikoff.store import load as load
    from novikoff.store import save as save

__version__ = "0.1.0"

# Where the public names live. They are imported on first use: `novikoff --help`, or the reading of a large file, need
# not wait for scikit-learn.
_NAMES = {
    "certificates": (
        "JointNotSeparable JointSeparable NotSeparable NotSeparableError PairVerdicts RunProof Separable SoftMargin "
        "Undecided Verdicts certify"
    ),
    "certificates.fewest": "fewest_mistakes",
    "certificates.mistakes": "FewestMistakes",
    "certificates.claim": "InvalidCertificate",
    "certificates.verified": "Verified VerifiedSoftMargin",
    "certificates.verify": "verify",
    "descent.rates": "rates",
    "display.report": "Report report",
    "estimators.boolean": "KDNF Conjunction Disjunction MonotoneConjunction MonotoneDisjunction",
    "estimators.least_squares": "LeastSquares LeastSquaresClassifier",
    "estimators.margin_perceptron": "MarginPerceptron",
    "estimators.max_margin": "MaxMarginClassifier",
    "estimators.passive_aggressive": "PassiveAggressive",
    "estimators.perceptron": "Perceptron",
    "estimators.winnow": "Winnow",
    "fitting": "fit_file",
    "game": "Transcript play",
    "learners.adversary": "worst_case",
    "learners.ellipsoid": "EllipsoidPerceptron",
    "learners.halving": "Halving",
    "learners.littlestone": "StandardOptimal littlestone_dimension shattered_tree",
    "learners.online": "NotRealizable",
    "learners.weighted_majority": "RandomizedWeightedMajority WeightedMajority",
    "store": "InvalidModel load save",
}
_MODULES = ("concepts", "data", "display", "problems", "theory")
_HOMES = {name: f"novikoff.{home}" for home, names in _NAMES.items() for name in names.split()}

__all__ = sorted((*_HOMES, *_MODULES))  # a list, known when this has run


if not TYPE_CHECKING:  # which is to find what is not there

    def __getattr__(name: str) -> Any:
        if name in _HOMES:
            found = getattr(importlib.import_module(_HOMES[name]), name)
        elif name in _MODULES:
            found = importlib.import_module(f"novikoff.{name}")
        else:
            raise AttributeError(f"module 'novikoff' has no attribute {name!r}")
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
