"""The parts that all calls of lop share: options, texts, and the end after an exception."""

from __future__ import annotations

import contextlib
import os
import sys
from datetime import timedelta
from typing import Any, Callable, Iterable, NoReturn, Optional, Union

from . import _native
from ._types import Verdict

Answer = Union[bool, Verdict]
Seconds = Union[float, timedelta]
Flaky = Union[None, bool, str, float]
FileName = Union[None, str, "os.PathLike[str]"]


def options(
    *,
    language: Optional[str] = None,
    file_name: FileName = None,
    max_time: Optional[Seconds] = None,
    max_tests: Optional[int] = None,
    jobs: int = 1,
    flaky: Flaky = None,
    seed: int = 0,
    choices: bool = False,
) -> _native.Options:
    """Checks the options of a call."""
    seconds = max_time.total_seconds() if isinstance(max_time, timedelta) else max_time
    if seconds is not None and not seconds >= 0:
        raise ValueError(f"max_time must not be negative: {max_time!r}")
    if max_tests is not None and not 1 <= max_tests < 1 << 64:
        raise ValueError(f"max_tests must be at least 1: {max_tests!r}")
    if not 0 <= jobs < 1 << 16:
        raise ValueError(f"jobs must be a number of threads, or 0 for one per core: {jobs!r}")
    if not 0 <= seed < 1 << 64:
        raise ValueError(f"seed must be between 0 and 2**64 - 1: {seed!r}")
    return {
        "language": language,
        "file_name": None if file_name is None else os.fspath(file_name),
        "max_time": seconds,
        "max_tests": max_tests,
        "jobs": jobs,
        "flaky": _rate(flaky),
        "seed": seed,
        "choices": choices,
    }


def _rate(flaky: Flaky) -> Union[None, str, float]:
    if flaky is None or flaky is False:
        return None
    if flaky is True or flaky == "input":
        return "input"
    if flaky == "more":
        return "more"
    if isinstance(flaky, float) and 0 < flaky < 1:
        return flaky
    raise ValueError(f'flaky must be True, "more", or a share of the runs between 0 and 1 such as 0.2: {flaky!r}')


def decoder(texts: Iterable[object]) -> Callable[[bytes], Any]:
    """Returns the function that makes a candidate as the texts are: ``bytes`` or ``str``."""
    kinds = {str if isinstance(text, str) else bytes if isinstance(text, bytes) else type(text) for text in texts}
    if kinds <= {bytes}:
        return bytes
    if kinds == {str}:
        return bytes.decode
    names = " and ".join(sorted(kind.__name__ for kind in kinds))
    raise TypeError(f"lop reduces bytes or str, and not {names}")


def encoded(text: object) -> bytes:
    return text.encode() if isinstance(text, str) else bytes(text)  # type: ignore[call-overload]


def judge(test: Callable[[Any], object], decode: Callable[[Any], Any]) -> Callable[[Any], int]:
    """Returns the test as the native module calls it."""

    def judged(candidate: Any) -> int:
        try:
            case = decode(candidate)
        except UnicodeDecodeError:
            # A cut can split a character.
            return int(Verdict.INVALID.value)
        answer = test(case)
        if isinstance(answer, bool):
            return int(answer)
        if isinstance(answer, Verdict):
            return int(answer.value)
        hint = "; is a return missing?" if answer is None else ""
        raise TypeError(f"the test returned {answer!r}, and not True, False or a lop.Verdict{hint}")

    return judged


def end(failure: BaseException, result: object) -> NoReturn:
    """Raises the exception that ended a call, with the best result so far."""
    # An exception can refuse attributes.
    with contextlib.suppress(AttributeError, TypeError):
        failure.lop_result = result  # type: ignore[attr-defined]
        if sys.version_info >= (3, 11):
            failure.add_note(f"lop stopped; the best result so far is in lop_result: {result!r}")
    raise failure


