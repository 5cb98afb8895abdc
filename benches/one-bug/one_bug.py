#!/usr/bin/env python3
"""Measures how many different texts remain if many programs that show one bug are reduced.

    python3 benches/one-bug/one_bug.py collect --bug mcs51 --programs 200 DIRECTORY
    python3 benches/one-bug/one_bug.py reduce --bug mcs51 --lop target/release/lop DIRECTORY
    python3 benches/one-bug/one_bug.py report DIRECTORY

`collect` needs csmith, gcc and sdcc. It tries the seeds 1, 2, 3, … and keeps the programs that show the bug. `reduce`
reduces those that have no result yet. `report` counts the different results. Give `reduce` the same `--bug` as `collect`.
"""

import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

CSMITH = (
    "--no-safe-math --no-checksum --nomain --max-funcs 3 --max-block-depth 2 --max-block-size 3 "
    "--max-expr-complexity 5 --max-array-dim 2 --max-pointer-depth 2"
).split()

HEADER = """\
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long int64_t;
typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
"""

# The port of sdcc 4.2.0, and the message of the bug.
BUGS = {
    "mcs51": "FATAL Compiler Internal Error in file 'gen.c' line number '1837' : need pointerCode",
    "z80": "FATAL Compiler Internal Error in file 'gen.c' line number '988' : code generator internal error",
}

TEST = """\
#!/bin/bash
# Interesting if gcc accepts the program and sdcc's port {port} fails with this internal error.
ulimit -t 5
export TMPDIR=$PWD
gcc -std=gnu11 -Werror=implicit -Werror=int-conversion -Werror=incompatible-pointer-types -fsyntax-only input.c \\
    > gcc.txt 2>&1 || exit 1
sdcc -m{port} --max-allocs-per-node 1 -S -o x.asm input.c > sdcc.txt 2>&1
grep -qF "{message}" sdcc.txt
"""


def run(command, cwd, seconds, **more):
    """Runs a command; an unfinished one counts as failed."""
    try:
        return subprocess.run(command, cwd=cwd, timeout=seconds, capture_output=True, text=True, check=False, **more)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", "")


def write_test(bug, path):
    path.write_text(TEST.format(port=bug, message=BUGS[bug]))
    path.chmod(0o755)


def program(seed, bug, test):
    """The program of a seed if it shows the bug."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        text = run(["csmith", "--seed", str(seed), *CSMITH], place, 30).stdout
        (place / "csmith.h").write_text(HEADER)
        (place / "all.c").write_text(text)
        made = run(["gcc", "-E", "-P", "-I.", "all.c"], place, 30)
        (place / "input.c").write_text(made.stdout)
        is_made = made.returncode == 0 and made.stdout.strip()
        return made.stdout if is_made and run([str(test)], place, 30).returncode == 0 else None


def collect(args):
    args.directory.mkdir(parents=True, exist_ok=True)
    test = args.directory.resolve() / "test.sh"
    write_test(args.bug, test)
    found, seed = 0, 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        while found < args.programs:
            seeds = range(seed + 1, seed + 65)
            seed += 64
            for number, text in zip(seeds, pool.map(lambda number: program(number, args.bug, test), seeds)):
                if text and found < args.programs:
                    found += 1
                    (args.directory / f"{number:06}.c").write_text(text)
            print(f"{found} programs of {seed} show the bug", flush=True)


def reduce(args):
    test = args.directory.resolve() / "test.sh"
    (args.directory / "reduced").mkdir(exist_ok=True)
    programs = sorted(args.directory.glob("*.c"))[: args.programs]
    todo = [path for path in programs if not (args.directory / "reduced" / path.name).exists()]

    def one(path):
        with tempfile.TemporaryDirectory() as name:
            copy = Path(name) / "input.c"
            shutil.copy(path, copy)
            command = [args.lop, "-j1", "-v", "--no-state", "-o", "out.c", *args.option, str(test), "input.c"]
            ended = run(command, name, 3600)
            result = Path(name) / "out.c"
            if ended.returncode != 0 or not result.exists():
                return f"{path.name}: lop failed: {ended.stderr[-300:]}"
            shutil.copy(result, args.directory / "reduced" / path.name)
            tests = re.search(r"tests\s+([\d,]+)", ended.stdout + ended.stderr)
            return f"{path.name}: {result.stat().st_size} bytes, {tests[1] if tests else '?'} tests"

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for line in pool.map(one, todo):
            print(line, flush=True)


def report(args):
    texts = [path.read_text() for path in sorted((args.directory / "reduced").glob("*.c"))]
    count = Counter(texts)
    print(f"{len(texts)} programs, {len(count)} texts: {len(count) / max(len(texts), 1):.3f}")
    for text, times in count.most_common(args.show):
        print(f"--- {times} times, {len(text)} bytes")
        print(text.rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, action in [("collect", collect), ("reduce", reduce), ("report", report)]:
        command = commands.add_parser(name)
        command.add_argument("directory", type=Path)
        command.set_defaults(action=action)
        if name != "report":
            command.add_argument("--bug", choices=sorted(BUGS), default="mcs51")
            command.add_argument("--programs", type=int, default=200)
            command.add_argument("--jobs", type=int, default=os.cpu_count())
        if name == "reduce":
            command.add_argument("--lop", default="lop")
            command.add_argument("--option", action="append", default=[])
        if name == "report":
            command.add_argument("--show", type=int, default=10)
    args = parser.parse_args()
    args.action(args)


if __name__ == "__main__":
    main()
