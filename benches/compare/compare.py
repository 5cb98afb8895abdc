#!/usr/bin/env python3
"""Measures test-case reducers with the same maximum number of test runs.

    python3 benches/compare/compare.py install                   # the other tools, as far as this system has them
    python3 benches/compare/compare.py run                       # all cases, all tools
    python3 benches/compare/compare.py run --tools lop cvise --cases fixtures/c-crash examples/broken-json
    python3 benches/compare/compare.py report                    # Markdown tables, and docs/comparison.svg

A case is a directory with `input.EXT` and `test.sh`. Each tool gets a wrapper instead of `test.sh`. The wrapper counts
the run, copies the candidate into an empty directory, runs `test.sh` there and records the size of a candidate that
passes. After the last allowed run it answers "not interesting", and `run` kills the tool.

`run` appends one line per case and tool to `results.jsonl` next to this file and skips what is already there. A missing
tool is reported, and its cells stay empty. `lop grammars FILE` counts the tokens of every result, whichever tool made
it. Set LOP to use another lop than the one in PATH. Downloads go to LOP_COMPARE_CACHE (default: ~/.cache/lop-compare).
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from math import log10
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CACHE = Path(os.environ.get("LOP_COMPARE_CACHE", Path.home() / ".cache" / "lop-compare"))
LOP = shutil.which(os.environ.get("LOP", "lop"))
RUNS = 1000  # test runs per cell
SAFETY = 900  # seconds per cell
IDLE = 120  # seconds without a new test run
CPU = 2  # CPU seconds per process that a test starts

# Commands run in a directory that holds {name}, a copy of the input. {test} is the wrapper. {out} is the result, or
# {name} itself if the tool does not write {out}.
TREEREDUCE = "treereduce-%s -j 1 -s {name} -o {out} -- {test} @@.{ext}"
TOOLS = {
    "lop": ("lop", {"*": "{lop} -j 1 --no-config --no-state -o {out} {test} {name}"}),
    "cvise": ("C-Vise", {"c": "cvise --n 1 {test} {name}", "*": "cvise --n 1 --not-c {test} {name}"}),
    "creduce": ("C-Reduce", {"c": "creduce --n 1 {test} {name}", "*": "creduce --n 1 --not-c {test} {name}"}),
    "treereduce": ("treereduce", {"c": TREEREDUCE % "c", "js": TREEREDUCE % "javascript"}),
    "dustmite": ("DustMite", {"*": "dustmite --split '*:d' {name} {test} && cp *.reduced/{name} {out}"}),
    "shrinkray": ("Shrink Ray", {"*": "shrinkray --ui basic --no-history --no-llm --parallelism 1 {test} {name}"}),
    "afl-tmin": ("afl-tmin", {"*": "afl-tmin -t 20000 -i {name} -o {out} -- {test} @@"}),
}
VERSIONS = {
    "lop": "{lop} --version", "treereduce": "treereduce-c --version", "afl-tmin": "afl-tmin | head -1",
    "dustmite": "dpkg-query -W dustmite",
}
# afl-tmin keeps crashes: its wrapper dies of a signal if the candidate is interesting. The others make it start a
# program without instrumentation.
ENVIRONMENT = {"afl-tmin": {"CRASH": "1", "AFL_NO_FORKSRV": "1", "AFL_MAP_SIZE": "4194304", "AFL_SKIP_BIN_CHECK": "1"}}

WRAPPER = r'''#!%(python)s -SE
import fcntl, os, resource, shutil, signal, subprocess, sys, tempfile
home, name = os.environ["COMPARE_HOME"], os.environ["COMPARE_NAME"]
os.umask(0o022)
lock = os.open(home + "/log", os.O_RDWR | os.O_APPEND)
os.set_inheritable(lock, False)
fcntl.flock(lock, fcntl.LOCK_EX)
run = int(open(home + "/count").read()) + 1
if run > int(os.environ["COMPARE_RUNS"]):
    open(home + "/limit", "w").close()
    sys.exit(1)
open(home + "/count", "w").write(str(run))
fcntl.flock(lock, fcntl.LOCK_UN)
candidates = [path for path in sys.argv[1:] if os.path.isfile(path)] + [name]
try:
    text = open(candidates[0], "rb").read()
except OSError:
    sys.exit(1)
folder = tempfile.mkdtemp(dir=home + "/tests")
open(folder + "/" + name, "wb").write(text)
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
resource.setrlimit(resource.RLIMIT_CPU, (%(cpu)d, resource.getrlimit(resource.RLIMIT_CPU)[1]))
code = subprocess.call([os.environ["COMPARE_TEST"]], cwd=folder, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
shutil.rmtree(folder, ignore_errors=True)
fcntl.flock(lock, fcntl.LOCK_EX)
if code == 0:
    ink = len(b"".join(text.split()))
    try:
        best = tuple(map(int, open(home + "/best").read().split()))
    except (OSError, ValueError):
        best = (1 << 60, 0)
    if (ink, len(text)) < best:
        open("%%s/passed/%%d" %% (home, run), "wb").write(text)
        open(home + "/best", "w").write("%%d %%d" %% (ink, len(text)))
os.close(lock)
if code == 0 and os.environ.get("CRASH"):
    os.kill(os.getpid(), signal.SIGSEGV)
sys.exit(code != 0)
'''


def environment():
    path = [CACHE / "venv" / "bin", CACHE / "cargo" / "bin"]
    return dict(os.environ, PATH=os.pathsep.join([*map(str, path), os.environ["PATH"]]))


def install(_):
    """Installs every tool that it can and reports the others."""

    def attempt(what, *command):
        done = subprocess.run(command, stdin=subprocess.DEVNULL, env=dict(os.environ, DEBIAN_FRONTEND="noninteractive"))
        print(f"{what}: {'installed' if done.returncode == 0 else 'not installed'}", flush=True)

    CACHE.mkdir(parents=True, exist_ok=True)
    if shutil.which("apt-get") and os.geteuid() == 0:
        attempt("package lists", "apt-get", "update", "-q")
        for package in ("cvise", "creduce", "dustmite", "afl++"):
            attempt(package, "apt-get", "install", "-y", "-q", "--no-install-recommends", package)
    else:
        print("cvise, creduce, dustmite, afl++: run this as root on a system with apt-get, or install them yourself")
    # Shrink Ray needs Python 3.12: an older pip finds a version from years ago.
    pythons = [f"python3.{minor}" for minor in range(19, 11, -1)]
    python = next(filter(shutil.which, pythons), None)
    if python:
        attempt("environment for shrinkray", python, "-m", "venv", str(CACHE / "venv"))
        attempt("shrinkray", str(CACHE / "venv" / "bin" / "pip"), "install", "-q", "--upgrade", "shrinkray")
    else:
        print("shrinkray: needs Python 3.12 or later in PATH")
    if shutil.which("cargo"):
        for crate in ("treereduce-c", "treereduce-javascript"):
            attempt(crate, "cargo", "install", "-q", "--locked", "--root", str(CACHE / "cargo"), crate)
    else:
        print("treereduce: needs cargo")


def sizes(path, extension):
    """Tokens as lop counts them, bytes, and bytes that are not blank."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / f"input.{extension}"
        shutil.copyfile(path, copy)
        shown = subprocess.run([LOP, "grammars", "--no-config", str(copy)], capture_output=True, text=True,
                               errors="replace")
    found = re.search(r"; ([\d,]+) tokens?,", shown.stdout.splitlines()[0] if shown.stdout else "")
    if not found and path.stat().st_size:
        sys.exit(f"lop grammars shows no tokens: {shown.stdout[:200]}{shown.stderr[:200]}")
    return int(found[1].replace(",", "")) if found else 0, path.stat().st_size, len(b"".join(path.read_bytes().split()))


def label(case):
    return case.name if case.parent.name == "fixtures" else f"{case.parent.name}/{case.name}"


def version(tool):
    command = VERSIONS.get(tool, f"{tool} --version").format(lop=LOP)
    shown = subprocess.run(command, shell=True, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True).stdout
    found = re.search(r"\d+\.\d+(\.\d+)*\w?", shown)
    return found[0] if found else ""


def kill(process):
    for sign, grace in ((signal.SIGTERM, 3), (signal.SIGKILL, 10)):
        try:
            os.killpg(process.pid, sign)
        except ProcessLookupError:
            return
        try:
            process.wait(grace)
        except subprocess.TimeoutExpired:
            pass
    process.wait()


def measure(case, tool, template, runs, cpu):
    """Runs one tool on one case."""
    source = next(case.glob("input.*"))
    name, extension = source.name, source.suffix[1:]
    home = Path(tempfile.mkdtemp(prefix="lop-compare-"))
    for folder in ("tests", "passed", "work", "tmp", "check"):
        (home / folder).mkdir()
    wrapper, out = home / "test", home / f"out.{extension}"
    wrapper.write_text(WRAPPER % {"python": os.path.realpath(sys.executable), "cpu": cpu})
    wrapper.chmod(0o755)
    (home / "count").write_text("0")
    (home / "log").touch()
    shutil.copy(source, home / "work" / name)
    variables = dict(environment(), COMPARE_HOME=str(home), COMPARE_NAME=name, COMPARE_RUNS=str(runs),
                     COMPARE_TEST=str((case / "test.sh").resolve()), TMPDIR=str(home / "tmp"),
                     **ENVIRONMENT.get(tool, {}))

    def passes(path):
        folder = Path(tempfile.mkdtemp(dir=home / "check"))
        shutil.copyfile(path, folder / name)
        return subprocess.run([variables["COMPARE_TEST"]], cwd=folder, env=variables, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

    row = {"case": label(case), "tool": tool, "version": version(tool), "limit": runs}
    row["tokens_before"], row["bytes_before"], _ = sizes(source, extension)
    if not passes(source):
        shutil.rmtree(home, ignore_errors=True)
        return dict(row, error="the input is not interesting here: see the directory's README.md for the tools")
    command = template.format(lop=LOP, test=wrapper, name=name, out=out, ext=extension)
    start = time.monotonic()
    with open(home / "output", "wb") as output:
        process = subprocess.Popen(["/bin/sh", "-c", command], cwd=home / "work", env=variables, stdout=output,
                                   stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT, start_new_session=True)
        end = "done"
        while process.poll() is None:
            if (home / "limit").exists():
                end = "runs"
            elif time.monotonic() - start > SAFETY or time.time() - (home / "count").stat().st_mtime > IDLE:
                end = "time"
            if end != "done":
                kill(process)
                break
            time.sleep(0.05)
    if (home / "limit").exists():
        end = "runs"
    passed = sorted(home.glob("passed/*"), key=lambda path: int(path.name))
    curve = []
    for path in passed:
        tokens = sizes(path, extension)[0]
        if not curve or tokens < curve[-1][1]:
            curve.append([int(path.name), tokens])
            best = path
    row.update(end=end, runs=int((home / "count").read_text()), seconds=round(time.monotonic() - start), curve=curve)
    result = out if out.is_file() else home / "work" / name
    if end != "done":
        result = best if curve else source
    elif process.returncode != 0:
        row["exit_code"] = process.returncode
    row["tokens"], row["bytes"], row["ink"] = sizes(result, extension)
    row["passes"] = passes(result)
    if not row["passes"] or not curve or "exit_code" in row:
        row["output"] = (home / "output").read_bytes()[-400:].decode("utf8", "replace").replace(str(home), "")
    shutil.rmtree(home, ignore_errors=True)
    return row


def load(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def run(options):
    if not LOP:
        sys.exit("lop is missing: put it into PATH, or its path into LOP")
    cases = [Path(case).resolve() for case in options.cases] or sorted(
        path.parent for folder in ("examples", "fixtures") for path in (ROOT / folder).glob("*/test.sh"))
    known = {(row["case"], row["tool"], row["limit"]) for row in load(options.results)}
    search = environment()["PATH"]
    missing = set()
    for case in cases:
        extension = next(case.glob("input.*")).suffix[1:]
        for tool in options.tools:
            commands = TOOLS[tool][1]
            template = commands.get(extension, commands.get("*"))
            if not template or (label(case), tool, options.runs) in known:
                continue
            program = template.split()[0]
            if tool != "lop" and not shutil.which(program, path=search):
                if program not in missing:
                    print(f"{program} is missing: its cells stay empty", flush=True)
                missing.add(program)
                continue
            row = measure(case, tool, template, options.runs, options.cpu)
            with open(options.results, "a") as results:
                results.write(json.dumps(row, ensure_ascii=True) + "\n")
            print({key: row[key] for key in row if key != "curve"}, flush=True)


def cell(row, key, best):
    if row is None:
        return ""
    if "error" in row or not row["passes"]:
        return "failed"
    number = f"{row[key]:,}"
    mark = {"runs": " †", "time": " ‡"}.get(row["end"], "")
    return (f"**{number}**" if row[key] == best else number) + mark


def report(options):
    rows = [row for row in load(options.results) if "error" not in row]
    tools = [tool for tool in TOOLS if any(row["tool"] == tool for row in rows)]
    by_case = {}
    for row in rows:
        by_case.setdefault(row["case"], {})[row["tool"]] = row
    order = sorted(by_case, key=lambda case: (next(iter(by_case[case].values()))["tokens_before"], case))
    for title, key in (("Tokens left", "tokens"), ("Test runs", "runs")):
        middle = " tokens before |" if key == "tokens" else ""
        print(f"{title}:\n\n| case |{middle} " + " | ".join(TOOLS[tool][0] for tool in tools) + " |")
        print("|---|" + ("--:|" if middle else "") + "--:|" * len(tools))
        for case in order:
            there = [row for row in by_case[case].values() if row["passes"]]
            # A run that was cut has no number of runs to compare.
            there = [row for row in there if key == "tokens" or row["end"] == "done"]
            best = min((row[key] for row in there), default=None) if len(by_case[case]) > 1 else None
            before = f" {next(iter(by_case[case].values()))['tokens_before']:,} |" if middle else ""
            cells = " | ".join(cell(by_case[case].get(tool), key, best) for tool in tools)
            print(f"| `{case}` |{before} {cells} |")
        print()
    versions = {row["tool"]: row["version"] for row in rows}
    print("Versions: " + ", ".join(f"{TOOLS[tool][0]} {versions[tool]}" for tool in tools))
    options.svg.write_text(chart(by_case, options.panels or order[-4:], tools))


COLOURS = ["#0b6e4f", "#d1495b", "#b8860b", "#2e6fbf", "#8e44ad", "#e07a1f", "#5d6d7e"]


def chart(by_case, panels, tools):
    """Tokens left over test runs, one panel per case, both axes logarithmic."""
    width, height, left, top = 360, 220, 56, 70
    columns = 2
    lines = (len(panels) + columns - 1) // columns
    whole = (columns * (width + left + 14) + 10, top + lines * (height + 62))
    text = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole[0]} {whole[1]}" font-family="sans-serif" '
            'font-size="12">', "<title>Tokens left over test runs</title>",
            f'<rect width="{whole[0]}" height="{whole[1]}" fill="#ffffff"/>']
    for index, tool in enumerate(tools):
        x = 20 + index * (whole[0] - 30) // len(tools)
        text.append(f'<path d="M{x} 20h18" stroke="{COLOURS[index]}" stroke-width="{3 if tool == "lop" else 2}"/>'
                    f'<text x="{x + 23}" y="24" fill="#222222">{TOOLS[tool][0]}</text>')
    text.append('<text x="20" y="44" fill="#555555">Full circle: the tool ended. Empty circle: the run was cut.</text>')
    for number, case in enumerate(panels):
        rows = by_case[case]
        x0 = left + (number % columns) * (width + left + 14)
        y0 = top + (number // columns) * (height + 62)
        limit = max(row["limit"] for row in rows.values())
        before = next(iter(rows.values()))["tokens_before"]
        x = lambda run: round(x0 + width * log10(max(run, 1)) / log10(limit), 1)
        y = lambda tokens: round(y0 + height - height * log10(max(tokens, 1)) / log10(before * 1.1), 1)
        text.append(f'<text x="{x0}" y="{y0 - 8}" fill="#222222" font-weight="bold">{case}</text>')
        for power in range(5):
            tick = 10**power
            if tick <= limit:
                text.append(f'<path d="M{x(tick)} {y0}v{height}" stroke="#e3e3e3"/>'
                            f'<text x="{x(tick)}" y="{y0 + height + 16}" text-anchor="middle" fill="#555555">{tick:,}'
                            "</text>")
            if tick <= before:
                text.append(f'<path d="M{x0} {y(tick)}h{width}" stroke="#e3e3e3"/>'
                            f'<text x="{x0 - 6}" y="{y(tick) + 4}" text-anchor="end" fill="#555555">{tick:,}</text>')
        text.append(f'<text x="{x0 + width}" y="{y0 + height + 32}" text-anchor="end" fill="#555555">test runs'
                    "</text>"
                    f'<text x="{x0 + 6}" y="{y0 + height - 8}" fill="#555555">tokens left</text>'
                    f'<path d="M{x0} {y0}v{height}h{width}" fill="none" stroke="#888888"/>')
        # lop last, so that no other line covers it
        for index, tool in sorted(enumerate(tools), key=lambda pair: pair[1] == "lop"):
            row = rows.get(tool)
            if not row or not row["passes"]:
                continue
            path = f"M{x(1)} {y(before)}"
            for at, tokens in row["curve"]:
                path += f"H{x(at)}V{y(tokens)}"
            path += f"H{x(row['runs'])}V{y(row['tokens'])}"
            full = COLOURS[index] if row["end"] == "done" else "#ffffff"
            line = f'stroke="{COLOURS[index]}" stroke-width="{3 if tool == "lop" else 1.6}"'
            text.append(f'<path d="{path}" fill="none" {line}/>'
                        f'<circle cx="{x(row["runs"])}" cy="{y(row["tokens"])}" r="4" fill="{full}" {line}/>')
    return "\n".join([*text, "</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=HERE / "results.jsonl",
                        help="one JSON object per case and tool")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("install", help="install the other tools").set_defaults(do=install)
    one = commands.add_parser("run", help="measure")
    one.add_argument("--cases", nargs="+", default=[], help="directories (default: all of examples/ and fixtures/)")
    one.add_argument("--tools", nargs="+", default=list(TOOLS), choices=list(TOOLS))
    one.add_argument("--runs", type=int, default=RUNS, help=f"test runs per cell (default: {RUNS})")
    one.add_argument("--cpu", type=int, default=CPU, help=f"CPU seconds per process of a test (default: {CPU})")
    one.set_defaults(do=run)
    one = commands.add_parser("report", help="print the tables and draw the chart")
    one.add_argument("--svg", type=Path, default=ROOT / "docs" / "comparison.svg")
    one.add_argument("--panels", nargs="+", default=[], help="cases to draw (default: the four largest)")
    one.set_defaults(do=report)
    options = parser.parse_args()
    options.do(options)


main()
