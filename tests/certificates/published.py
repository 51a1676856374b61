"""Published data on which logistic regressions are known to diverge, or not to; as X with names, y, and counts.

Each table gives the estimates that were published for it, to four figures or so, where there is a maximum.
"""

import numpy as np


def lizards():
    """Schoener (1970): 564 lizards of two species on perches (McCullagh and Nelder 1989, table 4.6).

    y is grahami, against opalinus. glm: 1.9447, height 1.1300, diameter -0.7626, shade -0.8473, midday 0.2271,
    late -0.7368, for the intercept and the names below.
    """
    counts = (
        "20 2  8 1  4 4  13 0  8 0  12 0  8 3  4 1  5 3  6 0  0 0  1 1 "
        "34 11  69 20  18 10  31 5  55 4  13 3  17 15  60 32  8 8  12 1  21 5  4 4"
    )
    grahami, opalinus = np.array(counts.split(), dtype=int).reshape(-1, 2).T
    cells = [
        [height, diameter, shade, time == 1, time == 2]
        for shade in (0, 1)
        for diameter in (0, 1)
        for height in (0, 1)
        for time in range(3)
    ]
    X = np.array(cells, dtype=float)
    rows = np.concatenate([np.repeat(X, grahami, axis=0), np.repeat(X, opalinus, axis=0)])
    y = np.concatenate([np.ones(grahami.sum(), dtype=int), np.zeros(opalinus.sum(), dtype=int)])
    return rows, y, np.array([1.9447, 1.1300, -0.7626, -0.8473, 0.2271, -0.7368])


def vasoconstriction():
    """Finney (1947): 39 breaths, log volume and log rate; as Pregibon (1981) has them. glm: -2.875, 5.179, 4.562."""
    volume = (
        "3.70 3.50 1.25 0.75 0.80 0.70 0.60 1.10 0.90 0.90 0.80 0.55 0.60 1.40 0.75 2.30 3.20 0.85 1.70 1.80 "
        "0.40 0.95 1.35 1.50 1.60 0.60 1.80 0.95 1.90 1.60 2.70 2.35 1.10 1.10 1.20 0.80 0.95 0.75 1.30"
    )
    rate = (
        "0.825 1.09 2.50 1.50 3.20 3.50 0.75 1.70 0.75 0.45 0.57 2.75 3.00 2.33 3.75 1.64 1.60 1.415 1.06 1.80 "
        "2.00 1.36 1.35 1.36 1.78 1.50 1.50 1.90 0.95 0.40 0.75 0.03 1.83 2.20 2.00 3.33 1.90 1.90 1.625"
    )
    y = "1 1 1 1 1 1 0 0 0 0 0 0 0 1 1 1 1 1 0 1 0 0 0 0 1 0 1 0 1 0 1 0 0 1 1 1 0 0 1"
    X = np.log(np.column_stack([np.array(text.split(), dtype=float) for text in (volume, rate)]))
    return X, np.array(y.split(), dtype=int), np.array([-2.875, 5.179, 4.562])


def complete():
    """UCLA's example of complete separation, in its pages on logistic regression: y is 1 where x1 > 3."""
    X = [[1, 3], [2, 2], [3, -1], [3, -1], [5, 2], [6, 4], [10, 1], [11, 0]]
    return np.array(X, dtype=float), np.array([0, 0, 0, 0, 1, 1, 1, 1])


def quasi_complete():
    """UCLA's example of quasi-complete separation: x1 separates, but for three rows at x1 = 3."""
    X = [[1, 3], [2, 0], [3, -1], [3, 4], [3, 1], [4, 0], [5, 2], [6, 7], [10, 3], [11, 4]]
    return np.array(X, dtype=float), np.array([0, 0, 0, 0, 1, 1, 1, 1, 1, 1])
