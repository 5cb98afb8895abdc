"""A test that stays up, for `lop --server 'python3 check.py' FILE`.

    from lop_server import serve

    def shows_the_bug(path):
        return "unknown tag" in check(open(path).read())

    serve(shows_the_bug)
"""

from __future__ import annotations

import os
import sys
from typing import Callable


def serve(test: Callable[..., bool | str]) -> None:
    """Answer lop until it ends.

    `test` gets the path of each candidate (several files: a path for each) and returns True if it is interesting, False
    if it is not, or "invalid". Whatever it prints goes to standard error. An exception ends the server; lop then starts
    another one and asks again.
    """
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    questions = os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    words = {True: "interesting", False: "not interesting", "invalid": "invalid"}
    for line in questions:
        said = test(*(os.fsdecode(path) for path in line.rstrip(b"\n").split(b"\t")))
        if said not in words:
            sys.exit(f"the test returned {said!r}; return True, False or 'invalid'")
        print(words[said], file=answers)
