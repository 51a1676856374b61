"""scikit-learn classes: parameters and attributes; each has a learner and forwards to it."""

# Set by a process that reads models and makes none, before it imports an estimator: `novikoff.estimators.bases` tells
# what the estimators then do without.
BARE = False
