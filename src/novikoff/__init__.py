"""Linear classifiers that come with their proof."""

from novikoff import concepts, data, theory
from novikoff.certify import NotSeparable, NotSeparableError, Separable, Undecided, certify
from novikoff.certify.verify import InvalidCertificate, Verified, verify
from novikoff.descent.rates import rates
from novikoff.estimators.boolean import KDNF, Conjunction, Disjunction, MonotoneConjunction, MonotoneDisjunction
from novikoff.estimators.least_squares import LeastSquares, LeastSquaresClassifier
from novikoff.estimators.margin_perceptron import MarginPerceptron
from novikoff.estimators.max_margin import MaxMarginClassifier
from novikoff.estimators.perceptron import Perceptron
from novikoff.estimators.winnow import Winnow
from novikoff.fitting import fit_file
from novikoff.game import Transcript, play
from novikoff.learners.adversary import worst_case
from novikoff.learners.ellipsoid import EllipsoidPerceptron
from novikoff.learners.halving import Halving
from novikoff.learners.littlestone import StandardOptimal, littlestone_dimension, shattered_tree
from novikoff.learners.online import NotRealizable
from novikoff.learners.weighted_majority import RandomizedWeightedMajority, WeightedMajority
from novikoff.store import InvalidModel, load, save

__version__ = "0.1.0"

__all__ = [
    "KDNF",
    "Conjunction",
    "Disjunction",
    "EllipsoidPerceptron",
    "Halving",
    "InvalidCertificate",
    "InvalidModel",
    "LeastSquares",
    "LeastSquaresClassifier",
    "MarginPerceptron",
    "MaxMarginClassifier",
    "MonotoneConjunction",
    "MonotoneDisjunction",
    "NotRealizable",
    "NotSeparable",
    "NotSeparableError",
    "Perceptron",
    "RandomizedWeightedMajority",
    "Separable",
    "StandardOptimal",
    "Transcript",
    "Undecided",
    "Verified",
    "WeightedMajority",
    "Winnow",
    "certify",
    "concepts",
    "data",
    "fit_file",
    "littlestone_dimension",
    "load",
    "play",
    "rates",
    "save",
    "shattered_tree",
    "theory",
    "verify",
    "worst_case",
]
