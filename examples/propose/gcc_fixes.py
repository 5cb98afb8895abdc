"""Propose the fix-its of gcc or clang, and the text without what they call unused:

    lop --propose 'python3 gcc_fixes.py case.c gcc -Wall -Wextra -c @@' …
    lop --propose 'python3 gcc_fixes.py case.c clang -Wall -Wextra -c @@' …

The first argument is the name of the file that the compiler gets, the others are its command.
"""

import json
import re
import sys

from lop_proposer import all_then_each, end_of_item, propose, run

FIX_IT = re.compile(rb'^fix-it:"[^"]*":\{(\d+):(\d+)-(\d+):(\d+)\}:"((?:[^"\\]|\\.)*)"', re.M)
UNUSED = re.compile(rb"^[^:\n]*:(\d+):(\d+): warning: (?=[^\n]*\bunused\b|[^\n]*defined but not used)", re.M)


def offset(text, line, column):
    """The offset of a position, whose lines and bytes are counted from 1."""
    lines = text.splitlines(True)
    return min(sum(map(len, lines[: line - 1])) + column - 1, len(text))


def of_gcc(text, diagnostics):
    """The edits, and the places of what is unused, from gcc's JSON."""
    edits, unused = [], []
    at = lambda place: offset(text, place["line"], place.get("byte-column", place["column"]))
    for diagnostic in diagnostics:
        for fix in diagnostic.get("fixits", []):
            edits.append((at(fix["start"]), at(fix["next"]), fix["string"].encode()))
        if diagnostic.get("option", "").startswith("-Wunused"):
            unused += [at(location["caret"]) for location in diagnostic["locations"][:1]]
    return edits, unused


def of_clang(text, output):
    """The same from clang's lines."""
    edits = []
    for a, b, c, d, replacement in FIX_IT.findall(output):
        replacement = replacement.replace(b'\\"', b'"').replace(b"\\\\", b"\\")
        edits.append((offset(text, int(a), int(b)), offset(text, int(c), int(d)), replacement))
    return edits, [offset(text, int(line), int(column)) for line, column in UNUSED.findall(output)]


def declaration(text, at):
    """The declaration, statement or function around a place: from the end of the one before it to its own end."""
    start = max(text.rfind(mark, 0, at) for mark in (b";", b"}", b"{", b"\n\n")) + 1
    end = end_of_item(text, at)
    return None if end is None else (start, end, b"")


def fixes(text):
    words = sys.argv[2:]
    is_clang = "clang" in words[0]
    option = "-fdiagnostics-parseable-fixits" if is_clang else "-fdiagnostics-format=json"
    ran, _ = run(sys.argv[1], [*words, option], text)
    if is_clang:
        edits, unused = of_clang(text, ran.stderr)
    else:
        start = ran.stderr.find(b"[")
        edits, unused = of_gcc(text, json.loads(ran.stderr[start:].splitlines()[0]) if start >= 0 else [])
    yield from all_then_each(text, [found for found in (declaration(text, at) for at in unused) if found])
    yield from all_then_each(text, edits)


propose(fixes)
