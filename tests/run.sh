#!/usr/bin/env bash
# Runs all tests on a machine with Rust and a C compiler. What the fixtures need beyond that (sdcc, node, …) is
# installed first where it is missing and can be installed (Debian or Ubuntu, as root); without it those cases say so.
# Arguments go to cargo test.
set -euo pipefail
cd "$(dirname "$0")/.."
bash fixtures/setup.sh
cargo test "$@"
