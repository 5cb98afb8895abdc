"""Proposals for lop, in any way you like: `lop --propose 'python3 mine.py' …`.

    from lop_proposer import propose

    def without_comments(text):
        yield b"".join(line for line in text.splitlines(True) if not line.startswith(b"#"))

    propose(without_comments)

The same program works with `shrinkray --reduce-with`.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import tempfile
from typing import IO, Callable, Iterable, Iterator

#: Start, end and replacement, in bytes.
Edit = tuple[int, int, bytes]


def propose(proposals: Callable[[bytes], Iterable[bytes]]) -> None:
    """Answer a reducer until it ends.

    `proposals` gets a text as bytes and yields smaller ones, the most promising first. If one of them is still
    interesting, it is called again with that one.
    """
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    for line in sys.stdin:
        message = json.loads(line)
        if "reduce" not in message:
            # Another part of the reducer has found a smaller text; it will ask for that one.
            continue
        text: bytes | None = base64.b64decode(message["reduce"])
        known: set[bytes] = set()
        while text is not None:
            known.add(text)
            text = _first_interesting(proposals(text), known, answers)
        print(json.dumps({"idle": True}), file=answers)


def _first_interesting(candidates: Iterable[bytes], known: set[bytes], answers: IO[str]) -> bytes | None:
    for candidate in candidates:
        if candidate in known:
            continue
        known.add(candidate)
        content = base64.b64encode(candidate).decode()
        print(json.dumps({"content": content}), file=answers)
        for line in sys.stdin:
            answer = json.loads(line)
            if answer.get("content") == content:
                break
        else:
            sys.exit()
        if answer["interesting"]:
            return candidate
    return None


def run(name: str, words: list[str], text: bytes) -> tuple[subprocess.CompletedProcess[bytes], bytes]:
    """Run a command on a file of this name with this text, with its path for `@@`. Return the process and the new text."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, name)
        with open(path, "wb") as file:
            file.write(text)
        words = [word.replace("@@", path) for word in words]
        ran = subprocess.run(words, cwd=directory, capture_output=True, timeout=60)
        try:
            with open(path, "rb") as file:
                return ran, file.read()
        except FileNotFoundError:
            return ran, text


def edited(text: bytes, edits: Iterable[Edit]) -> bytes:
    """Apply edits to a text. Those that overlap earlier ones are left out."""
    parts: list[bytes] = []
    at = 0
    for start, end, replacement in sorted(edits):
        if start >= at:
            parts += [text[at:start], replacement]
            at = end
    return b"".join([*parts, text[at:]])


def all_then_each(text: bytes, edits: list[Edit]) -> Iterator[bytes]:
    """Yield the text with all edits, and then with each of them alone."""
    if edits:
        yield edited(text, edits)
        for edit in edits if len(edits) > 1 else []:
            yield edited(text, [edit])


def end_of_item(text: bytes, start: int) -> int | None:
    """Return the end of a statement, declaration or function in a language with braces, if there is one."""
    depth = 0
    for end in range(start, len(text)):
        byte = text[end : end + 1]
        depth += (byte in b"{([") - (byte in b"})]")
        if depth < 0:
            return None
        if depth == 0 and byte in (b";", b"}"):
            return end + 1
    return None
