"""The examples in docs/python.md."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[3] / "docs" / "python.md"
# A file has its name in the first line.
BLOCK = re.compile(r"^```(?:python\n# (?P<name>\S+)|console)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)


def test_sessions_print_what_is_shown() -> None:
    sessions = re.findall(r"^```pycon\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert len(sessions) > 5
    example = doctest.DocTestParser().get_doctest("\n".join(sessions), {}, PAGE.name, str(PAGE), 0)
    assert doctest.DocTestRunner().run(example).failed == 0


def test_files_and_commands_do_what_is_shown(tmp_path: Path) -> None:
    # A plain output, whatever runs these tests.
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "CI"))}
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    commands = 0
    for block in BLOCK.finditer(PAGE.read_text()):
        if block["name"]:
            (tmp_path / block["name"]).write_text(block["text"])
            continue
        for shown in re.split(r"^\$ ", block["text"], flags=re.MULTILINE)[1:]:
            command, _, expected = shown.partition("\n")
            run = subprocess.run(command, shell=True, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)
            # An ellipsis is any text.
            pattern = ".*".join(map(re.escape, expected.split("…")))
            assert re.fullmatch(pattern, run.stdout, re.DOTALL), run.stdout
            commands += 1
    assert commands == 4
