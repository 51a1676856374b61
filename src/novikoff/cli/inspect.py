"""`novikoff inspect`."""

from __future__ import annotations

from dataclasses import asdict

from novikoff.cli.answers import GOOD, to_json
from novikoff.cli.options import AsJson, ModelFile


def inspect(model: ModelFile, as_json: AsJson = False) -> int:
    """Say what is in a model file: learner, labels, features, guarantees. Nothing in it is run."""
    from novikoff.cli.light import travel_light

    travel_light()
    from novikoff.store import describe

    about = describe(model)
    print(to_json(asdict(about)) if as_json else about)
    return GOOD
