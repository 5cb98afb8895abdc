"""Events, exceptions, signals and threads."""

from __future__ import annotations

import os
import signal
import sys
import threading
from types import FrameType
from typing import Any, NoReturn, Optional

import pytest

import lop

LINES = "\n".join(f"line {number}" for number in range(200))


class Odd(Exception):
    """An exception that no other code raises."""


def test_events_come_in_order_in_the_callers_thread() -> None:
    events: list[lop.Event[str]] = []
    threads: set[int] = set()

    def on_event(event: lop.Event[str]) -> None:
        events.append(event)
        threads.add(threading.get_ident())

    for jobs in [1, 2]:
        events.clear()
        result = lop.reduce(LINES, lambda text: "7" in text, jobs=jobs, on_event=on_event)
        assert threads == {threading.get_ident()}
        kinds = [event.kind for event in events if event.kind != "note"]
        assert (kinds[0], kinds[-1], set(kinds[1:-1])) == ("started", "finished", {"accepted"})
        assert events[0] == lop.Event("started", result.before, 0, None, None)
        assert events[-1] == lop.Event("finished", result.after, result.tests, result.best, None)
        sizes = [event.size.tokens for event in events]
        assert sizes == sorted(sizes, reverse=True)
        tests = [event.tests for event in events]
        assert tests == sorted(tests)


def test_one_job_runs_in_the_callers_thread_and_more_run_in_others() -> None:
    for jobs in [1, 2]:
        threads: set[int] = set()

        def test(text: str) -> bool:
            threads.add(threading.get_ident())
            return "7" in text

        lop.reduce(LINES, test, jobs=jobs)
        assert (threads == {threading.get_ident()}) == (jobs == 1)


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_exception_of_the_test_comes_through_with_the_result_so_far(jobs: int) -> None:
    odd = Odd("from the test")
    calls = 0

    def test(text: str) -> bool:
        nonlocal calls
        calls += 1
        if calls == 9:
            raise odd
        assert calls < 9 or jobs > 1, "no call after an exception"
        return "7" in text

    with pytest.raises(Odd) as raised:
        lop.reduce(LINES, test, jobs=jobs)
    assert raised.value is odd
    result: lop.Result[str] = odd.lop_result  # type: ignore[attr-defined]
    assert result.ended == "cancelled"
    assert "7" in result.best
    assert len(result.best) < len(LINES)
    if sys.version_info >= (3, 11):
        assert any("lop_result" in note for note in odd.__notes__)


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_exception_on_the_input_has_no_result(jobs: int) -> None:
    def test(text: str) -> NoReturn:
        raise Odd

    with pytest.raises(Odd) as raised:
        lop.reduce(LINES, test, jobs=jobs)
    assert not hasattr(raised.value, "lop_result")


def test_an_exception_of_on_event_comes_through() -> None:
    def on_event(event: lop.Event[str]) -> None:
        if event.kind == "accepted":
            raise Odd

    with pytest.raises(Odd) as raised:
        lop.reduce(LINES, lambda text: "7" in text, on_event=on_event)
    assert "7" in raised.value.lop_result.best  # type: ignore[attr-defined]


def test_an_exception_without_attributes_comes_through() -> None:
    class Closed(Exception):
        def __setattr__(self, name: str, value: Any) -> NoReturn:
            raise AttributeError(name)

    calls = 0

    def test(text: str) -> bool:
        nonlocal calls
        calls += 1
        if calls == 9:
            raise Closed
        return "7" in text

    with pytest.raises(Closed):
        lop.reduce(LINES, test)


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_ends_a_reduction(jobs: int) -> None:
    accepted, stopped = threading.Event(), threading.Event()

    def on_event(event: lop.Event[str]) -> None:
        if event.kind == "accepted":
            accepted.set()

    def test(text: str) -> bool:
        if accepted.is_set():
            # Only Ctrl-C ends this. With several jobs the caller's thread handles it while this one waits.
            stopped.wait()
        return "7" in text and len(text) > 4

    def interrupt() -> None:
        accepted.wait()
        os.kill(os.getpid(), signal.SIGINT)

    def handler(number: int, frame: Optional[FrameType]) -> None:
        stopped.set()
        signal.default_int_handler(number, frame)

    before = signal.signal(signal.SIGINT, handler)
    helper = threading.Thread(target=interrupt)
    helper.start()
    try:
        with pytest.raises(KeyboardInterrupt) as raised:
            lop.reduce(LINES, test, jobs=jobs, on_event=on_event)
    finally:
        helper.join()
        signal.signal(signal.SIGINT, before)
    assert "7" in raised.value.lop_result.best  # type: ignore[attr-defined]


def test_other_threads_run_during_a_reduction() -> None:
    # Two reductions, each of which only continues when the other one has called its test.
    turns = [threading.Semaphore(1), threading.Semaphore(0)]
    done = [False, False]
    results: list[Any] = [None, None]

    def run(own: int) -> None:
        other = 1 - own

        def test(text: str) -> bool:
            if not done[other]:
                turns[own].acquire()
                turns[other].release()
            return "7" in text

        results[own] = lop.reduce(LINES, test).best
        done[own] = True
        turns[other].release()

    threads = [threading.Thread(target=run, args=(own,)) for own in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == ["7", "7"]


def test_a_test_can_reduce() -> None:
    def test(text: str) -> bool:
        return "7" in text and lop.reduce(text, lambda inner: "7" in inner).best == "7"

    assert lop.reduce("1 7 3", test).best == "7"
