"""The circuit breaker by itself, with a clock of the test."""

from hypothesis import given
from hypothesis import strategies as st

from models.breaker import Breaker
from tests.models.setting import Clock


def breaker() -> tuple[Breaker, Clock]:
    clock = Clock()
    return Breaker("m", failures=3, open_s=30, clock=clock), clock


def fail(given: Breaker, times: int) -> None:
    for _ in range(times):
        assert given.admit()
        given.failed()


def test_it_opens_after_three_failures_in_a_row_and_not_before() -> None:
    tested, _ = breaker()
    fail(tested, 2)
    tested.succeeded()
    fail(tested, 3)
    assert tested.state == "open"
    assert not tested.admit()


def test_one_call_at_a_time_finds_out_whether_the_model_is_back() -> None:
    tested, clock = breaker()
    fail(tested, 3)
    clock.now += 30
    assert tested.admit()
    assert not tested.admit()
    tested.failed()
    assert tested.state == "open"
    clock.now += 29
    assert not tested.admit()
    clock.now += 1
    assert tested.admit()
    tested.succeeded()
    assert tested.admit()
    assert tested.admit()


def test_a_probe_that_was_cancelled_makes_room_for_another() -> None:
    tested, clock = breaker()
    fail(tested, 3)
    clock.now += 30
    assert tested.admit()
    tested.released()
    assert tested.admit()


@given(st.lists(st.sampled_from(["failed", "succeeded", "released", "wait"])))
def test_it_is_never_stuck(steps: list[str]) -> None:
    tested, clock = breaker()
    for step in steps:
        if step == "wait":
            clock.now += 10
        elif tested.admit():
            getattr(tested, step)()
    clock.now += 31
    assert tested.admit()
