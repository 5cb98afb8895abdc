"""``reduce_files``, ``isolate`` and ``triage``."""

from __future__ import annotations

from typing import Any, Optional

import pytest

import lop

FILES = {
    "main.c": '#include "a.h"\nint main(void) { return f(1, 2); }\n',
    "lib/a.h": "int f(int a, int b);\nint g(void);\n",
    "README": "Says nothing.\n",
}


def test_files_go_and_shrink() -> None:
    events: list[lop.Event[dict[str, str]]] = []

    def test(files: dict[str, str]) -> bool:
        return "f(" in files.get("main.c", "") and "int f" in files.get("lib/a.h", "")

    result = lop.reduce_files(FILES, test, on_event=events.append)
    assert set(result.files) == {"main.c", "lib/a.h"}
    assert result.files["main.c"] == "f();\n"
    assert "c" in result.language
    assert events[-1].best == result.files
    assert result.after.bytes == sum(map(len, result.files.values()))
    assert repr(result).startswith("<lop.FilesResult {")


@pytest.mark.parametrize("jobs", [1, 2])
def test_files_of_bytes(jobs: int) -> None:
    files = {name: text.encode() for name, text in FILES.items()}
    result = lop.reduce_files(files, lambda files: b"main" in files.get("main.c", b""), jobs=jobs)
    assert list(result.files) == ["main.c"]
    assert b"main" in result.files["main.c"]


def test_bytes_and_str_do_not_mix() -> None:
    mixed: Any = {"a": b"x", "b": "y"}
    with pytest.raises(TypeError, match="bytes and str"):
        lop.reduce_files(mixed, lambda files: True)


@pytest.mark.parametrize("path", ["/etc/a", "../a", ""])
def test_paths_lead_down(path: str) -> None:
    with pytest.raises(lop.Error, match="no path below a root"):
        lop.reduce_files({path: "x"}, lambda files: True)


def test_an_exception_has_the_files_so_far() -> None:
    calls = 0

    def test(files: dict[str, str]) -> Optional[bool]:
        nonlocal calls
        calls += 1
        return None if calls == 12 else "f(" in files.get("main.c", "")

    with pytest.raises(TypeError) as raised:
        lop.reduce_files(FILES, test)  # type: ignore[arg-type]
    result: lop.FilesResult[str] = raised.value.lop_result  # type: ignore[attr-defined]
    assert "f(" in result.files["main.c"]


PASSING = "int f(void) { return 1; }\nint main(void) { return f(); }\n"
FAILING = "int f(void) { return 2; }\nint g(void) { return f(); }\nint main(void) { return f() + 3; }\n"


def test_the_difference_that_matters_is_isolated() -> None:
    found = lop.isolate(PASSING, FAILING, lambda text: "return 2" in text, file_name="x.c")
    assert found.ended == "complete"
    assert "return 2" in found.failing
    assert "return 2" not in found.passing
    assert found.failing.replace("return 2", "return 1") == found.passing
    raw = lop.isolate(PASSING.encode(), FAILING.encode(), lambda data: b"return 2" in data, file_name="x.c")
    assert (raw.failing, raw.tests) == (found.failing.encode(), found.tests)


def test_invalid_is_neither_passing_nor_failing() -> None:
    def test(text: str) -> lop.Verdict:
        two, three = "two" in text, "three" in text
        return lop.INVALID if two != three else lop.INTERESTING if two else lop.NOT_INTERESTING

    found = lop.isolate("one\nfour\n", "one\ntwo\nfour\nthree\n", test, language="text")
    assert (test(found.failing), test(found.passing)) == (lop.INTERESTING, lop.NOT_INTERESTING)


# Many differences, of which one matters.
ODD = "".join(f"{number}\n" for number in range(1, 200, 2))
EVEN = "".join(f"{number}\n" for number in range(0, 200, 2))


def test_isolate_ends_at_a_limit() -> None:
    found = lop.isolate(ODD, EVEN, lambda text: "84" in text, max_tests=4)
    assert (found.ended, found.tests) == ("max_tests", 4)
    assert "84" in found.failing and "84" not in found.passing


def test_isolate_needs_one_text_that_passes_and_one_that_fails() -> None:
    with pytest.raises(lop.NotInteresting, match="does not fail"):
        lop.isolate("a", "b", lambda text: False)
    with pytest.raises(lop.NotInteresting, match="does not pass"):
        lop.isolate("a", "b", lambda text: True)
    with pytest.raises(lop.NotInteresting, match="does not pass"):
        lop.isolate("a", "b", lambda text: lop.INTERESTING if text == "b" else lop.INVALID)


def test_an_exception_has_the_nearest_texts() -> None:
    calls = 0

    def test(text: str) -> bool:
        nonlocal calls
        calls += 1
        if calls == 4:
            raise LookupError
        return "84" in text

    with pytest.raises(LookupError) as raised:
        lop.isolate(ODD, EVEN, test)
    result: lop.Isolated[str] = raised.value.lop_result  # type: ignore[attr-defined]
    assert ("84" in result.failing, result.ended) == (True, "cancelled")


def signature(text: str) -> Optional[str]:
    return "tab" if "\t" in text else "bell" if "\a" in text else None


def test_findings_are_grouped_and_reduced() -> None:
    findings = {"1": "\a", "2": "one\ttwo", "3": "fine", "4": "a\tb"}
    tab, bell = lop.triage(findings, signature)
    assert (tab.signature, tab.names) == ("tab", ("4", "2"))
    assert tab.result is not None and tab.result.best == "\t"
    assert (bell.signature, bell.names, bell.error) == ("bell", ("1",), None)
    unnamed = lop.triage(findings.values(), signature)
    assert [bug.names for bug in unnamed] == [("3", "1"), ("0",)]


def test_a_bug_that_cannot_be_reduced_does_not_stop_the_others() -> None:
    first, second = lop.triage([b"", b"x7", b"7"], lambda data: 1 if b"7" in data else 2)
    assert first.result is not None and first.result.best == b"7"
    assert second.result is None
    assert "empty" in str(second.error)


def test_one_text_is_not_several_findings() -> None:
    with pytest.raises(TypeError, match="several"):
        lop.triage("text", signature)
    nothing: list[str] = []
    assert lop.triage(nothing, signature) == []
