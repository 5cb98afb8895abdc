"""The smallest test case: :func:`reduce`, :func:`reduce_choices` and :func:`reduce_files`."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Optional

from . import _native
from ._calls import Answer, FileName, Flaky, Seconds, decoder, encoded, end, judge, options
from ._types import D, Event, FilesResult, Result, Size


def reduce(
    data: D,
    test: Callable[[D], Answer],
    *,
    language: Optional[str] = None,
    file_name: FileName = None,
    max_time: Optional[Seconds] = None,
    max_tests: Optional[int] = None,
    jobs: int = 1,
    flaky: Flaky = None,
    seed: int = 0,
    on_event: Optional[Callable[[Event[D]], object]] = None,
) -> Result[D]:
    r"""Reduces ``data`` to a small text that ``test`` still calls interesting.

    >>> import lop
    >>> lop.reduce('{"a": [1, 2, 30]}', lambda text: "3" in text).best
    '3'

    :param data: ``bytes`` or ``str``. Candidates and the result have the same type.
    :param test: Gets a candidate, and returns ``True`` if it still shows the bug, or a :class:`Verdict`. It must return
        the same for the same candidate. A ``str`` test is not called for candidates that are not UTF-8.
    :param language: The name of a language, or ``"text"``. Without it lop goes by the file name or the content.
    :param file_name: The name of the input's file, for its extension. The file need not exist.
    :param max_time: Seconds, or a ``timedelta``. The running test is not interrupted.
    :param max_tests: The maximum number of calls of the test.
    :param jobs: The number of tests at the same time. With 1 the test is called in your thread, with more in others;
        0 is one per core.
    :param flaky: For a test that shows the bug only sometimes: ``True`` for a result that shows it at least as often as
        the input, a share of the runs such as 0.2, or ``"more"`` to keep what makes it more frequent.
    :param seed: Changes the order of candidates.
    :param on_event: Gets an :class:`Event` for each step, in your thread.
    :raises NotInteresting: if the test does not accept ``data``.
    :raises Error: if the language is unknown, the test accepts the empty text or contradicts itself, or a limit is
        reached before the first test has ended.
    :raises TypeError: if the test returns something else.

    Exceptions of ``test`` and ``on_event`` end the reduction, and so does Ctrl-C. They reach you unchanged. If lop had
    accepted the input, their attribute ``lop_result`` is the :class:`Result` so far.
    """
    decode = decoder([data])
    checked = options(
        language=language,
        file_name=file_name,
        max_time=max_time,
        max_tests=max_tests,
        jobs=jobs,
        flaky=flaky,
        seed=seed,
    )
    report = _native.reduce(encoded(data), judge(test, decode), _teller(on_event, decode), checked)
    result: Result[D] = Result(best=decode(report["best"]), **_facts(report))
    if report["failure"] is not None:
        end(report["failure"], result)
    return result


def reduce_files(
    files: Mapping[str, D],
    test: Callable[[dict[str, D]], Answer],
    *,
    language: Optional[str] = None,
    max_time: Optional[Seconds] = None,
    max_tests: Optional[int] = None,
    jobs: int = 1,
    flaky: Flaky = None,
    seed: int = 0,
    on_event: Optional[Callable[[Event[dict[str, D]]], object]] = None,
) -> FilesResult[D]:
    """Reduces several files together to few small ones that ``test`` still calls interesting.

    >>> import lop
    >>> files = {"main.c": "int main() { return f(1); }", "f.h": "int f(int);", "README": "Nothing."}
    >>> lop.reduce_files(files, lambda files: "f(" in files.get("main.c", "")).files
    {'main.c': 'f();'}

    :param files: The files by their paths below a root, all ``bytes`` or all ``str``.
    :param test: Gets a ``dict`` of the files that are left.
    :param language: The language of all files. Without it each is in the language of its name.

    The other options, and the exceptions, are those of :func:`reduce`.
    """
    decode_one = decoder(files.values())

    def decode(files: dict[str, bytes]) -> dict[str, D]:
        return {path: decode_one(content) for path, content in files.items()}

    checked = options(
        language=language, max_time=max_time, max_tests=max_tests, jobs=jobs, flaky=flaky, seed=seed
    )
    raw = {path: encoded(content) for path, content in files.items()}
    report = _native.reduce_files(raw, judge(test, decode), _teller(on_event, decode), checked)
    result: FilesResult[D] = FilesResult(files=decode(report["best"]), **_facts(report))
    if report["failure"] is not None:
        end(report["failure"], result)
    return result


def reduce_choices(
    choices: bytes,
    test: Callable[[bytes], Answer],
    *,
    max_time: Optional[Seconds] = None,
    max_tests: Optional[int] = None,
    jobs: int = 1,
    flaky: Flaky = None,
    seed: int = 0,
    on_event: Optional[Callable[[Event[bytes]], object]] = None,
) -> Result[bytes]:
    r"""Reduces the bytes that a generator consumes, so that all candidates are what the generator can make.

    >>> import lop
    >>> def numbers(choices: bytes) -> "list[int]":
    ...     return [byte % 10 for byte in choices]
    >>> lop.reduce_choices(b"a generator", lambda choices: 7 in numbers(choices)).best
    b'\x07'

    :param choices: The bytes.
    :param test: Gets bytes, makes an input of them, and returns ``True`` if that still shows the bug, or a
        :class:`Verdict`: ``INVALID`` if there are too few bytes.
    :returns: The result is the shortest, then the first in lexicographic order. It can be empty.

    The options, and the exceptions, are those of :func:`reduce`.
    """
    if not isinstance(choices, bytes):
        raise TypeError(f"choices must be bytes, and not {type(choices).__name__}")
    checked = options(
        language="text", max_time=max_time, max_tests=max_tests, jobs=jobs, flaky=flaky, seed=seed, choices=True
    )
    report = _native.reduce(choices, judge(test, bytes), _teller(on_event, bytes), checked)
    result: Result[bytes] = Result(best=bytes(report["best"]), **_facts(report))
    if report["failure"] is not None:
        end(report["failure"], result)
    return result


def _facts(report: Any) -> dict[str, Any]:
    same = {name: report[name] for name in ("tests", "ended", "elapsed", "language")}
    return {"before": Size(*report["before"]), "after": Size(*report["after"]), **same}


def _teller(on_event: Optional[Callable[[Any], object]], decode: Callable[[Any], Any]) -> Optional[Callable[..., None]]:
    """Returns the callback as the native module calls it."""
    if on_event is None:
        return None

    def tell(kind: Any, size: Any, tests: int, best: Any, message: Optional[str]) -> None:
        on_event(Event(kind, Size(*size), tests, None if best is None else decode(best), message))

    return tell
