"""`fit`, `predict`, `eval`, `learn`, `inspect`, `explain`, `convert`: from a file or a pipe to a model and back."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import novikoff as nk
from novikoff import data
from novikoff.cli import app
from novikoff.estimators.folds import cross_validated
from novikoff.words import in_a_shell


def run(*arguments: Any, text: str | bytes | None = None) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=text)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def example_file(path: Path, n: int = 60, seed: int = 0) -> Path:
    """Two classes of words with counts, in VW text, separable."""
    rng = np.random.default_rng(seed)
    lines = []
    for i in range(n):
        label = 1 if i % 2 else -1
        words = rng.choice(10, 3, replace=False)
        lines.append(f"{label} t{i}|w {'ham' if label < 0 else 'spam'}:2 " + " ".join(f"word{j}" for j in words))
    path.write_text("\n".join(lines) + "\n")
    return path


def fitted(folder: Path, *options: str) -> Path:
    example_file(folder / "train.vw")
    found = run("fit", "train.vw", "-o", "model.nvk", "-q", "--cache-dir", "copies", *options)
    assert found.exit_code == 0, found.output
    return folder / "model.nvk"


class TestFit:
    def test_says_what_was_found_and_saves_it(self, folder: Path) -> None:
        example_file(folder / "train.vw")
        found = run("fit", "train.vw", "-o", "model.nvk", "--cache-dir", "copies")
        assert found.exit_code == 0
        clf = nk.Perceptron().fit(data.read("train.vw"))
        with in_a_shell(()):
            assert found.stdout == clf.summary() + "\nSaved in model.nvk.\n"
        assert np.array_equal(nk.load("model.nvk").coef_, clf.coef_)

    def test_json_goes_to_standard_output_and_progress_does_not(self, folder: Path) -> None:
        example_file(folder / "train.vw")
        found = run("fit", "train.vw", "-o", "model.nvk", "--json", "--cache-dir", "copies")
        record = json.loads(found.stdout)
        assert record["model"] == "model.nvk"
        assert record["guarantee"]["mistakes"] == nk.load("model.nvk").mistakes_
        assert "reading: 60 examples" in found.stderr
        quiet = run("fit", "train.vw", "-o", "model.nvk", "-q", "--cache-dir", "copies")
        assert quiet.stderr == ""

    def test_any_learner_with_any_parameter(self, folder: Path) -> None:
        model = nk.load(fitted(folder, "--learner", "margin-perceptron", "-s", "max_iter=7", "-s", "shuffle=true"))
        assert isinstance(model, nk.MarginPerceptron)
        assert (model.max_iter, model.shuffle) == (7, True)

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (("--learner", "forest"), "is not one of"),
            (("-s", "depth=3"), "has no 'depth'"),
            (("-s", "max_iter"), "is not NAME=VALUE"),
            (("-r", "seed=;"), "there is no option 'seed': categorical, columns, decimal, delimiter, drop,"),
            (("-r", "headers=true"), "there is no option 'headers' (did you mean header?): categorical,"),
            (("-r", "online=true"), "there is no option 'online'"),
        ],
    )
    def test_wrong_usage_is_2(self, folder: Path, arguments: tuple[str, ...], words: str) -> None:
        example_file(folder / "train.vw")
        found = run("fit", "train.vw", "-o", "m.nvk", *arguments)
        assert found.exit_code == 2
        assert words in " ".join(found.stderr.replace("│", " ").split())

    @pytest.mark.parametrize(
        ("content", "line"),
        [
            ("", "train.vw holds no examples"),
            ("1 |a b\n1 |a c\n", "y holds one class only, 1.0: a separator needs examples of two classes"),
            ("1 |a b:x\n", "train.vw, line 1, column 8: 'x' is not a number"),
        ],
    )
    def test_errors_are_one_line(self, folder: Path, content: str, line: str) -> None:
        (folder / "train.vw").write_text(content)
        found = run("fit", "train.vw", "-o", "m.nvk", "-q", "--cache-dir", "copies")
        assert (found.exit_code, found.stdout, found.stderr) == (1, "", f"novikoff: {line}\n")
        assert not (folder / "m.nvk").exists()

    @pytest.mark.parametrize(
        ("option", "told"),
        [
            ("header=7", "-r header=7: true or false is expected"),
            ("zero_based=yes", "-r zero_based=yes: true or false is expected"),
            ("width=wide", "-r width=wide: an integer is expected"),
            ("skip_bad=None", "--skip-bad null: it is the number of bad lines"),
            ("skip_bad=0.5", "--skip-bad 0.5: an integer is expected"),
            ("categorical=0.5", "-r categorical=0.5: a list of columns is expected"),
            ("columns=true", "--columns true: a list of columns is expected"),
            ("drop=id", "--drop id leaves out a column of a table"),
            ("delimiter=ab", "--delimiter ab: one character is expected"),
            ("encoding=klingon", "--encoding klingon is not known"),
            ("missing=3", "--missing 3 is not one of"),
            ("format=3", "--format 3 is not one of"),
        ],
    )
    def test_a_wrong_value_of_an_option_is_one_line(self, folder: Path, option: str, told: str) -> None:
        example_file(folder / "train.vw")
        found = run("fit", "train.vw", "-o", "m.nvk", "-q", "-r", option)
        assert found.exit_code == 1
        assert found.stderr.startswith(f"novikoff: {told}")
        assert found.stderr.count("\n") == 1

    def test_a_directory_and_a_file_that_is_not_there(self, folder: Path) -> None:
        (folder / "parts").mkdir()
        told = {name: run("fit", name, "-o", "m.nvk", "-q").stderr for name in ("parts", "nowhere.svm")}
        assert told["parts"] == 'novikoff: parts is a directory: give a file, or a pattern such as "parts/*.csv"\n'
        assert told["nowhere.svm"] == "novikoff: nowhere.svm: there is no such file\n"

    def test_debug_shows_where_an_error_came_from(self, folder: Path) -> None:
        found = run("--debug", "fit", "nowhere.svm", "-o", "m.nvk")
        assert isinstance(found.exception, FileNotFoundError)

    def test_bad_lines_are_skipped_when_asked(self, folder: Path) -> None:
        path = example_file(folder / "train.vw")
        path.write_text("oops\n" + path.read_text())
        assert run("fit", "train.vw", "-o", "m.nvk", "--cache-dir", "copies").exit_code == 1
        found = run("fit", "train.vw", "-o", "m.nvk", "-q", "--skip-bad", "1", "--cache-dir", "copies")
        assert found.exit_code == 0
        assert "skipped train.vw, line 1" in found.stderr

    def test_not_separable_is_a_verdict(self, folder: Path) -> None:
        (folder / "xor.csv").write_text("0,0,a\n1,1,a\n0,1,b\n1,0,b\n")
        found = run("fit", "xor.csv", "-o", "m.nvk", "-q", "--learner", "max-margin", "--cache-dir", "copies")
        assert found.exit_code == 10
        assert found.stdout.startswith("Not separable")
        assert found.stderr == "novikoff: no model is written; -s C=1.0 learns one that accepts errors\n"

    def test_every_line_of_a_warning_says_who_warns(self, folder: Path) -> None:
        (folder / "xor.csv").write_text("0,0,a\n1,1,a\n0,1,b\n1,0,b\n")
        found = run("fit", "xor.csv", "-o", "m.nvk", "-q", "-s", "max_iter=3", "--cache-dir", "copies")
        assert found.exit_code == 0
        first, second = found.stderr.splitlines()
        given = "in the passes that it was given (-s max_iter=N allows N passes)."
        assert first == f"novikoff: Perceptron did not separate the data {given}"
        cures = "-s hypothesis=average or --learner max-margin -s C=1.0"
        assert second == f"novikoff: Can they be separated? novikoff certify FILE tells. If not, try {cures}."

    def test_standard_input(self, folder: Path) -> None:
        example_file(folder / "train.vw")
        found = run("fit", "-", "-o", "m.nvk", "-q", text=(folder / "train.vw").read_bytes())
        assert found.exit_code == 0, found.output
        assert np.array_equal(nk.load("m.nvk").coef_, nk.Perceptron().fit(data.read("train.vw")).coef_)


class TestPredict:
    def test_labels_and_tags(self, folder: Path) -> None:
        fitted(folder)
        found = run("predict", "model.nvk", "train.vw")
        assert found.stdout.splitlines()[:3] == ["-1 t0", "1 t1", "-1 t2"]

    def test_json_lines(self, folder: Path) -> None:
        fitted(folder)
        first = run("predict", "model.nvk", "train.vw", "--json").stdout.splitlines()[0]
        assert json.loads(first) == {"label": -1.0, "tag": "t0"}
        said = run("learn", "m.nvk", "--json", text="1 |a x\n").stdout
        assert json.loads(said) == {"label": -1}

    def test_in_other_formats_without_labels_with_other_columns(self, folder: Path) -> None:
        fitted(folder)
        (folder / "new.jsonl").write_text('{"x": {"w^spam": 1, "unheard of": 7}}\n{"x": {"w^ham": 1}}\n')
        assert run("predict", "model.nvk", "new.jsonl").stdout.split() == ["1", "-1"]

    def test_scores_are_exact_in_text(self, folder: Path) -> None:
        model = nk.load(fitted(folder))
        run("predict", "model.nvk", "train.vw", "--scores", "-o", "scores.txt")
        said = [float(line.split()[0]) for line in (folder / "scores.txt").read_text().splitlines()]
        assert said == model.decision_function(data.read("train.vw", columns=model.feature_names_in_)).tolist()

    def test_a_table_is_matched_by_name(self, folder: Path) -> None:
        (folder / "a.csv").write_text("size,colour,kind\n1,red,yes\n9,blue,no\n2,blue,yes\n8,red,no\n")
        run("fit", "a.csv", "-o", "m.nvk", "-q", "--cache-dir", "copies")
        (folder / "b.csv").write_text("colour,size\nblue,1\ngreen,9\n")
        assert run("predict", "m.nvk", "b.csv").stdout.split() == ["yes", "no"]
        (folder / "c.csv").write_text("colour\nblue\n")
        found = run("predict", "m.nvk", "c.csv")
        assert (found.exit_code, found.stdout) == (1, "")
        assert "there is no column 'size', which the model needs" in found.stderr

    def test_a_file_appears_whole_or_not_at_all(self, folder: Path) -> None:
        fitted(folder)
        path = folder / "train.vw"
        path.write_text(path.read_text() + "1 |w b:x\n")
        assert run("predict", "model.nvk", "train.vw", "-o", "said.txt").exit_code == 1
        assert not list(folder.glob("said.txt*"))


class TestEval:
    def test_counts_mistakes(self, folder: Path) -> None:
        fitted(folder)
        lines = (folder / "train.vw").read_text().splitlines()
        lines[1] = lines[1].replace("1 ", "-1 ", 1)
        (folder / "test.vw").write_text("\n".join(lines))
        record = json.loads(run("eval", "model.nvk", "test.vw", "--json").stdout)
        assert (record["examples"], record["mistakes"]) == (60, 1)
        assert record["confusion"] == [[30, 1], [0, 29]]
        assert run("eval", "model.nvk", "test.vw").stdout.startswith("1 mistake on 60 examples: accuracy 98.3333%.")

    def test_an_unknown_label_and_no_label(self, folder: Path) -> None:
        fitted(folder)
        (folder / "test.vw").write_text("7 |w spam\n")
        assert "the label 7.0 is not one of the model's, [-1.0, 1.0]" in run("eval", "model.nvk", "test.vw").stderr
        (folder / "test.vw").write_text("|w spam\n")
        assert "has no labels to compare with" in run("eval", "model.nvk", "test.vw").stderr

    def test_progressive_validation_is_the_online_game(self, folder: Path) -> None:
        example_file(folder / "train.vw")
        found = run("eval", "-p", "train.vw")
        clf = nk.Perceptron()
        ds = data.read("train.vw")
        for i in range(60):
            clf.learn_one(ds.X[[i]], int(ds.y[i]))
        assert found.stdout.startswith(f"{clf.mistakes_} mistakes on 60 examples")
        heading, *lines = [line.split() for line in found.stderr.splitlines()]
        assert heading[:2] == ["examples", "mistakes"]
        assert [int(line[0]) for line in lines] == [1, 2, 4, 8, 16, 32, 60]
        assert lines[0][5] == "none"  # w = 0 predicts nothing, which is a mistake
        assert int(lines[-1][1]) == clf.mistakes_

    def test_progressive_mistakes_say_something_about_new_data(self, folder: Path) -> None:
        example_file(folder / "train.vw")
        found = run("eval", "-p", "train.vw")
        record = json.loads(run("eval", "-p", "train.vw", "--json").stdout)
        first = record["new_data"]["first_pass"]
        assert (record["examples"], first["rows"], first["mistakes"]) == (60, 60, record["mistakes"])
        assert first["mean_error"] == nk.theory.first_pass_bound(record["mistakes"], 60)
        assert first["vote_error"] == nk.theory.vote_bound(record["mistakes"], 60)
        assert record["new_data"]["confidence"] == 0.95
        for hypothesis in record["new_data"]["hypotheses"]:
            assert f"- {hypothesis}\n" in found.stdout
        fitted(folder)
        assert "had learned before" not in found.stdout
        assert "had learned before" in run("eval", "-p", "model.nvk", "train.vw").stdout

    def test_parts_are_held_out_one_after_the_other(self, folder: Path) -> None:
        example_file(folder / "train.vw")
        expected = cross_validated(nk.Perceptron(max_iter=2), data.read("train.vw"), folds=4)
        settings = ("--folds", "4", "-s", "max_iter=2")
        assert run("eval", "train.vw", *settings).stdout == f"{expected}\n"
        record = json.loads(run("eval", "train.vw", *settings, "--json").stdout)
        assert record["folds"] == {"rows": list(expected.rows), "mistakes": list(expected.mistakes)}
        assert (record["examples"], record["rate"], record["estimate"]) == (60, expected.rate, True)
        run("fit", "train.vw", "-o", "model.nvk", "-s", "max_iter=2")
        assert run("eval", "model.nvk", "train.vw", "--folds", "4").stdout == f"{expected}\n"
        assert run("eval", "train.vw", "--folds", "4", "-p").exit_code == 2
        assert run("eval", "train.vw", "--folds", "1").exit_code == 2
        Path("none.vw").write_text("|w spam\n|w ham\n")
        assert "has no labels to learn from" in run("eval", "none.vw", "--folds", "4").stderr

    def test_labels_as_they_come_or_those_that_are_declared(self, folder: Path) -> None:
        Path("z.svm").write_text("1 1:1\n0 2:1\n7 1:1 2:1\n")
        assert "3 mistakes on 3 examples" in run("eval", "--progressive", "z.svm").stdout
        found = run("eval", "--progressive", "z.svm", "--classes", "0,1")
        place = "z.svm, example 3: the label 7.0 is neither of the two labels 0.0 and 1.0"
        assert (found.exit_code, found.stderr.splitlines()[-1]) == (1, f"novikoff: {place}")
        assert run("eval", "--progressive", "z.svm", "--classes", "0,1,7").exit_code == 0


class TestWhatIsRead:
    @pytest.mark.parametrize(
        "command",
        [
            ("fit", "{}", "-o", "{}"),
            ("fit", "tr*.vw", "-o", "{}"),
            ("certify", "{}", "-o", "{}"),
            ("report", "{}", "-o", "{}"),
            ("predict", "model.nvk", "{}", "-o", "{}"),
        ],
    )
    @pytest.mark.parametrize("name", ["train.vw", "link.vw"])
    def test_is_not_written_over(self, command: tuple[str, ...], name: str, folder: Path) -> None:
        fitted(folder)
        Path("link.vw").symlink_to("train.vw")
        before = Path("train.vw").read_bytes()
        *first, last = command
        found = run(*(word.format("train.vw") for word in first), last.format(name))
        assert (found.exit_code, found.stderr) == (1, f"novikoff: {name} is what is read here: write to another file\n")
        assert Path("train.vw").read_bytes() == before

    def test_nor_is_the_model(self, folder: Path) -> None:
        fitted(folder)
        before = Path("model.nvk").read_bytes()
        found = run("predict", "model.nvk", "train.vw", "-o", "model.nvk")
        assert (found.exit_code, found.stderr) == (
            1,
            "novikoff: model.nvk is what is read here: write to another file\n",
        )
        assert Path("model.nvk").read_bytes() == before

    def test_a_directory_that_is_not_there_is_told_before_the_work(self, folder: Path) -> None:
        found = run("fit", "absent.csv", "-o", "nowhere/m.nvk")
        assert "nowhere/m.nvk: there is no directory" in found.stderr


class TestLearn:
    def test_each_line_is_predicted_before_it_is_learned(self, folder: Path) -> None:
        example_file(folder / "train.vw")
        text = (folder / "train.vw").read_text()
        first, second = text[: len(text) // 2], text[len(text) // 2 :]
        cut = first.rfind("\n") + 1
        parts = [text[:cut], first[cut:] + second]
        said = [line for part in parts for line in run("learn", "m.nvk", "-q", text=part).stdout.splitlines()]
        clf, ds = nk.Perceptron(), data.read("train.vw")
        expected = []
        for i in range(60):
            expected.append("1" if clf.sign_one(ds.X[[i]]) > 0 else "-1")
            clf.learn_one(ds.X[[i]], int(ds.y[i]))
        assert [line.split()[0] for line in said] == expected
        model = nk.load("m.nvk")
        assert np.array_equal(model.coef_, clf.coef_)
        assert model.feature_names_in_.tolist() == ds.names.tolist()
        assert model.mistakes_ == clf.mistakes_

    def test_lines_without_labels_and_new_features(self, folder: Path) -> None:
        run("learn", "m.nvk", text="1 |a x\n-1 |a y\n")
        before = nk.load("m.nvk")
        found = run("learn", "m.nvk", text="|a x\n|a unheard\n")
        assert found.stdout.split() == ["1", "1" if before.intercept_[0] > 0 else "-1"]
        after = nk.load("m.nvk")
        assert after.mistakes_ == before.mistakes_
        assert run("learn", "m.nvk", text="-1 |a new:9 x\n").exit_code == 0
        assert nk.load("m.nvk").feature_names_in_.tolist() == ["a^x", "a^y", "a^unheard", "a^new"]

    @pytest.mark.parametrize(
        ("text", "options", "labels"),
        [
            ('{"label": "no", "x": {"a": 1}}\n{"x": {"a": 1}}\n', ("--classes", "no,yes"), ["no", "yes"]),
            ("1 1:2 3:4\n-1 2:1\n", (), [-1, 1]),
            ("a,b,label\n1,2,1\n3,4,0\n", ("--classes", "0,1"), [0, 1]),
        ],
    )
    def test_in_other_formats(self, text: str, options: tuple[str, ...], labels: list[Any], folder: Path) -> None:
        assert run("learn", "m.nvk", *options, text=text).exit_code == 0
        assert nk.load("m.nvk").classes_.tolist() == labels
        assert run("learn", "m.nvk", text=text).exit_code == 0

    def test_what_came_before_a_bad_line_is_saved(self, folder: Path) -> None:
        run("learn", "m.nvk", text="1 |a x\n")
        found = run("learn", "m.nvk", "nothing.vw")
        assert (found.exit_code, found.stderr) == (1, "novikoff: nothing.vw: there is no such file\n")
        assert run("learn", "m.nvk", text="oops").exit_code == 1
        assert nk.load("m.nvk").mistakes_ == 1

    @pytest.mark.parametrize(
        ("name", "text", "options", "answers", "error"),
        [
            ("a.vw", "1 |a x\n-1 't|a y\n1 |a x y\n", (), 3, ""),
            ("a.vw", "1 |a x\n-1 't|a y\noops\n1 |a x y\n", (), 2, "a.vw, line 3, column 5: a '|' is expected"),
            ("a.vw", "1 |a x\noops\n\n-1 |a y\noops\n", ("--skip-bad", "2"), 2, "skipped a.vw, line 2, column 5"),
            ("a.vw", "1 |a x\noops\n-1 |a y\noops\n", ("--skip-bad", "1"), 2, "a.vw, line 4, column 5: a '|' is"),
            (
                "a.vw",
                "1 |a x\n|a x\n0 |a y\n1 |a y\n",
                ("--classes=-1,1",),
                2,
                "example 3: the label 0.0 is neither of",
            ),
            ("a.vw", "0 |a x\n1 |a x\n2 |a x y\n0 |a y\n", (), 4, ""),
            ("a.vw", "0 |a x\n1 |a x\n2 |a y\n", ("--classes", "0,1"), 2, "is neither of the two labels 0.0 and 1.0\n"),
            (
                "a.vw",
                "1 |a x\n-1 |\n1 |a x\n",
                ("-s", "scale=sphere", "-s", "fit_intercept=false"),
                1,
                "example 2: the example is all",
            ),
            ("a.svm", "1 1:2\n-1 3:1 \r 2:1\n1 1:x\n-1 1:1\n", (), 2, "a.svm, line 3, column 5: 'x' is not a number"),
            ("a.csv", "a,label\r1,1\r\n2,-1\nx,1\n3,1\n", (), 2, "a.csv, line 4, column 1: 'x' is not a number"),
            ("a.jsonl", '{"label": 1, "a": 1}\n{"label": -1, "a": 2}\n{]\n', (), 2, "a.jsonl, line 3, column 2"),
            ("a.jsonl", '{"y": 1, "a": 1}\n{"y": 7, "a": 0}\n', ("--learner", "winnow"), 1, "example 2: y is 7"),
        ],
    )
    def test_it_does_not_matter_what_arrives_together(
        self,
        name: str,
        text: str,
        options: tuple[str, ...],
        answers: int,
        error: str,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """Up to the line that is refused, each is answered and learned."""
        (folder / name).write_text(text, newline="")
        outcomes = []
        for room in (1 << 20, 1, 9, 17, 30):
            monkeypatch.setattr("novikoff.cli.stream.ROOM", room)
            Path("m.nvk").unlink(missing_ok=True)
            found = run("learn", "m.nvk", name, *options)
            weights = nk.load("m.nvk").coef_.tolist() if answers else None
            assert found.stdout.count("\n") == answers
            assert error in found.stderr
            place = found.stderr.partition(" is not a number")[0]  # what else a table says depends on its first block
            outcomes.append((found.exit_code, found.stdout, place, weights))
        assert all(outcome == outcomes[0] for outcome in outcomes)

    def test_answers_at_once_and_saves_on_sigterm(self, folder: Path) -> None:
        command = [sys.executable, "-m", "novikoff.cli", "learn", "m.nvk", "--every", "1000"]
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert child.stdin is not None
        assert child.stdout is not None
        for line, answer in ((b"1 |a x\n", b"-1\n"), (b"|a x\n", b"1\n")):
            child.stdin.write(line)
            child.stdin.flush()
            assert child.stdout.readline() == answer  # waits; a test that hangs here has found a fault
        child.send_signal(signal.SIGTERM)
        _, errors = child.communicate()
        assert child.returncode == 0
        assert b"1 mistake on 1 labelled example, and 1 example without a label; saved in m.nvk" in errors
        assert nk.load("m.nvk").mistakes_ == 1

    @pytest.mark.long
    def test_killed_at_any_save_the_file_is_whole(self, folder: Path) -> None:
        example_file(folder / "train.vw")
        script = """
            import os, signal, sys
            from novikoff import Perceptron  # with all that it needs
            from novikoff.disk import atomic
            from novikoff.cli import app, stream
            stream.ROOM = 64  # a few lines at a time
            real, count = atomic.write, 0
            def write(target, parts):
                global count
                count += 1
                def dying():
                    for k, part in enumerate(parts):
                        yield part
                        if (count, k) == (fatal, last):
                            os.kill(os.getpid(), signal.SIGKILL)
                real(target, dying())
            from novikoff.store import model
            model.atomic.write = write
            for line in sys.stdin:  # a copy of this process for each death, as to begin takes seconds
                fatal, last = map(int, line.split())
                child = os.fork()
                if not child:
                    app(["learn", "m.nvk", "train.vw", "--every", "0", "-q"])
                    os._exit(1)
                print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), file=sys.stderr, flush=True)
        """
        ds = data.read("train.vw")
        pipe = subprocess.PIPE
        command = [sys.executable, "-uc", textwrap.dedent(script)]
        with subprocess.Popen(command, stdin=pipe, stdout=subprocess.DEVNULL, stderr=pipe, text=True) as mother:
            assert mother.stdin is not None
            assert mother.stderr is not None
            for fatal, part in ((1, 0), (3, 1), (5, 2), (9, 4)):
                print(fatal, part, file=mother.stdin, flush=True)
                assert mother.stderr.readline() == f"{-signal.SIGKILL}\n"
                if fatal > 1:
                    model = nk.load("m.nvk")  # the last one saved
                    # It is the model after some of the lines, from where the last file stood.
                    assert model.mistakes_ > 0
                    assert set(model.feature_names_in_) <= set(ds.names)
                else:
                    assert not (folder / "m.nvk").exists()


class TestOthers:
    def test_inspect(self, folder: Path) -> None:
        fitted(folder)
        assert "Labels: -1.0 (-) and 1.0 (+)." in run("inspect", "model.nvk").stdout
        assert json.loads(run("inspect", "model.nvk", "--json").stdout)["learner"] == "Perceptron"
        (folder / "bad.nvk").write_bytes(b"\x80\x04")
        assert "this looks like a pickle" in run("inspect", "bad.nvk").stderr

    def test_the_shares_add_up_to_the_score(self, folder: Path) -> None:
        model = nk.load(fitted(folder))
        record = json.loads(run("explain", "model.nvk", "train.vw", "--row", "7", "--top", "2", "--json").stdout)
        total = sum(part["share"] for part in record["shares"]) + record["rest"] + record["intercept"]
        assert total == record["score"] == model.decision_function(data.read("train.vw"))[7]
        assert record["shares"][0]["feature"].startswith("w^")
        assert "there is no row 60" in run("explain", "model.nvk", "train.vw", "--row", "60").stderr

    def test_columns_of_svmlight_have_the_numbers_of_the_file(self, folder: Path) -> None:
        (folder / "a.svm").write_text("1 1:1 5:9\n-1 1:-1 5:-9\n")
        run("fit", "a.svm", "-o", "m.nvk", "-q", "--cache-dir", "copies")
        assert json.loads(run("explain", "m.nvk", "a.svm", "--json").stdout)["shares"][0]["feature"] == 5

    def test_explain_tells_of_numbers_that_float64_does_not_hold(self, folder: Path) -> None:
        (folder / "a.csv").write_text("a,b,label\n1,2,0\n9007199254740993,-1,1\n")
        run("fit", "a.csv", "-o", "m.nvk", "-q", "--cache-dir", "copies")
        told = run("explain", "m.nvk", "a.csv", "--row", "1").stderr
        assert told.count("float64 does not hold 9007199254740993") == 1
        assert "line 3, column 1 ('a')" in told

    def test_convert(self, folder: Path) -> None:
        example_file(folder / "train.vw")
        assert run("convert", "train.vw", "train.jsonl.gz").stdout == "60 examples in train.jsonl.gz.\n"
        assert (data.read("train.jsonl.gz").X != data.read("train.vw").X).nnz == 0

    def test_help_is_a_tour(self) -> None:
        found = run("--help")
        for command in ("fit", "predict", "eval", "learn", "inspect", "explain", "convert", "certify", "verify"):
            assert f" {command} " in found.output
        assert "Exit codes: 0 good" in found.output

    def test_a_reader_that_goes_away_is_no_error_message(self, folder: Path) -> None:
        fitted(folder)
        lines = (folder / "train.vw").read_text() * 2000
        (folder / "long.vw").write_text(lines)
        read, write = os.pipe()
        os.close(read)
        command = [sys.executable, "-m", "novikoff.cli", "predict", "model.nvk", "long.vw"]
        done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, check=False)
        os.close(write)
        assert (done.returncode, done.stderr) == (1, b"")
