#!/usr/bin/env python3
"""Measures reducers on inputs that other projects have published, beside the published figures.

    python3 benches/published/published.py prepare --shrinkray DIR --ddsmt DIR --perses DIR CASES
    python3 benches/compare/compare.py --results published.jsonl run --cpu 10 --runs 5000 --cases CASES/*
    python3 benches/published/published.py report --results published.jsonl CASES

`prepare` takes checkouts, each of them optional:

    --shrinkray  github.com/DRMacIver/shrinkray: evaluation/corpus and the deterministic tests of evaluation/nd-corpus
    --ddsmt      github.com/ddsmt/artifact-2021 (or another with inputs/z3-*.smt2, as that of SFC)
    --perses     github.com/uw-pluverse/perses: benchmark

It installs the program that shows each bug below CASES/.tools: with the checkout's own setup script, from PyPI, or from
Debian's packages. A compiler in a container is replaced by GCC 5.4.0 for AVR where that shows the bug, and one that is
hard to get today by another program with a bug on the same input. `prepare` says which inputs it leaves out, and why.
It runs scripts of the checkouts, so look at them first.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

# The wheels of z3-solver that are asked, the newest first.
Z3 = ["4.8.9.0", "4.8.8.0", "4.8.7.0", "4.8.6.0", "4.8.5.0"]

# Headers for the C++ inputs: the compiler for AVR has none.
HEADERS = {
    "cstddef": "namespace std { typedef unsigned size_t; }",
    "string": "namespace std { struct string { char *text; string(const char *); string(const string &); ~string(); }; }",
    "utility": """namespace std {
template <class T> struct bare { typedef T type; };
template <class T> struct bare<T &> { typedef T type; };
template <class T> typename bare<T>::type &&move(T &&t) { return static_cast<typename bare<T>::type &&>(t); }
}""",
    "vector": """#include <cstddef>
namespace std {
template <class T> struct vector { T *items; unsigned count; void push_back(const T &); size_t size() const { return count; } };
}""",
}

# Inputs of Perses whose compiler is hard to get, with another bug that they show: a command, and what it prints.
PERSES = {
    "clang-22382": (
        "sdcc -mstm8 --max-allocs-per-node 1 --nogcse --noinvariant --noinduction --no-peep --nolospre -S -o x.asm {file}",
        "FATAL Compiler Internal Error in file 'SDCCsymt.c' line number '2235'",
        "another bug, of sdcc 4.2.0",
    ),
}


def shell(command, **more):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", **more)


def add(args, name, source, test, published):
    """Writes a case if its input shows the bug; otherwise says that it doesn't."""
    case = args.cases / name
    shutil.rmtree(case, ignore_errors=True)
    case.mkdir(parents=True)
    file = case / f"input{source.suffix}"
    shutil.copyfile(source, file)
    script = case / "test.sh"
    script.write_text("#!/bin/bash\n" + test.replace("{file}", file.name) + "\n")
    script.chmod(0o755)
    (case / "published.json").write_text(json.dumps(published) + "\n")
    scratch = case / "scratch"
    scratch.mkdir()
    shutil.copyfile(source, scratch / file.name)
    shown = subprocess.run([str(script.resolve())], cwd=scratch, stdin=subprocess.DEVNULL, capture_output=True).returncode == 0
    shutil.rmtree(scratch)
    if not shown:
        shutil.rmtree(case)
    return shown


def says(command, wanted, code=None, setup=""):
    """A test of what a command prints and how it ends."""
    wanted = [wanted] if isinstance(wanted, str) else wanted
    lines = [setup, f"{command} > out.txt 2>&1"] if setup else [f"{command} > out.txt 2>&1"]
    if code is not None:
        lines.append(f"[ $? = {code} ] || exit 1")
    return "\n".join(lines + [f"grep -qF -- {shlex.quote(text)} out.txt || exit 1" for text in wanted])


def venv(args, name, requirements):
    """A directory with the programs of these packages."""
    place = args.cases / ".tools" / name
    if not (place / "done").exists():
        shell([sys.executable, "-m", "venv", str(place)], check=True)
        done = shell([str(place / "bin" / "pip"), "install", "-q", *requirements])
        if done.returncode != 0:
            raise RuntimeError("pip: " + (done.stderr.strip().splitlines() or ["failed"])[-1])
        (place / "done").touch()
    return place / "bin"


def avr(args):
    """The directory of GCC 5.4.0 for AVR, unpacked and not installed."""
    place = args.cases / ".tools" / "avr"
    if not (place / "usr" / "bin" / "avr-g++").exists():
        place.mkdir(parents=True, exist_ok=True)
        done = shell(["apt-get", "download", "gcc-avr", "binutils-avr"], cwd=place)
        if done.returncode != 0:
            raise RuntimeError("apt-get download gcc-avr binutils-avr: " + done.stderr.strip())
        for package in place.glob("*.deb"):
            shell(["dpkg", "-x", str(package), str(place)], check=True)
            package.unlink()
    headers = place / "headers"
    headers.mkdir(exist_ok=True)
    for name, text in HEADERS.items():
        (headers / name).write_text(f"#pragma once\n{text}\n")
    return place


def figures(entry):
    """What Shrink Ray and C-Reduce have left, in bytes and in bytes that are not blank."""
    found = {}
    for tool, name in (("Shrink Ray", "shrinkray_reduced"), ("C-Reduce", "creduce_reduced")):
        for path in entry.glob(f"{name}.*"):
            text = path.read_bytes()
            found[tool] = [len(text), len(b"".join(text.split()))]
    result = entry / "result.json"
    if result.exists() and "reduced_bytes" in (known := json.loads(result.read_text())):
        found["Shrink Ray"] = [known["reduced_bytes"], known["reduced_nows_bytes"]]
    return found


def shrinkray(args):
    for meta in sorted(args.shrinkray.glob("evaluation/corpus/*/meta.json")):
        entry, known = meta.parent, json.loads(meta.read_text())
        source = entry / f"original{known['extension']}"
        oracle, interesting = known["oracle"], known["interesting"]
        wanted, code = interesting.get("output_contains", []), interesting.get("exit_code")
        published = {"source": "Shrink Ray", "program": known["tool"], "figures": figures(entry)}
        tools = (args.cases / ".tools").resolve()
        tools.mkdir(parents=True, exist_ok=True)
        command, setup = oracle["command"], "ulimit -c 0"
        if not source.exists():
            yield entry.name, "its original is not in the checkout"
            continue
        if oracle["type"] == "venv":
            path = venv(args, entry.name, oracle["requirements"]).resolve()
            setup += f"\nexport PATH={shlex.quote(str(path))}:$PATH"
        elif oracle["type"] == "command":
            done = shell(["bash", oracle["setup"]], cwd=entry, env=dict(os.environ, TOOLS_DIR=str(tools)))
            if done.returncode != 0:
                yield entry.name, "its setup.sh failed: " + (done.stderr.strip().splitlines() or [""])[-1]
                continue
        elif oracle["image"].startswith("gcc"):
            place = avr(args).resolve()
            setup += f"\nexport PATH={place}/usr/bin:$PATH LD_LIBRARY_PATH={place}/usr/lib/x86_64-linux-gnu LC_ALL=C TMPDIR=$PWD"
            command = ["avr-g++", "-I", str(place / "headers"), *command[1:]]
            published["program"] = "gcc 5.4.0 for AVR in the place of " + known["tool"]
            wanted, code = "internal compiler error: Segmentation fault", None
        else:
            yield entry.name, f"its compiler is in the container {oracle['image']}"
            continue
        for name, value in oracle.get("env", {}).items():
            setup += f"\nexport {name}={shlex.quote(value.replace('{tools}', str(tools)))}"
        words = [word.replace("/dev/null", "out.o").replace("{tools}", str(tools)).replace("{entry}", str(entry.resolve()))
                 for word in command]
        line = "timeout 20 " + " ".join(word if word == "{file}" else shlex.quote(word) for word in words)
        shown = add(args, entry.name, source, says(line, wanted, code, setup), published)
        yield entry.name, None if shown else "its input doesn't show the bug here"
    for script in sorted(args.shrinkray.glob("evaluation/nd-corpus/*/test-deterministic.sh")):
        entry = script.parent
        source = next(entry.glob("original.*"), None)
        if source is None:
            yield entry.name, "its original is not in the checkout"
            continue
        if shell(["bash", "setup.sh"], cwd=entry).returncode != 0:
            # It makes .tool with uv and a Python that may not be here; this one will do.
            packages = re.findall(r"[\w.-]+==[\w.]+", (entry / "setup.sh").read_text())
            if not packages:
                yield entry.name, "its setup.sh failed"
                continue
            shutil.rmtree(entry / ".tool", ignore_errors=True)
            (entry / ".tool").symlink_to(venv(args, entry.name, packages).resolve().parent)
        published = {"source": "Shrink Ray", "program": entry.name, "figures": {}}
        shown = add(args, entry.name, source, f"exec {shlex.quote(str(script.resolve()))} \"$PWD/{{file}}\"", published)
        yield entry.name, None if shown else "its input doesn't show the bug here"


def z3(args, version):
    place = args.cases / ".tools" / f"z3-{version}"
    if not (place / "z3").exists():
        place.mkdir(parents=True, exist_ok=True)
        done = shell([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "--platform",
                      "manylinux1_x86_64", "-d", str(place), f"z3-solver=={version}"])
        if done.returncode != 0:
            raise RuntimeError("pip: " + (done.stderr.strip().splitlines() or ["failed"])[-1])
        shutil.unpack_archive(next(place.glob("*.whl")), place / "wheel", "zip")
        shutil.copyfile(next(place.glob("wheel/*.data/data/bin/z3")), place / "z3")
        (place / "z3").chmod(0o755)
    return (place / "z3").resolve()


def ddsmt(args):
    for source in sorted(args.ddsmt.glob("**/z3-*.smt2")):
        for version in Z3:
            # bash prints that its child died.
            line = f"ulimit -c 0\n(timeout 10 {z3(args, version)} {{file}}) > out.txt 2>&1\n[ $? = 139 ]"
            published = {"source": "ddSMT", "program": f"z3 {version.removesuffix('.0')}", "figures": {}}
            if add(args, source.stem, source, line, published):
                yield source.stem, None
                break
        else:
            yield source.stem, "no wheel of z3 from 4.8.5 to 4.8.9 dies of it"


def perses(args):
    for script in sorted(args.perses.glob("benchmark/*/r.sh")):
        entry = script.parent
        inputs = [path for path in sorted(entry.glob("*.c")) if "golden" not in path.name]
        if not inputs:
            yield entry.name, "it has no C file"
            continue
        published = {"source": "Perses", "program": entry.name, "figures": {}}
        test = f"cp {{file}} small.c && exec bash {shlex.quote(str(script.resolve()))}"
        if add(args, entry.name, inputs[0], test, published):
            yield entry.name, None
            continue
        if entry.name not in PERSES:
            yield entry.name, "its compilers are not here"
            continue
        command, wanted, note = PERSES[entry.name]
        published["program"] = note
        guard = "ulimit -t 10\nexport TMPDIR=$PWD\ngcc -std=gnu11 -Werror=implicit -Werror=int-conversion -fsyntax-only {file} || exit 1"
        shown = add(args, entry.name, inputs[0], says(command, wanted, None, guard), published)
        yield entry.name, None if shown else f"its input doesn't show {note}"


def prepare(args):
    args.cases.mkdir(parents=True, exist_ok=True)
    args.cases = args.cases.resolve()
    for source in (shrinkray, ddsmt, perses):
        checkout = getattr(args, source.__name__)
        if checkout is None:
            continue
        if not checkout.is_dir():
            sys.exit(f"{checkout} is no directory")
        found = False
        try:
            for name, why in source(args):
                found = True
                print(f"{name}: {why or 'ready'}", flush=True)
        except RuntimeError as error:
            print(f"{source.__name__}: {error}", flush=True)
        if not found:
            print(f"{checkout} has no inputs of {source.__name__}", flush=True)


def cell(row):
    if row is None:
        return ""
    if "error" in row or not row["passes"]:
        return "failed"
    mark = {"runs": " †", "time": " ‡"}.get(row["end"], "")
    return f"{row['bytes']:,} ({row['ink']:,}){mark}, {row['runs']:,}"


def report(args):
    rows = [json.loads(line) for line in args.results.read_text().splitlines()]
    tools = list(dict.fromkeys(row["tool"] for row in rows))
    by_case = {}
    for row in rows:
        by_case.setdefault(row["case"].split("/")[-1], {})[row["tool"]] = row
    print("Bytes left, in parentheses those that are not blank, and test runs:\n")
    print("| input | bytes | program | published | " + " | ".join(tools) + " |")
    print("|---|--:|---|--:|" + "--:|" * len(tools))
    for name, cells in sorted(by_case.items()):
        published = json.loads((args.cases / name / "published.json").read_text())
        figures = "; ".join(f"{tool} {size:,} ({ink:,})" for tool, (size, ink) in published["figures"].items())
        before = next(iter(cells.values()))["bytes_before"]
        shown = " | ".join(cell(cells.get(tool)) for tool in tools)
        print(f"| `{name}` | {before:,} | {published['program']} | {figures or '–'} | {shown} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("prepare", help="write a directory with input and test for each published input")
    for source in ("shrinkray", "ddsmt", "perses"):
        one.add_argument(f"--{source}", type=Path, metavar="DIR", help="a checkout")
    one.add_argument("cases", type=Path, help="the directory for the cases")
    one.set_defaults(do=prepare)
    one = commands.add_parser("report", help="print the table")
    one.add_argument("--results", type=Path, required=True, help="the file that compare.py has written")
    one.add_argument("cases", type=Path, help="the directory with the cases")
    one.set_defaults(do=report)
    args = parser.parse_args()
    args.do(args)


if __name__ == "__main__":
    main()
