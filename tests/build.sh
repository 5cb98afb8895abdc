# How everything that is tested is built, for scripts to source: once, as it is installed, with the checks of a debug
# build. Without what only helps to build again or to debug.
export CARGO_INCREMENTAL=0 CARGO_PROFILE_RELEASE_DEBUG=0
export CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS=true CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS=true
