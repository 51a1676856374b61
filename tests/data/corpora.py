"""Inputs for the readers: some made by hand, and those with which fuzzing reached more of the code."""

import ast
from pathlib import Path

import pytest

CORPUS = Path(__file__).parent / "corpus"


def corpus(*formats):
    """Format and content: the files of corpus/<format>, and the lines of corpus/<format>.txt."""
    found = []
    for format in formats:
        for path in sorted((CORPUS / format).iterdir()):
            found.append(pytest.param(format, path.read_bytes(), id=f"{format}/{path.name}"))
        lines = CORPUS / f"{format}.txt"
        for number, line in enumerate(lines.read_text().splitlines() if lines.exists() else (), 1):
            found.append(pytest.param(format, ast.literal_eval(line), id=f"{lines.name}:{number}"))
    return found
