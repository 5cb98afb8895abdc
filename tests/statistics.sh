#!/usr/bin/env bash
# The tests that take their inputs, kills or orders by chance, with many times as many as in tests/run.sh. By hand: it
# takes an hour. Arguments are names of tests, or parts of them; LOP_TEST_EFFORT is how many times as many.
set -euo pipefail
cd "$(dirname "$0")/.."
export LOP_TEST_EFFORT=${LOP_TEST_EFFORT:-20}
[ $# -gt 0 ] || set -- any_input:: flaky:: gate:: lists:: late_and_reordered killed_at_any_instant hundreds_of_tests
cargo test --release --test it -- "$@"
