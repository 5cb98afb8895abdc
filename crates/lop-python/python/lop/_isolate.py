"""The difference that matters: :func:`isolate`."""

from __future__ import annotations

from typing import Callable, Optional

from . import _native
from ._calls import Answer, FileName, Seconds, decoder, encoded, end, judge, options
from ._types import D, Isolated


def isolate(
    passing: D,
    failing: D,
    test: Callable[[D], Answer],
    *,
    language: Optional[str] = None,
    file_name: FileName = None,
    max_time: Optional[Seconds] = None,
    max_tests: Optional[int] = None,
) -> Isolated[D]:
    """Brings a text that passes and one that fails as near to each other as possible.

    >>> import lop
    >>> found = lop.isolate("move 3 draw 4 turn 2", "move 3 jump 4 turn 7", lambda text: "jump" in text)
    >>> "jump" in found.failing, "jump" in found.passing
    (True, False)

    :param passing: A text that passes, ``bytes`` or ``str``.
    :param failing: A text of the same type that fails.
    :param test: Gets a candidate, and returns ``True`` if it fails, ``False`` if it passes, or ``INVALID`` if it does
        neither.
    :raises NotInteresting: if ``passing`` does not pass or ``failing`` does not fail.

    The options, and the other exceptions, are those of :func:`lop.reduce`. After an exception ``lop_result`` has the
    nearest two texts so far.
    """
    decode = decoder([passing, failing])
    checked = options(language=language, file_name=file_name, max_time=max_time, max_tests=max_tests)
    found = _native.isolate(encoded(passing), encoded(failing), judge(test, decode), checked)
    result: Isolated[D] = Isolated(decode(found["passing"]), decode(found["failing"]), found["tests"], found["ended"])
    if found["failure"] is not None:
        end(found["failure"], result)
    return result
