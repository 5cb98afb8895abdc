#!/usr/bin/env bash
# Builds the wheel once, and tests it with every CPython from 3.9 on that is here: those on PATH, and those of pyenv.
# Each gets an empty virtual environment.
set -euo pipefail
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# A Python of pyenv names the directory of all of them, also if HOME is another one now.
versions=${PYENV_ROOT:-$HOME/.pyenv}/versions
base=$(python3 -c 'import sys; print(sys.base_prefix)' 2>/dev/null || true)
case $base in */versions/*) versions=$(dirname "$base") ;; esac

is_usable() {
    local check='import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9) or sys.implementation.name != "cpython")'
    "$1" -c "$check" 2>/dev/null
}
# One of each version. A program that pyenv puts in front of the real one fails where no version of it is chosen.
declare -A pythons
for python in "$versions"/3.*/bin/python $(compgen -c | grep -xE 'python3(\.[0-9]+)?' | sort -u); do
    if is_usable "$python"; then
        pythons[$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')]=$python
    fi
done
[ ${#pythons[@]} -gt 0 ] || { echo 'There is no Python from 3.9 on with venv.'; exit 1; }
mapfile -t sorted < <(printf '%s\n' "${!pythons[@]}" | sort -V)
newest=${pythons[${sorted[-1]}]}

# The audit names the oldest system that the wheel runs on.
"$newest" -m venv "$scratch/build"
export PIP_DISABLE_PIP_VERSION_CHECK=1 MATURIN_PEP517_ARGS='--compatibility pypi'
"$scratch/build/bin/python" -m pip wheel -q --no-deps -w "$scratch/wheel" .
wheel=$(echo "$scratch"/wheel/*.whl)
printf '%s: %s bytes\n' "${wheel##*/}" "$(stat -c %s "$wheel")"

for version in "${sorted[@]}"; do
    python=$scratch/$version/bin/python
    "${pythons[$version]}" -m venv "$scratch/$version"
    "$python" -m pip install -q "$wheel" pytest hypothesis
    printf 'Python %s: ' "$version"
    "$python" -m pytest -q --doctest-modules tests --pyargs lop >"$scratch/log" || { cat "$scratch/log"; exit 1; }
    tail -n 1 "$scratch/log"
done

"$python" -m pip install -q mypy
"$python" -m mypy --cache-dir "$scratch/mypy" python/lop tests
