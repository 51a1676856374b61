"""What `novikoff` says without a command: what it is, an example, and what to try next."""

from __future__ import annotations

# The example is what the commands print, but for where the lines are broken.
TOUR = """\
novikoff learns linear classifiers from files, and proves what it says of them: that a
hyperplane separates two labels, and how far apart they are; or that none does, and why.

    $ cat pets.csv
    weight,ears,kind
    4,6.5,cat
    3.5,7,cat
    5,6,cat
    8,12,dog
    30,11,dog

    $ novikoff certify pets.csv --quiet
    Separable: a hyperplane puts all 5 rows on their sides, 'dog' against 'cat', with the
        constant coordinate 1.
    The best margin is at least 0.298789 (this one has it) and at most 0.298789, with
        R = 31.9687, the constant coordinate included.
    In the original space the closest example is 3.3282 away.
    So a Perceptron (-s intercept_scaling=1), from w = 0, makes at most 11,447 mistakes on
        these rows, in any order.
    Row 3, counted from 0, is the closest; 3 rows prove the upper end.
    The numbers are float64; decimals in text stand for the nearest float64.

Any number of labels will do, and novikoff --help lists all commands. On a file of yours, with
the labels in its last column (or else say --label NAME):

    novikoff certify FILE                    # can they be separated? the answer is proved
    novikoff report FILE -o report.html      # all that is known about it, on a page
    novikoff fit FILE -o model.nvk           # a model, for novikoff predict model.nvk NEW
"""
