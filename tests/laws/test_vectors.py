"""Loops over contiguous memory read it by contiguous vector loads, whatever processor they are compiled for.

See `tests.laws.vectors`. Nothing is executed that is compiled here, so any processor can be asked about.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.laws.vectors import SCALAR, all_loops, kernels, name_of


def compiled_for(processor):
    """What the compiler makes of all loops for a processor."""
    settings = {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": "", "NUMBA_DISABLE_JIT": "0"}
    command = [sys.executable, "-m", "tests.laws.vectors"]
    done = subprocess.run(command, env=os.environ | settings, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def assert_contiguous(found):
    assert found
    for loop in found:
        if loop["storage"].startswith("csr"):  # w is read where the row says: by gathers, or one by one
            continue
        assert loop["gathers"] == 0, loop
        assert loop["slow_sums"] == 0, loop
        assert loop["vector_loads"] > 0, loop
        if "bytes" in loop["storage"]:
            assert loop["byte_sums"] > 0, loop


def test_every_loop_is_looked_at():
    looked_at = {name_of(loop.kernel) for loop in all_loops()}
    assert kernels() - looked_at == SCALAR.keys()


@pytest.mark.long
@pytest.mark.parametrize("processor", ["x86-64", "haswell", "skylake-avx512", "sapphirerapids", "znver3", "znver4"])
def test_all_loops_read_rows_by_vectors(processor):
    assert_contiguous(compiled_for(processor))
