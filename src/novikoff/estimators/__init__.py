"""scikit-learn classes: parameters and attributes; each has a learner and forwards to it."""
