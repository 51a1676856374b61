"""What the linear estimators share: batch, streaming and online use of one learner."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import nullcontext
from copy import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from novikoff import inputs
from novikoff.engine.keeping import Survivors
from novikoff.engine.rows import Rows
from novikoff.estimators import words
from novikoff.estimators.callbacks import Called, Tasks, tells_callbacks
from novikoff.estimators.export import fitted, from_raw_rows
from novikoff.estimators.findings import Findings
from novikoff.estimators.in_rounds import InRounds
from novikoff.estimators.new_data import looks_at_all_rows
from novikoff.estimators.once import warn_once
from novikoff.labels import Labels
from novikoff.learners.alone import alone
from novikoff.learners.committee import PAIRS, REST, Committee, told_where
from novikoff.learners.linear import Journal, LinearLearner, Outcome, Watch
from novikoff.learners.state import State, require
from novikoff.progress import Passes

if TYPE_CHECKING:
    from sklearn import linear_model
    from sklearn.multiclass import OneVsOneClassifier

NOT_RUN = Outcome(np.empty(0, dtype=np.int64), finished=False, interrupted=True), words.INTERRUPTED


class LinearClassifier(InRounds, Findings, Called):
    """A learner by a rule. A subclass states its parameters and its rule, and nothing else."""

    # Batch -------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Pass over the data until a pass is free of updates, or ``max_iter`` times.

        Ctrl-C ends it early, with the model as it stands and ``stop_reason_`` saying so.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n, d), or a `novikoff.data.Dataset` with its labels
        y : n labels, two classes or more, of any type
        sample_weight : n numbers >= 0
            Multiplies the step, w <- w + c y x; of passive-aggressive learners C. A row of weight 0 is not there.
            (A `novikoff.data.Dataset` may come with weights of its own.)

        Returns
        -------
        self
        """
        return self._fit_journalled(X, y, None, sample_weight)

    @tells_callbacks
    @alone
    def _fit_journalled(self, X: Any, y: Any, journal: Journal | None, sample_weight: Any = None) -> Self:
        """`fit`, which a journal follows and can take up again: see `novikoff.fit_file`."""
        from sklearn.exceptions import ConvergenceWarning

        self._check_parameters()
        y, given = inputs.labels(X, y), inputs.given_weights(X, sample_weight)
        standardization = inputs.begin_with(self, X, goes_on=self.warm_start and self._begun())
        X, names = inputs.first_matrix(self, X)
        X, y, importance, places = self._weighed(X, y, given)
        labels = Labels.of(y, X.shape[0])
        learner = self._fresh(X.shape[1], labels)
        if self.warm_start and self._begun() and learner.is_like(self._learner):
            learner.start_from(self._learner)
        rows = self._rows(X, labels.targets(y, X.shape[0]), importance=importance)
        most = None if isinstance(learner, Committee) else int(self.max_iter)
        tasks = Tasks.of(self, X, y, most, lambda: self._as_fitted(learner, labels, names))
        seed, twin = self._seed(), copy(self)
        inputs.keep(twin, standardization)
        with inputs.refusals(X, names, places):
            if isinstance(learner, Committee):
                went = self._fit_apart(learner, rows, seed, tasks)
                twin._adopt(learner, labels, names)
                twin._heads_went(learner, went, seed)
            else:
                outcome, end = self._fit_one(learner, rows, seed, tasks, journal)
                went = [(outcome, end)]
                twin._adopt(learner, labels, names)
                twin.history_ = outcome.history
                twin.passes_ = twin.n_iter_ = len(outcome.history)
                twin._stopped = words.stop(end, twin, learner)
        if looks_at_all_rows(twin):  # whatever the parameters are set to later, nothing follows for new data
            for each in learner.members if isinstance(learner, Committee) else [learner]:
                for one in [each] if each.chosen is None else [each, each.chosen]:
                    one.first_mistakes = one.support = -1
        # At once: an interrupt leaves the old model or the new one, and nothing between.
        self.__dict__ = twin.__dict__
        if tasks is not None:
            tasks.end()
        left = [end for _, end in went if not end.interrupted and not end.reached and not end.stopped]
        if left and not self.interrupted_:
            message = words.warning(left[0], self) if len(went) == 1 else words.warning_of_heads(self)
            # Past fit, the two guards of this, and that of scikit-learn for its callbacks.
            warn_once(message, ConvergenceWarning, 5 if tasks is None else 6)
        return self

    def _progress(self) -> Passes:
        return Passes(type(self).__name__, self.order, int(self.max_iter))

    def _as_fitted(self, learner: LinearLearner | Committee, labels: Labels, names: Any) -> dict[str, Any]:
        """The attributes of a model that stands where this learner does."""
        twin = copy(self)
        twin._adopt(learner.copy(), labels, names)
        twin._nothing_batched()
        return vars(twin)

    def _fit_one(
        self,
        learner: LinearLearner,
        rows: Rows,
        seed: int | None,
        tasks: Tasks | None,
        journal: Journal | None = None,
    ) -> tuple[Outcome, words.End]:
        """Let a new learner pass over its rows; how that went."""
        if self.hypothesis == "best" and self.order == "given":  # no hypothesis survives a search but the last
            learner.keep_survivors(self.max_iter)
        with self._progress() if self.verbose else nullcontext() as watch:
            outcome = learner.run(
                rows,
                self.order,
                self.max_iter,
                seed=seed,
                watch=_both(watch, tasks),
                each_pass=tasks is not None,
                journal=journal,
                tally=np.zeros(rows.n, dtype=np.uint32),
                byte_copy=self.byte_copy,
            )
        return outcome, words.INTERRUPTED if outcome.interrupted else _end(learner, outcome, rows)

    def _fit_apart(
        self, committee: Committee, rows: Rows, seed: int | None, tasks: Tasks | None
    ) -> list[tuple[Outcome, words.End]]:
        """The same for each head of a committee, with one seed. After Ctrl-C those that have not begun do not begin."""
        together = committee.kind == REST and self.order == "given"
        went: list[tuple[Outcome, words.End]] = []
        way = self._together if together else self._in_turn
        for some in way(committee, rows, seed, tasks):
            went += some
            if any(end.interrupted for _, end in some):
                break
        return went + [NOT_RUN] * (len(committee.members) - len(went))

    def _together(
        self, committee: Committee, rows: Rows, seed: int | None, tasks: Tasks | None
    ) -> Iterator[list[tuple[Outcome, words.End]]]:
        """Heads that read the rows together."""
        best, head = self.hypothesis == "best", 0
        with self._progress() if self.verbose else nullcontext() as watch:
            told = _both(watch, tasks)
            for outcomes in committee.pass_together(rows, self.max_iter, seed=seed, survivors=best, watch=told):
                went = []
                for outcome in outcomes:
                    member, part = committee.members[head], committee.rows_of(head, rows)[0]
                    went.append((outcome, words.INTERRUPTED if outcome.interrupted else _end(member, outcome, part)))
                    head += 1
                yield went

    def _in_turn(
        self, committee: Committee, rows: Rows, seed: int | None, tasks: Tasks | None
    ) -> Iterator[list[tuple[Outcome, words.End]]]:
        """One head after another."""
        for head, member in enumerate(committee.members):
            part, which = committee.rows_of(head, rows)
            with told_where(which):
                yield [self._fit_one(member, part, seed, tasks)]

    @alone
    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """One pass over a batch, in the given order, from where the model stands.

        Parameters
        ----------
        X, y, sample_weight : as in `fit`
        classes : the labels, if there are to be no others; without it labels that are new join with weights of 0, and
            ``class_weight`` may have some of which no example came yet

        Returns
        -------
        self
        """
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' counts the rows of all batches, and partial_fit sees one: give the weights of "
                "the classes as a dict"
            )
        y, given = inputs.labels(X, y), inputs.given_weights(X, sample_weight)
        begun = self._begun()
        if begun:
            known = self.classes_.tolist()
            if classes is not None and list(classes) != known and inputs.distinct(classes).tolist() != known:
                raise ValueError(f"classes = {list(classes)!r} are not the labels of the first call, {known!r}")
            X, names = inputs.matrix(self, X), getattr(self, "feature_names_in_", None)
            X, y, importance, places = self._weighed(X, y, given, self.classes_ if self._labels.fixed else None)
            labels = self._labels.joined_by(y, X.shape[0])
            learner = self._with_heads_for(labels)
        else:
            self._check_parameters()
            X, names = inputs.first_matrix(self, X)
            X, y, importance, places = self._weighed(X, y, given, classes)
            labels = Labels.begun(y, X.shape[0]) if classes is None else Labels.declared(classes)
            learner = self._fresh(X.shape[1], labels)
        rows = self._rows(X, labels.targets(y, X.shape[0]), learner, importance)
        with inputs.refusals(X, names, places):
            learner.one_pass(rows)
        if begun:
            self._learner, self._labels, self.classes_ = learner, labels, labels.classes
        else:
            self._adopt(learner, labels, names)
            self._nothing_batched()
        if isinstance(learner, Committee):
            self._heads_streamed(learner)
        self.passes_ += 1
        self.n_iter_ = self.passes_
        return self

    # For others ----------------------------------------------------------------------------------

    def to_sklearn(self) -> linear_model.Perceptron | OneVsOneClassifier:
        """A fitted ``sklearn.linear_model.Perceptron`` that predicts the same.

        It adds up in floats, where this one is exact: next to a hyperplane the two may differ. At a score of
        exactly zero it predicts the first label, also under ``at_zero="positive"``. Under ``scale="sphere"`` its
        scores are those of the row as it is; a positive factor, which changes no label.
        """
        from sklearn import linear_model

        learner = self._learned()
        if isinstance(learner, Committee) and learner.kind == PAIRS:
            return self._pairs_to_sklearn()
        twin = linear_model.Perceptron(
            fit_intercept=self.fit_intercept,
            max_iter=self.max_iter,
            tol=None,
            shuffle=self._shuffles(),
            random_state=self.random_state,
            warm_start=self.warm_start,
            verbose=self.verbose,
        )
        counts = {"classes_": self.classes_.copy(), "n_iter_": self.n_iter_, "t_": float(self.updates_ + 1)}
        return from_raw_rows(self, fitted(twin, self, self.coef_, self.intercept_, **counts))

    def _pairs_to_sklearn(self) -> OneVsOneClassifier:
        """Those of all pairs, which call their labels 0 and 1."""
        from sklearn.base import clone
        from sklearn.multiclass import OneVsOneClassifier

        heads = []
        for own in self.estimators_:
            inputs.keep(own, None)  # the whole does it before
            heads.append(own.to_sklearn())
        for head in heads:
            head.classes_ = np.array([0, 1])
            head.__dict__.pop("feature_names_in_", None)  # the whole looks at them
        twin = OneVsOneClassifier(clone(heads[0]))
        twin.estimators_, twin.classes_, twin.pairwise_indices_ = heads, self.classes_.copy(), None
        twin.n_features_in_ = self.n_features_in_
        if hasattr(self, "feature_names_in_"):
            twin.feature_names_in_ = self.feature_names_in_.copy()
        return from_raw_rows(self, twin)

    def _give_state(self) -> State:
        state = State.of(self)
        self._learner.write_state(state)
        if isinstance(self._learner, Committee):
            self._write_heads(state, self._learner)
        if self._columns is not None and not hasattr(self, "feature_names_in_"):
            state.names, state.growing = self._columns.names(), True
        state.arrays["history"] = self.history_
        state.values |= {
            "fixed": self._labels.fixed,
            "unmet": list(self._labels.unmet),
            "passes": self.passes_,
            "stop_reason": self._stopped.reason,
            "stop_updates": self._stopped.changes,
            "interrupted": self._stopped.interrupted,
            "stop_counted": self._stopped.counted,
            "stop_aside": self._stopped.aside,
        }
        return state

    def _take_state(self, state: State) -> None:
        self._check_parameters()
        assert state.classes is not None
        labels = Labels(state.classes, _unmet(state), fixed=state.flag("fixed") if "fixed" in state.values else False)
        learner: LinearLearner | Committee
        if "kind" in state.values:
            learner = Committee.from_state(state, self._rule_kind, len(labels.classes))
        else:
            learner = LinearLearner.from_state(state, self._rule_kind)
            require(len(learner.W) == labels.heads, f"{len(learner.W)} vectors of weights do not tell its labels apart")
        self._check_zero(labels)
        self._adopt(learner, labels, None if state.growing else state.columns())
        if isinstance(learner, Committee):
            self._take_heads(state, learner)
        if state.growing:
            self._columns = inputs.Columns(state.names or (), fixed=False)
            require(len(self._columns) == len(state.names or ()) <= learner.width, "two columns have the same name")
        self.history_ = state.array("history", "<i8", None)
        self.passes_ = self.n_iter_ = state.integer("passes")
        for name, older in {"interrupted": False, "stop_counted": 1, "stop_aside": False}.items():
            state.values.setdefault(name, older)  # older files do not say
        reason, changes = state.text("stop_reason"), state.integer("stop_updates")
        self._stopped = words.Stop(
            reason, changes, state.flag("interrupted"), state.integer("stop_counted", 1), state.flag("stop_aside")
        )


def _both(shown: Passes | None, tasks: Tasks | None) -> Watch | None:
    """Who watches the passes: what shows them, and callbacks, which may have had enough."""
    if tasks is None:
        return shown

    def watch(passes: int, found: int) -> bool:
        if shown:
            shown(passes, found)
        return tasks.end_pass()

    return watch


def _unmet(state: State) -> tuple[int, ...]:
    """Older files do not say: all of the labels have been met, or are taken to be."""
    unmet = state.integers("unmet") if "unmet" in state.values else ()
    assert state.classes is not None
    fits = len(state.classes) == 2 and all(place in (0, 1) for place in unmet) and len(set(unmet)) == len(unmet)
    require(not unmet or fits, "unmet names no places of two labels")
    return unmet


def _end(learner: LinearLearner, outcome: Outcome, rows: Rows) -> words.End:
    """How a run ended: which weights it returns, and what they do on all rows."""
    counted = 1
    try:
        if isinstance(learner.kept, Survivors):
            separates, errors, counted = learner.choose_best(rows, len(outcome.history))
        else:
            separates, errors = learner.examine(rows)
    except KeyboardInterrupt:
        learner.lower = -math.inf
        return words.INTERRUPTED
    # Is nothing left to do, though no pass has shown it?
    reached = outcome.finished or learner.rule.fulfilled(separates, errors, learner.theta)
    # Where the last pass changed w, what was right in its turn may be wrong by now.
    still = outcome.finished and not outcome.history[-1] > 0
    ending = words.STILL if still else learner.rule.ending()
    return words.End(
        outcome.finished, reached, separates, errors, rows.n, ending, counted=counted, stopped=outcome.stopped
    )
