"""lop, a test-case reducer: the smallest input that still triggers a bug, in few runs of a test.

Start with :func:`reduce`. The manual page is docs/python.md in lop's repository.
"""

from ._isolate import isolate
from ._reduce import reduce, reduce_choices, reduce_files
from ._triage import triage
from ._types import (
    INTERESTING,
    INVALID,
    NOT_INTERESTING,
    Bug,
    Error,
    Event,
    FilesResult,
    Isolated,
    NotInteresting,
    Result,
    Size,
    Verdict,
)

__all__ = [
    "INTERESTING",
    "INVALID",
    "NOT_INTERESTING",
    "Bug",
    "Error",
    "Event",
    "FilesResult",
    "Isolated",
    "NotInteresting",
    "Result",
    "Size",
    "Verdict",
    "isolate",
    "reduce",
    "reduce_choices",
    "reduce_files",
    "triage",
]
