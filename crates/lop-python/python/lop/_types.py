"""The types of lop's arguments and results."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Generic, Hashable, Literal, NamedTuple, Optional, TypeVar

#: A text: ``bytes`` or ``str``.
D = TypeVar("D", bytes, str)
#: A test case: a text, or a ``dict`` of texts.
C = TypeVar("C")

Ended = Literal["complete", "max_tests", "max_time", "cancelled"]


class Verdict(enum.Enum):
    """The answer of a test that has more than yes and no to say. Only ``INTERESTING`` is true."""

    NOT_INTERESTING = 0
    INTERESTING = 1
    #: The candidate makes no sense as input. lop treats it as not interesting.
    INVALID = 2

    def __bool__(self) -> bool:
        return self is Verdict.INTERESTING


INTERESTING = Verdict.INTERESTING
NOT_INTERESTING = Verdict.NOT_INTERESTING
INVALID = Verdict.INVALID


class Error(Exception):
    """lop cannot start or continue."""


class NotInteresting(Error, ValueError):
    """The test does not accept the input."""


class Size(NamedTuple):
    """The size of a test case. Without a grammar, tokens are words and punctuation characters."""

    bytes: int
    tokens: int
    lines: int


@dataclass(frozen=True)
class Event(Generic[C]):
    """Progress of a reduction, for ``on_event``.

    ``kind`` is ``"started"`` after lop has read the input, ``"accepted"`` for a new best result, ``"returned"`` if a
    flaky test makes lop go back to an earlier result, ``"note"`` for a message, or ``"finished"``.
    """

    kind: Literal["started", "accepted", "returned", "note", "finished"]
    #: The size of the best result so far.
    size: Size
    #: The number of tests so far.
    tests: int
    #: The best result, except for ``"started"`` and ``"note"``.
    best: Optional[C]
    #: The text of a ``"note"``.
    message: Optional[str]


@dataclass(frozen=True, repr=False)
class _Outcome:
    """What every reduction reports."""

    #: The size of the input.
    before: Size
    #: The size of the result.
    after: Size
    #: The number of tests, including those on the input.
    tests: int
    #: ``"complete"`` if nothing more can go, or the reason of an early end.
    ended: Ended
    #: Seconds.
    elapsed: float
    #: The language, ``"text"`` if none.
    language: str

    def _facts(self) -> str:
        sizes = f"{self.before.bytes} -> {self.after.bytes} bytes, {self.before.tokens} -> {self.after.tokens} tokens"
        return f"{sizes}, {self.tests} tests, {self.ended}, {self.language}"


@dataclass(frozen=True, repr=False)
class Result(_Outcome, Generic[D]):
    """The result of :func:`lop.reduce`."""

    #: The smallest interesting text that lop found.
    best: D

    def __repr__(self) -> str:
        return f"<lop.Result {shortened(repr(self.best))}: {self._facts()}>"


@dataclass(frozen=True, repr=False)
class FilesResult(_Outcome, Generic[D]):
    """The result of :func:`lop.reduce_files`."""

    #: The files that are left.
    files: dict[str, D]

    def __repr__(self) -> str:
        return f"<lop.FilesResult {shortened(repr(self.files))}: {self._facts()}>"


@dataclass(frozen=True)
class Isolated(Generic[D]):
    """The result of :func:`lop.isolate`: two texts that are as near to each other as possible."""

    passing: D
    failing: D
    #: The number of tests, including those on the two inputs.
    tests: int
    #: ``"complete"`` if no smaller difference matters, or the reason of an early end.
    ended: Ended


@dataclass(frozen=True)
class Bug(Generic[D]):
    """A bug of :func:`lop.triage`."""

    #: The name that the caller's function gave it.
    signature: Hashable
    #: The names of the findings that show it, the smallest first.
    names: tuple[str, ...]
    #: The reduced smallest finding, or ``None`` if lop could not reduce it.
    result: Optional[Result[D]]
    #: The reason if there is no result.
    error: Optional[Error]


def shortened(text: str, most: int = 60) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
