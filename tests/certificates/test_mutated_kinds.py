"""A changed certificate of any kind is accepted if and only if it is true."""

import pytest

from tests.certificates import mutate_kinds


@pytest.mark.parametrize("count", [300, pytest.param(25_000, marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", mutate_kinds.KINDS)
def test_a_mutated_certificate_is_accepted_if_and_only_if_it_is_true(kind, count):
    told = mutate_kinds.run(kind, count, seed=count)
    assert told["nothing", False] == 0
    assert told["nothing", True] > count / 60
    assert sum(times for (what, held), times in told.items() if what == "number" and not held) > count / 20
    assert sum(times for (what, held), times in told.items() if what != "nothing" and held) > count / 100
