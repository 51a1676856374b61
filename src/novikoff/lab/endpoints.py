"""What the page may ask for: path, type of the request, function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from novikoff.lab import gallery, game, inequalities, options, rates, run, separators, share
from novikoff.lab.experiment import Experiment

ENDPOINTS: dict[str, tuple[type, Callable[[Any], Any]]] = {
    "/api/options": (gallery.Everything, options.options),
    "/api/examples": (gallery.Everything, gallery.examples),
    "/api/run": (Experiment, run.run),
    "/api/check": (Experiment, inequalities.check),
    "/api/code": (Experiment, share.code),
    "/api/read": (share.Text, share.read),
    "/api/game/play": (game.Play, game.play),
    "/api/game/hint": (game.Play, game.hint),
    "/api/game/learn": (game.Learn, game.learn),
    "/api/game/perceptron": (separators.Against, separators.perceptron),
    "/api/game/advice": (separators.Against, separators.advice),
    "/api/rates": (rates.Descend, rates.descend),
}
