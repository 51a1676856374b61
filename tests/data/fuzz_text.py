"""Coverage-guided fuzzing of the text parsers against the slow readings of the tests.

It needs `atheris`, and is not a test of its own: from the root of the repository

    NUMBA_DISABLE_JIT=1 python -m tests.data.fuzz_text svmlight tests/data/corpus/svmlight -max_total_time=300
    NUMBA_DISABLE_JIT=1 python -m tests.data.fuzz_text vw tests/data/corpus/vw -max_total_time=300

The first directory receives new inputs: give a scratch directory before the corpus to keep the corpus small.
"""

import sys


def main() -> None:
    import atheris

    kernels = [f"novikoff.data.scan.{name}" for name in ("text", "numbers", "name_table", "svmlight", "vw")]
    with atheris.instrument_imports(include=[*kernels, "novikoff.data.svmlight", "novikoff.data.vw"]):
        from tests.data import test_svmlight, test_vw

    def svmlight(text: bytes) -> None:
        test_svmlight.check(text)
        test_svmlight.check(text, base=1, width=4)

    def vw(text: bytes) -> None:
        test_vw.check(text)
        test_vw.check(text, columns=["a", "b", "n^a", "1"])

    atheris.Setup(sys.argv, {"svmlight": svmlight, "vw": vw}[sys.argv.pop(1)])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
