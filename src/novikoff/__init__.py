"""Linear classifiers that come with their proof."""

from novikoff import data, theory
from novikoff.estimators.margin_perceptron import MarginPerceptron
from novikoff.estimators.perceptron import Perceptron
from novikoff.game import Transcript, play

__version__ = "0.1.0"

__all__ = ["MarginPerceptron", "Perceptron", "Transcript", "data", "play", "theory"]
