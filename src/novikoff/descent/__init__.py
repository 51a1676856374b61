"""Least squares by gradient descent, Newton's method, their stochastic forms, and what came later."""
