"""The inequalities of the proof at every update of a run, in exact rationals."""

from __future__ import annotations

import msgspec

import novikoff as nk
from novikoff.certificates import Separable
from novikoff.lab.experiment import LEARNERS, Experiment
from novikoff.lab.run import ENOUGH, as_learned, certificate, learn
from novikoff.words import counted

MOST = 250  # updates that are followed: rationals grow


class Checked(msgspec.Struct, frozen=True):
    """``held`` is None where there is nothing to check."""

    held: bool | None
    text: str


def check(experiment: Experiment) -> Checked:
    """Play the game again on the rounds that changed something, and follow w exactly."""
    X, y = experiment.rows()
    proof = certificate(experiment, X, y, as_learned(experiment, X, y)[1])
    if not isinstance(proof, Separable):
        return Checked(None, "Without a separator there is no w* for the proof to compare with.")
    history = learn(experiment, X, y, ENOUGH)
    learner = LEARNERS[experiment.learner].estimator()
    if "threshold" in learner.get_params():  # "auto" grows with the rows seen, which are fewer here: the last is it
        learner.set_params(threshold=history.theta)
    scale = "sphere" if experiment.scale == "sphere" else "none"
    learner.set_params(at_zero=experiment.at_zero, fit_intercept=experiment.intercept, scale=scale)
    rows = [update.row for update in history.updates[:MOST]]
    witness = proof.w[:-1] if experiment.scale == "sphere" else proof.w
    played = nk.play(learner, ((X[row], int(y[row])) for row in rows), witness)
    followed = "every update" if len(rows) == len(history.updates) else f"the first {MOST:,} updates"
    how = "in exact arithmetic" if played.exact else "in exact arithmetic, up to the proved rounding of w"
    count = counted(len(rows), "update")
    if not played.inequalities_held:
        return Checked(False, f"An inequality failed among {count}: please report this.")
    held = played.inequalities[0].upper() + played.inequalities[1:]
    return Checked(True, f"{held} held at {followed} ({len(rows):,}), checked {how}.")
