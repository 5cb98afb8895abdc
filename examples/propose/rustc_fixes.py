"""Propose rustc's suggestions, and the text without the items that it calls unused:

    lop --propose 'python3 rustc_fixes.py case.rs rustc --emit=metadata @@' …

The first argument is the name of the file that rustc gets, the others are its command.
"""

import json
import sys

from lop_proposer import all_then_each, end_of_item, propose, run

UNUSED = {"dead_code", "unused_imports", "unused_variables", "unused_macros", "unused_must_use"}


def item(text, start):
    """An item from its first line to its end."""
    start = text.rfind(b"\n", 0, start) + 1
    end = end_of_item(text, start)
    return None if end is None else (start, end, b"")


def fixes(text):
    ran, _ = run(sys.argv[1], [*sys.argv[2:], "--error-format=json"], text)
    edits, unused = [], []
    for line in ran.stderr.splitlines():
        message = json.loads(line) if line.startswith(b"{") else {}
        if (message.get("code") or {}).get("code") in UNUSED:
            unused += [item(text, span["byte_start"]) for span in message["spans"] if span["is_primary"]]
        for child in message.get("children", []):
            for span in child["spans"]:
                if span["suggested_replacement"] is not None:
                    edits.append((span["byte_start"], span["byte_end"], span["suggested_replacement"].encode()))
    yield from all_then_each(text, [found for found in unused if found])
    yield from all_then_each(text, edits)


propose(fixes)
