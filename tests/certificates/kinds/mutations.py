"""Small changes of a certificate, anywhere in it."""

from __future__ import annotations

import copy

ODDS = [None, True, 0, 1, -1, 2, 1.5, "0x1", "-0x3", "x", [], {}, 2**53, 1e308, 1e-320]


def mutated(rng, record):
    """A copy with one to three changes: a value, a field or an entry more, less, doubled or exchanged."""
    record = copy.deepcopy(record)
    for _ in range(rng.choice([1, 1, 2, 3])):
        holder, key = rng.choice(_places(record))
        change = rng.random()
        value = holder[key]
        if change < 0.2:
            del holder[key]
        elif change < 0.35:
            holder[key] = copy.deepcopy(rng.choice(ODDS))
        elif change < 0.5:
            holder[key] = copy.deepcopy(_at(rng.choice(_places(record))))
        elif isinstance(holder, list) and change < 0.65:
            holder.insert(key, copy.deepcopy(value))
        elif isinstance(value, list) and len(value) > 1 and change < 0.8:
            i, j = rng.sample(range(len(value)), 2)
            value[i], value[j] = value[j], value[i]
        else:
            holder[key] = _near(rng, value)
    return record


def _at(place):
    return place[0][place[1]]


def _places(value):
    """Where there is something to change: holders and keys."""
    if not isinstance(value, dict | list):
        return []
    found = []
    for key in value if isinstance(value, dict) else range(len(value)):
        found += [(value, key), *_places(value[key])]
    return found or [([value], 0)]


def _near(rng, value):
    """Something like it."""
    if type(value) is int:
        return rng.choice([value + 1, value - 1, -value, 2 * value, value / 2, hex(value)])
    if type(value) is float:
        return rng.choice([value * (1 + 1e-9), value * (1 - 1e-9), value / 2, value * 2, -value])
    if type(value) is str and value:
        at = rng.randrange(len(value))
        return value[:at] + rng.choice("0123456789abcdefx-") + value[at + 1 :]
    return [value]
