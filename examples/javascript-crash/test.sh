#!/bin/sh
# The interestingness test: exit 0 when input.js still overflows node's stack.
#
# An exit code would not do: every uncaught exception ends node with 1, and the first candidate with
# a mistake in it would pass. The message says which exception it is.
node input.js 2>errors >/dev/null
grep -q 'RangeError: Maximum call stack size exceeded' errors
