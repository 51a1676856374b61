"""What notebooks show of proofs, games, models and data: cards of HTML, with pictures of a few lines.

An object that has a card makes it in its `_repr_html_`, as it makes its words in `__str__`; here is what cards are made
of. They take their colours from the page around them, so that they are light or dark as the notebook is.
"""

from novikoff.views.card import card, facts, grid, in_words
from novikoff.views.html import Html, tag
from novikoff.views.pictures import bars, bracket, share, steps

__all__ = ["Html", "bars", "bracket", "card", "facts", "grid", "in_words", "share", "steps", "tag"]
