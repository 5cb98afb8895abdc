"""Propose what a tool makes of the text, such as a linter's fixes or a formatter:

    lop --propose 'python3 in_place.py case.py ruff check --fix --unsafe-fixes @@' …

The first argument is the name of the file that the tool gets, the others are the tool's command.
"""

import sys

from lop_proposer import propose, run


def result(text):
    yield run(sys.argv[1], sys.argv[2:], text)[1]


propose(result)
