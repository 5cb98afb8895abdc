"""One small input for each bug: :func:`triage`."""

from __future__ import annotations

from typing import Callable, Hashable, Iterable, Mapping, Optional, Union

from ._calls import Flaky, Seconds, encoded
from ._reduce import reduce
from ._types import Bug, D, Error, Result


def triage(
    findings: Union[Mapping[str, D], Iterable[D]],
    signature: Callable[[D], Optional[Hashable]],
    *,
    language: Optional[str] = None,
    max_time: Optional[Seconds] = None,
    max_tests: Optional[int] = None,
    jobs: int = 1,
    flaky: Flaky = None,
    seed: int = 0,
) -> list[Bug[D]]:
    """Groups findings by the bug that they show, and reduces the smallest one of each group.

    >>> import lop
    >>> def signature(text: str) -> "str | None":
    ...     return "tab" if "\\t" in text else "bell" if "\\a" in text else None
    >>> bugs = lop.triage({"1.txt": "one\\ttwo", "2.txt": "fine", "3.txt": "\\a", "4.txt": "a\\tb"}, signature)
    >>> [(bug.signature, bug.names, bug.result.best) for bug in bugs]
    [('tab', ('4.txt', '1.txt'), '\\t'), ('bell', ('3.txt',), '\\x07')]

    :param findings: The findings by name. Without names they are called ``"0"``, ``"1"`` and so on.
    :param signature: Gets a text, and returns a name for the bug that it shows, or ``None`` if it shows none. The
        message of the bug without numbers and positions is a good name.
    :returns: The bugs, those with the most findings first. A bug that lop cannot reduce has an ``error``.

    The limits count for each bug. A mapping's names also determine the language, by their extensions. The options are
    those of :func:`lop.reduce`.
    """
    if isinstance(findings, (str, bytes)):
        raise TypeError("findings must be several texts")
    has_names = isinstance(findings, Mapping)
    named = dict(findings) if isinstance(findings, Mapping) else {str(at): text for at, text in enumerate(findings)}
    groups: dict[Hashable, list[str]] = {}
    for name, text in named.items():
        found = signature(text)
        if found is not None:
            groups.setdefault(found, []).append(name)
    bugs: list[Bug[D]] = []
    for found, names in sorted(groups.items(), key=lambda group: -len(group[1])):
        names.sort(key=lambda name: (len(encoded(named[name])), name))
        result: Optional[Result[D]] = None
        error: Optional[Error] = None
        try:
            result = reduce(
                named[names[0]],
                lambda text: bool(signature(text) == found),
                language=language,
                file_name=names[0] if has_names else None,
                max_time=max_time,
                max_tests=max_tests,
                jobs=jobs,
                flaky=flaky,
                seed=seed,
            )
        except Error as failure:
            error = failure
        bugs.append(Bug(found, tuple(names), result, error))
    return bugs
