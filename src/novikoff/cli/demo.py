"""`novikoff demo`: two data sets, two runs, two proofs, in words."""

from __future__ import annotations

import sys
import textwrap

import numpy as np

from novikoff.cli.answers import GOOD
from novikoff.cli.options import Quiet


def demo(quiet: Quiet = False) -> int:
    """The Perceptron on two data sets that ship with scikit-learn, and what its theorem says of the runs."""
    from sklearn.datasets import load_breast_cancer, load_iris
    from sklearn.preprocessing import StandardScaler

    from novikoff import Perceptron, certify

    iris = load_iris()
    setosa = np.where(iris.target == 0, "setosa", "other")
    _say("Iris: is setosa linearly separable from the other two species?")
    _tell(Perceptron().fit(iris.data, setosa).summary())

    if not quiet:
        print("(The first run compiles the loops; that takes some seconds, once.)", file=sys.stderr)
    cancer = load_breast_cancer()
    X = StandardScaler().fit_transform(cancer.data)
    _say(
        "Breast cancer, standardised: 569 tumours, 30 measurements. Can a hyperplane tell malignant from benign "
        "without a single error? Most libraries stop with a warning after 1,000 passes or fewer."
    )
    clf = Perceptron(max_iter=1_000_000, verbose=0 if quiet else 1).fit(X, cancer.target_names[cancer.target])
    _tell(clf.summary())
    errors = int(np.sum(clf.predict(X) != cancer.target_names[cancer.target]))
    _say(
        f"It can: {errors} errors on {len(X)} tumours. The margin is tiny, which is why it took so long: "
        "the theorem said it might. How large is the best margin, and how many mistakes did the theorem allow?"
    )
    _tell(str(clf.certify(X, cancer.target_names[cancer.target])))

    _say("And versicolor against the other two irises? No hyperplane can; this is the proof.")
    proof = certify(iris.data, iris.target == 1)
    _tell(str(proof))
    _say(f"The rows are {', '.join(str(row) for row in proof.rows)}: check it with novikoff.verify, or by hand.")
    return GOOD


def _say(text: str) -> None:
    print(textwrap.fill(text, 100) + "\n")


def _tell(text: str) -> None:
    print(textwrap.indent(text, "    ") + "\n")
