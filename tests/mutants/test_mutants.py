"""The tool that changes the source: which changes it makes, how it draws them, and what it makes of the outcome."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutants.__main__ import PARTS, ROOT, Verdict, draw, part_of, report
from tests.mutants.named import NAMED, named
from tests.mutants.operators import mutants

SOURCE = '''"""A text with γ and 7 in it."""
__all__ = ["f"]


def f(x: "3", γ: float = 0.5) -> bool:
    """Eight is 8."""
    if x < 2 and not γ:
        raise ValueError(f"{x} is below {2}" + "!" * 5)
    require(x)
    return min(x, -γ) >= x - 2**-50


def __repr__(self):
    return 1
'''


@pytest.fixture
def changes(tmp_path):
    (tmp_path / "f.py").write_text(SOURCE, encoding="utf-8")
    return mutants(tmp_path, "f.py")


def test_every_operator_makes_its_changes_and_no_others(changes):
    found = sorted((change.line, change.operator, change.before, change.after) for change in changes)
    assert found == sorted(
        [
            (5, "constant", "0.5", "1.0"),
            (5, "constant", "0.5", "0.25"),
            (7, "check", "x < 2 and not γ", "True"),
            (7, "check", "x < 2 and not γ", "False"),
            (7, "comparison", "<", "<="),
            (7, "constant", "2", "3"),
            (7, "constant", "2", "1"),
            (7, "constant", "2", "0"),
            (7, "logic", "and", "or"),
            (7, "sign", "not γ", "(γ)"),
            (8, "check", 'raise ValueError(f"{x} is below {2}" + "!" * 5)', "pass"),
            (9, "check", "require(x)", "pass"),
            (10, "return", "min(x, -γ) >= x - 2**-50", "None"),
            (10, "return", "min(x, -γ) >= x - 2**-50", "not (min(x, -γ) >= x - 2**-50)"),
            (10, "swap", "min", "max"),
            (10, "sign", "-γ", "(γ)"),
            (10, "comparison", ">=", ">"),
            (10, "arithmetic", "-", "+"),
            (10, "term", "x - 2**-50", "(x)"),
            (10, "term", "x - 2**-50", "(2**-50)"),
            (10, "constant", "2", "3"),
            (10, "constant", "2", "1"),
            (10, "constant", "2", "0"),
            (10, "sign", "-50", "(50)"),
            (10, "constant", "50", "51"),
            (10, "constant", "50", "49"),
            (10, "constant", "50", "0"),
        ]
    )


def test_a_change_changes_its_place_alone(changes):
    for change in changes:
        changed = change.applied_to(SOURCE.encode()).decode()
        lines = list(zip(SOURCE.splitlines(), changed.splitlines(), strict=True))
        assert [before == after for before, after in lines].count(False) == 1
        assert lines[change.line - 1][0] != lines[change.line - 1][1]
        assert change.code == (5, "f")


def test_the_draw_is_fixed_by_its_seed_and_takes_a_line_once():
    first = draw(500, 1962)
    assert len({(mutant.file, mutant.line) for mutant in first}) == 500
    assert first[:100] == draw(100, 1962)
    assert set(first[:100]) != set(draw(100, 1963))
    assert {part_of(mutant.file) for mutant in first} == set(PARTS)
    assert all(mutant.compiles(ROOT) for mutant in first)


def test_the_mutants_with_a_name_are_there():
    assert len(named(ROOT)) == len(NAMED)
    assert all(mutant.compiles(ROOT) for mutant in named(ROOT))


@pytest.mark.parametrize("part", PARTS)
def test_what_the_table_names_exists(part):
    _, globs, tests = PARTS[part]
    assert all(list(ROOT.glob(glob)) for glob in globs)
    assert all((ROOT / test).exists() for test in tests)


def test_a_survivor_needs_a_reason_and_97_percent_are_killed(capsys):
    mutant, other = named(ROOT)[:2]
    killed = [Verdict(other, "killed")] * 98 + [Verdict(other, "timed out")]
    assert report([*killed, Verdict(mutant, "survived")], {}, whole=True) == 1
    assert "NO REASON" in capsys.readouterr().out
    assert report([*killed, Verdict(mutant, "not run")], {}, whole=True) == 1
    assert report([*killed, Verdict(mutant, "survived")], {mutant.key: "too rare"}, whole=True) == 0
    assert report([Verdict(mutant, "survived")] * 4 + killed, {mutant.key: "too rare"}, whole=True) == 1
    assert report([Verdict(mutant, "survived")] * 4 + killed, {mutant.key: "equivalent: ..."}, whole=True) == 0
    assert "103 mutants, 4 of them equivalent; 100.0% of the others killed" in capsys.readouterr().out
    assert report(killed, {mutant.key: "equivalent"}, whole=True) == 0
    assert "1 reasons are for mutants that were not drawn" in capsys.readouterr().out


@pytest.mark.long
def test_a_server_runs_tests_in_a_tree_and_sees_what_they_call(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "sums.py").write_text("def add(a, b):\n    return a + b\n\n\ndef idle():\n    return 1\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = long\n")
    (tmp_path / "test_sums.py").write_text(
        "import sums\n\ndef test_add():\n    assert sums.add(2, 2) == 4\n\n"
        "def test_slow():\n    while True:\n        sums.idle()\n\n"
        "def test_forever():\n    while sums.add(1, 1) != 2:\n        pass\n\ndef test_wrong():\n    assert False\n"
    )
    environment = {"PYTHONPATH": f"{tmp_path / 'src'}:{ROOT}", "PATH": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    with subprocess.Popen(
        [sys.executable, "-m", "tests.mutants.server"],
        cwd=tmp_path,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:

        def ask(*tests, limit=60.0, **more):
            order = {"tests": list(tests), "limit": limit, "log": str(tmp_path / "log"), **more}
            server.stdin.write(json.dumps(order) + "\n")
            server.stdin.flush()
            return json.loads(server.stdout.readline())["code"]

        assert ask("test_sums.py", all=True, profile=str(tmp_path / "profile"), slowest=2.0) == 1
        seen = json.loads(Path(tmp_path / "profile").read_text())
        assert seen["test_sums.py::test_add"]["calls"] == [["src/sums.py", 1, "add"]]
        assert seen["test_sums.py::test_wrong"]["unfit"]
        assert seen["test_sums.py::test_slow"]["unfit"]
        assert "unfit" not in seen["test_sums.py::test_add"]
        assert ask("test_sums.py::test_add") == 0
        source = (tmp_path / "src" / "sums.py").read_text()
        (tmp_path / "src" / "sums.py").write_text(source.replace("a + b", "a - b"))
        assert ask("test_sums.py::test_add") == 1
        assert ask("test_sums.py::test_forever", limit=3.0) is None
        assert ask("test_sums.py::test_nothing") == 4
        (tmp_path / "src" / "sums.py").write_text(source)
        assert ask("test_sums.py::test_add", "test_sums.py::test_forever") == 0
