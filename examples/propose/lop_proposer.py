"""Proposals for lop, in any way you like: `lop --propose 'python3 mine.py' …`.

    from lop_proposer import propose

    def without_comments(text):
        yield b"".join(line for line in text.splitlines(True) if not line.startswith(b"#"))

    propose(without_comments)

The same program works with `shrinkray --reduce-with`.
"""

import base64
import json
import os
import subprocess
import sys
import tempfile


def propose(proposals):
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
        text = base64.b64decode(message["reduce"])
        known = {text}
        while text is not None:
            text = _first_interesting(proposals(text), known, answers)
        print(json.dumps({"idle": True}), file=answers)


def _first_interesting(candidates, known, answers):
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


def run(name, words, text):
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


def edited(text, edits):
    """Apply edits `(start, end, replacement)` to a text, in bytes. Those that overlap earlier ones are left out."""
    parts, at = [], 0
    for start, end, replacement in sorted(edits):
        if start >= at:
            parts += [text[at:start], replacement]
            at = end
    return b"".join([*parts, text[at:]])


def all_then_each(text, edits):
    """Yield the text with all edits, and then with each of them alone."""
    if edits:
        yield edited(text, edits)
        for edit in edits if len(edits) > 1 else []:
            yield edited(text, [edit])
