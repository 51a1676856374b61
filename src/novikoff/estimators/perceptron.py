"""The Perceptron as a scikit-learn estimator."""

from __future__ import annotations

from novikoff.engine.rule import Rule
from novikoff.estimators.linear import LinearClassifier
from novikoff.estimators.parameters import estimator
from novikoff.learners import perceptron as rules
from novikoff.learners.perceptron import AT_ZERO


@estimator
class Perceptron(LinearClassifier):
    r"""The textbook Perceptron, in batch and on a stream.

    .. math:: w \leftarrow w + y x \quad \text{whenever} \quad y \langle w, x \rangle \le 0

    It makes at most B = R²/γ² mistakes, in any order and on any sequence, if some separator has margin γ
    and ‖x‖ ≤ R (`novikoff.theory.RADIUS`); where the sum w + yx rounds, B/(1 - 2⁻⁵⁰B), if B < 2⁴⁹
    (`novikoff.theory.ROUNDED`). The sign of every dot product is exact, so dense and CSR
    input, float32 and float64 storage, and every machine give the same mistakes and the same weights.

    Of k > 2 classes each has its own vector: on a mistake that of the true class goes up by x, and that of the class
    with the largest score among the others down (ties to the first; a tie with the true class is a mistake). Scores are
    compared exactly. With the margin min ⟨w_y - w_r, x⟩/(√2‖W‖), which of two classes is y⟨w,x⟩/‖w‖, the bound is the
    same for every k (`novikoff.theory.MANY_CLASSES`).

    Parameters
    ----------
    at_zero : {"mistake", "positive", "negative"}
        What ⟨w,x⟩ = 0 means: always a mistake, the prediction +, or the prediction -. The last two are for two classes.
    order : {"given", "first", "worst"}
        Cycle through the data; or update on the first violated example, or on the one with the
        smallest y⟨w,x⟩ (ties to the lower row). Under the last two a pass is one search.
    fit_intercept, intercept_scaling : bool, float
        Append the constant coordinate ``intercept_scaling`` to every row. R, γ and the bound include it.
    scale : {"none", "ball", "sphere"}
        "ball" reports radius, margin and bound for rows divided by R, and changes no decision;
        "sphere" divides every row (with its constant) by its own norm.
    max_iter : int
        The most passes (or searches) that ``fit`` makes.
    shuffle : "auto" or bool
        Let every pass of ``fit`` go in a new random order; with ``order="given"`` alone. "auto" does so there. That
        order is a function of the number of rows, ``random_state`` and the pass, and has at most 65,536 rows in hand at
        a time: a file of any size gives the bits of the same rows in memory. False is the order of the rows, which is
        also that of streams and of ``partial_fit``.
    random_state : int, RandomState or None
        The seed of that order; or where it is drawn from, once for each fit (None: from the system).
    warm_start : bool
        Let ``fit`` start from the weights of the last one, column by column, if it had as many columns.
    hypothesis : {"best", "average", "last"}
        Which weights are returned, where they differ: those with the fewest errors on the rows, counted exactly, among
        the last and those that survived the most rounds without an update; the mean of the weights after every round
        (Freund and Schapire 1999); or the last. "best" counts as many as fit in a tenth of the passes, from 2 to 16
        (and keeps no more than 128 MB of them); ties go to the last, and so does a last one without errors. It speaks
        of ``fit`` with ``order="given"``: the other orders, ``partial_fit`` and ``learn_one`` return the last, or the
        average if asked. Learning always goes on from the last. A round is a row with its label, or a search.
    multiclass : {"joint", "one-vs-rest", "one-vs-one"}
        How more than two classes are told apart (two are one vector under each). "joint": one learner, as above. The
        others are a learner of two classes for each class against the rest, or for each pair, with the bits of a
        separate ``fit`` of each (on its rows, with the weights that they have here): ``estimators_`` has them. Those
        against the rest read the rows together, and predict the largest score, compared exactly; pairs vote. A label
        that is new on a stream brings heads that start at 0.
    class_weight : None, dict or "balanced"
        Multiplies the weight of every row of ``fit`` and ``partial_fit`` by that of its label: as in the dict (1 where
        it has none), or, in ``fit`` alone, n divided by the number of classes and of the rows of that label.
        A stream (``learn_one``, ``predict_learn``) weighs every example 1.
    byte_copy : "auto" or bool
        Let quiet passes read a copy of X of one byte an entry (and 24 bytes a row) wherever that decides, and X itself
        where it does not: the same bits, several times faster. "auto" makes it for dense X of 8 MB or more, after a
        few passes with hardly an update. With ``order="given"`` alone, and for one vector: two classes, or pairs.
    verbose : int
        1 shows the passes, of at most ``max_iter``: a bar in a terminal or a notebook, elsewhere lines on standard
        error.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (1, d) and (1,), of k > 2 classes (k, d) and (k,)
        The hypothesis that is returned: it predicts, and lower of ``margin_``, errors and "separated" are its own.
    last_coef_, last_intercept_ : arrays of the same shapes
        The last w. Learning goes on from it, and the bounds and the upper end of ``margin_`` come from it.
    classes_ : the labels; of two the second is +
    mistakes_, updates_, passes_, n_iter_ : int
    weight_of_updates_ : float
        C, the sum of the weights of the rows of all updates, which are counted once each above. With the largest weight
        c of them, C ≤ cR²/γ²: then ``bound`` speaks of C, and not of updates, which may be more.
    history_ : array
        The updates in each pass; under "first" and "worst" the row that each search found, -1 for none.
    radius_ : float
        The largest ‖x‖, rows as learned from.
    margin_ : (lower, upper)
        lower = min y⟨w,x⟩/‖w‖ over the data of the last ``fit`` (-inf where the rows are gone);
        no separator has a margin above upper = ‖w‖/updates, or ‖w‖/C with weights (inf after a warm start).
    stop_reason_ : str
        Why the last ``fit`` stopped: "separated" if the margin over its data is positive, and only then.
    interrupted_, rounded_ : bool
        Whether Ctrl-C ended the last ``fit``; whether some update was not exactly w + yx.
    estimators_ : list of fitted estimators
        Of more than two classes learned apart, one for each head, with all that is known of it; copies. The whole then
        has a row of ``coef_`` for each head, counts that add up those of all heads (``history_``, too; under "first"
        and "worst" how many of them found a row), and no margin and no bound.

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> clf = Perceptron().fit([[2, 1], [3, 0], [0, 2], [-1, 1]], ["in", "in", "out", "out"])
    >>> clf.mistakes_, clf.updates_, clf.stop_reason_
    (2, 2, 'separated: the last of 2 passes found nothing to update')
    >>> clf.predict([[4, 1]])
    array(['in'], dtype='<U3')

    References
    ----------
    F. Rosenblatt, Psychological Review 65 (1958) 386-408. A. B. J. Novikoff, Symposium on the
    Mathematical Theory of Automata XII (1962) 615-622. Y. Freund and R. E. Schapire, Machine Learning 37 (1999)
    277-296. M. Collins, EMNLP (2002) 1-8.
    """

    _rule_kind = rules.Perceptron

    def _rule(self) -> Rule:
        return rules.Perceptron(AT_ZERO[self.at_zero])
