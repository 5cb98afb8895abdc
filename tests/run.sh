#!/usr/bin/env bash
# Runs all tests on a machine with Rust and a C compiler. What they need beyond that (node, bubblewrap, a browser, …) is
# installed first where it is missing and can be installed (Debian or Ubuntu, as root or by sudo without a password).
# What could not be tested is listed at the end with its reason; where CI is set, that is a fault. The ten slowest tests
# are listed as well. Arguments go to cargo test.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/build.sh
# Whatever it cannot install the tests say, one by one.
bash fixtures/setup.sh || true
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export LOP_NOT_TESTED=$scratch/not-tested
# Most tests wait for programs that they start: with a thread for each core, a third of the cores would be idle.
export RUST_TEST_THREADS=${RUST_TEST_THREADS:-$((2 * $(getconf _NPROCESSORS_ONLN)))}
code=0
if [ $# -gt 0 ]; then
    cargo test --release --workspace --locked "$@" || code=$?
else
    # The times of tests are told by an option that is not stable: only the test programs are told that it may be used.
    runner=CARGO_TARGET_$(rustc --print host-tuple | tr 'a-z-' 'A-Z_')_RUNNER
    env "$runner=env RUSTC_BOOTSTRAP=1" cargo test --release --workspace --locked --no-fail-fast --lib --bins --tests --examples -- \
        -Z unstable-options --report-time | tee "$scratch/log" || code=$?
    cargo test --release --workspace --locked --doc || code=$?
    printf '\nThe slowest tests, in seconds:\n'
    sed -nE 's/^test (.*) \.\.\. .*<([0-9.]+)s>$/\2 \1/p' "$scratch/log" | sort -rn | sed -n 1,10p
fi
if [ -s "$LOP_NOT_TESTED" ]; then
    printf '\nNot tested on this machine:\n'
    sed 's/^not tested:/ /' "$LOP_NOT_TESTED" | sort -u
    if [ "$code" -eq 0 ] && [ -n "${CI-}" ]; then
        echo 'In CI everything is tested.'
        code=1
    fi
fi
exit "$code"
