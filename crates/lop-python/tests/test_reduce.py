"""``lop.reduce``: texts, answers, options, results."""

from __future__ import annotations

import subprocess
import sysconfig
from datetime import timedelta
from pathlib import Path
from typing import Any, Union

import pytest

import lop

JSON = '{"users": [{"name": "Ada"}, {"name": "\\u12"}, {"name": "Bob"}]}'


def test_bytes_and_str_keep_their_type() -> None:
    raw = lop.reduce(JSON.encode(), lambda data: b"\\u12" in data, file_name="x.json")
    text = lop.reduce(JSON, lambda data: "\\u12" in data, file_name=Path("x.json"))
    assert (raw.best, text.best) == (b'"\\u12"', '"\\u12"')
    assert raw.tests == text.tests < 30
    assert raw.before.bytes == len(JSON)
    assert raw.after == lop.Size(bytes=6, tokens=4, lines=1)
    assert (raw.ended, raw.language) == ("complete", "json")
    assert raw.elapsed >= 0


def test_the_representation_shows_the_result_and_the_numbers() -> None:
    shown = repr(lop.reduce("one two", lambda text: "w" in text))
    assert shown.startswith("<lop.Result 'w': 7 -> 1 bytes, 2 -> 1 tokens, ")
    assert shown.endswith(" tests, complete, text>")
    long = lop.reduce("w" * 200, lambda text: text == "w" * 200)
    assert len(repr(long)) < 200


def test_results_cannot_be_changed() -> None:
    result = lop.reduce("one two", lambda text: "w" in text)
    with pytest.raises(AttributeError):
        result.best = "x"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("yes", "no"), [(True, False), (lop.INTERESTING, lop.NOT_INTERESTING), (lop.INTERESTING, lop.INVALID)]
)
def test_each_answer_counts(yes: Union[bool, lop.Verdict], no: Union[bool, lop.Verdict]) -> None:
    assert lop.reduce(b"[1, 2, 7, 9]", lambda data: yes if b"7" in data else no).best == b"7"


def test_only_interesting_is_true() -> None:
    assert [verdict for verdict in lop.Verdict if verdict] == [lop.INTERESTING]


def test_a_cut_character_is_invalid_without_a_call() -> None:
    seen: list[str] = []

    def test(text: str) -> bool:
        seen.append(text)
        return "ö" in text

    assert lop.reduce("aöb üc", test, language="text").best == "ö"
    assert all(isinstance(text, str) for text in seen)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("answer", [None, 1, "yes"])
def test_other_answers_are_refused(jobs: int, answer: Any) -> None:
    with pytest.raises(TypeError, match="the test returned") as raised:
        lop.reduce(b"x", lambda data: answer, jobs=jobs)
    assert ("is a return missing?" in str(raised.value)) == (answer is None)
    assert not hasattr(raised.value, "lop_result")


@pytest.mark.parametrize("data", [None, 3, bytearray(b"x"), ["x"]])
def test_other_inputs_are_refused(data: Any) -> None:
    with pytest.raises(TypeError, match="bytes or str"):
        lop.reduce(data, lambda candidate: True)


def test_a_lone_surrogate_is_no_text() -> None:
    with pytest.raises(UnicodeEncodeError):
        lop.reduce("\ud800", lambda text: True)


def test_an_input_must_be_interesting() -> None:
    with pytest.raises(lop.NotInteresting, match="not interesting") as raised:
        lop.reduce(b"x", lambda data: False)
    assert isinstance(raised.value, (lop.Error, ValueError))


def test_a_test_that_accepts_nothing_checks_nothing() -> None:
    for data in [b"x", b""]:
        with pytest.raises(lop.Error, match="empty"):
            lop.reduce(data, lambda candidate: True)
    with pytest.raises(lop.NotInteresting):
        lop.reduce(b"", lambda candidate: False)


def test_a_test_that_contradicts_itself_is_refused() -> None:
    answers = [True]

    def test(data: bytes) -> bool:
        answers.append(not answers[-1])
        return answers[-1] if data == b"abc" else False

    with pytest.raises(lop.Error):
        lop.reduce(b"abc", test)


def test_nul_bytes_and_other_binary_data() -> None:
    data = bytes(range(256)) * 3
    assert lop.reduce(data, lambda candidate: b"\0\1" in candidate).best == b"\0\1"
    assert lop.reduce("a\0b\0c", lambda text: "\0" in text).best == "\0"


def test_a_megabyte() -> None:
    lines = [f"line {number}\n" for number in range(100_000)]
    lines[50_000] = "needle\n"
    text = "".join(lines)
    assert len(text) > 1_000_000
    result = lop.reduce(text, lambda candidate: "needle" in candidate, language="text")
    assert result.best == "needle"


def test_deep_brackets() -> None:
    data = b"[" * 50_000 + b"7" + b"]" * 50_000
    assert lop.reduce(data, lambda candidate: b"7" in candidate, language="json").best == b"7"


def test_languages_by_name_and_unknown_ones() -> None:
    names = ["c", "python", "json", "rust", "javascript", "text"]
    for name in names:
        assert lop.reduce("a = b + c;", lambda text: "b" in text, language=name).language == name
    with pytest.raises(lop.Error, match="jsno"):
        lop.reduce(b"[]", lambda data: True, language="jsno")


@pytest.mark.parametrize("jobs", [0, 1, 3])
def test_the_number_of_jobs_does_not_change_the_result(jobs: int) -> None:
    assert lop.reduce(JSON, lambda text: "\\u12" in text, jobs=jobs, language="json").best == '"\\u12"'


def test_the_number_of_tests_is_limited() -> None:
    text = "\n".join(f"line {number}" for number in range(1000))
    result = lop.reduce(text, lambda candidate: "line 7" in candidate, max_tests=5)
    assert result.ended == "max_tests"
    assert result.tests == 5
    assert "line 7" in result.best


def test_the_time_is_limited() -> None:
    with pytest.raises(lop.Error, match="time"):
        lop.reduce("one two", lambda text: "w" in text, max_time=0)

    calls = 0

    def slow(text: str) -> bool:
        nonlocal calls
        calls += 1
        if calls > 4:
            # Longer than the limit, however fast the machine is.
            subprocess.run(["sleep", "2.1"], check=True)
        return "line 7" in text

    text = "\n".join(f"line {number}" for number in range(1000))
    result = lop.reduce(text, slow, max_time=timedelta(seconds=2))
    assert result.ended == "max_time"


@pytest.mark.parametrize(
    "options",
    [
        {"max_time": -1},
        {"max_time": float("nan")},
        {"max_tests": 0},
        {"jobs": -1},
        {"seed": -1},
        {"seed": 1 << 64},
        {"flaky": 0.0},
        {"flaky": 1.0},
        {"flaky": 20},
        {"flaky": "often"},
        {"flaky": float("nan")},
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        lop.reduce(b"x", lambda data: True, **options)


@pytest.mark.parametrize("flaky", [True, "input", "more", 0.2])
def test_a_bug_that_shows_only_sometimes(flaky: Union[bool, str, float]) -> None:
    calls = 0

    def test(data: bytes) -> bool:
        nonlocal calls
        calls += 1
        # Three runs in five, without a pattern of two.
        return b"7" in data and calls * 7 % 5 < 3

    result = lop.reduce(b"[1, 2, 7, 9]", test, flaky=flaky, max_tests=2000)
    assert b"7" in result.best
    assert len(result.best) < 12


def test_the_same_seed_gives_the_same_candidates() -> None:
    def candidates(seed: int) -> list[str]:
        seen: list[str] = []

        def test(text: str) -> bool:
            seen.append(text)
            return "c" in text

        lop.reduce("[a, b, c, d, e, f, g, h]", test, seed=seed)
        return seen

    assert candidates(7) == candidates(7)


def test_the_program_is_installed() -> None:
    program = Path(sysconfig.get_path("scripts"), "lop")
    shown = subprocess.run([program, "--version"], check=True, stdout=subprocess.PIPE)
    assert shown.stdout.startswith(b"lop ")
