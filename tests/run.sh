#!/usr/bin/env bash
# Runs all tests on a machine with Rust and a C compiler. What they need beyond that (node, bubblewrap, a browser, …) is
# installed first where it is missing and can be installed (Debian or Ubuntu, as root or by sudo without a password).
# What could not be tested is listed at the end with its reason; where CI is set, that is a fault.
# Arguments go to cargo test.
set -euo pipefail
cd "$(dirname "$0")/.."
# Whatever it cannot install the tests say, one by one.
bash fixtures/setup.sh || true
LOP_NOT_TESTED=$(mktemp)
export LOP_NOT_TESTED
trap 'rm -f "$LOP_NOT_TESTED"' EXIT
# Most tests wait for programs that they start: with a thread for each core, a third of the cores would be idle.
export RUST_TEST_THREADS=${RUST_TEST_THREADS:-$((2 * $(getconf _NPROCESSORS_ONLN)))}
code=0
cargo test "$@" || code=$?
if [ -s "$LOP_NOT_TESTED" ]; then
    printf '\nNot tested on this machine:\n'
    sed 's/^not tested:/ /' "$LOP_NOT_TESTED" | sort -u
    if [ "$code" -eq 0 ] && [ -n "${CI-}" ]; then
        echo 'In CI everything is tested.'
        code=1
    fi
fi
exit "$code"
