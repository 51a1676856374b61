"""A fitted model as others take it: its state for a file, an estimator of scikit-learn, a graph of ONNX."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import Any

from novikoff.disk import atomic
from novikoff.estimators.export import Plane, Planes, TermSet, onnx_model
from novikoff.learners.state import State
from novikoff.standardization import Standardization


class Portable(ABC):
    """What `novikoff.save` takes."""

    standardization_: Standardization | None = None  # by which numbers its rows are standardised before anything else

    @abstractmethod
    def _give_state(self) -> State:
        """All that later behaviour depends on beside the parameters. Arrays are the model's own, to be read only."""

    @abstractmethod
    def _take_state(self, state: State) -> None:
        """Become the model that gave this state; `novikoff.learners.state.BadState` if no model could have."""

    @abstractmethod
    def _rule_to_export(self) -> Plane | Planes | TermSet:
        """How it predicts."""

    @abstractmethod
    def to_sklearn(self) -> Any:
        """An estimator of scikit-learn that predicts the same, already fitted; after a ``StandardScaler`` in a
        pipeline, if the columns are standardised.

        It adds up in floats, where this one has exact signs: next to the hyperplane the two may differ. At a score of
        exactly zero scikit-learn predicts the first label.
        """

    def to_onnx(self, path: str | os.PathLike[str] | None = None) -> Any:
        """This model as an ONNX graph of plain operators, for ``pip install 'novikoff[onnx]'``.

        The input ``X`` holds rows of float64. Outputs are ``score`` and, of a classifier, ``label``. Scores are added
        up in floats: next to the hyperplane a label may differ from ours, which has the exact sign. The guarantee is
        in the metadata.

        Parameters
        ----------
        path : where to write it; nowhere by default

        Returns
        -------
        onnx.ModelProto
        """
        model = onnx_model(self, self._rule_to_export())
        if path is not None:
            atomic.write(path, [model.SerializeToString(deterministic=True)])
        return model
