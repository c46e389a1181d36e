"""Clocks and generators that the checker puts around a world, and what it takes a state to hold."""

from __future__ import annotations

import datetime
import random
import time
from dataclasses import dataclass
from datetime import datetime as imported
from enum import Enum
from functools import cached_property
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import pytest
from worlds import STOCK, Counter, Guest, Mood, Shop

from agentgym import AgentEnv, Table, TurnRng
from agentgym.check.surroundings import AHEAD, START, TICK, surroundings
from agentgym.check.values import Told, apart, hooks, rebuilt, result, tables, value


class Here(Counter):
    """A world of this module, whose names are replaced with it."""


def test_every_clock_tells_the_same_time_and_passes_by_being_read() -> None:
    with surroundings(Here):
        # one reading after another, TICK apart from START on
        assert [time.time(), time.monotonic(), time.perf_counter()] == pytest.approx(
            [START + n * TICK for n in (1, 2, 3)]
        )
        assert time.time_ns() == pytest.approx((START + 4 * TICK) * 1e9)
        assert time.gmtime().tm_year == time.localtime().tm_year == 2023
        assert time.strftime("%Y") == "2023" and "2023" in time.ctime() and "2023" in time.asctime()
        assert datetime.date.today().year == datetime.datetime.utcnow().year == 2023  # noqa: DTZ003, DTZ011
        assert datetime.datetime.now(datetime.UTC).tzinfo is datetime.UTC
        assert datetime.datetime.today().year == 2023  # noqa: DTZ002
        # given times are left as they are: 86,400 seconds after 1970 it is 2 January
        assert time.gmtime(86_400).tm_mday == 2 and time.strftime("%d", time.gmtime(86_400)) == "02"
        assert isinstance(datetime.datetime.fromtimestamp(0, datetime.UTC), imported)


def test_names_imported_from_a_clock_are_replaced_in_the_worlds_own_modules() -> None:
    real = imported
    with surroundings(Here):
        assert imported.now().year == 2023  # noqa: DTZ005
        assert isinstance(real(2020, 1, 1), imported)
    assert imported is real is datetime.datetime


def test_a_good_year_later_every_part_of_a_date_differs() -> None:
    with surroundings(Here):
        now = time.gmtime()
    with surroundings(Here, ahead=AHEAD):
        later = time.gmtime()
    assert all(getattr(now, f"tm_{part}") != getattr(later, f"tm_{part}") for part in ("year", "mon", "mday", "hour"))
    assert (now.tm_wday, now.tm_min, now.tm_sec) != (later.tm_wday, later.tm_min, later.tm_sec)


def _draw_and_fail() -> None:
    random.random()
    np.random.random()  # noqa: NPY002
    1 / 0


def test_everything_is_put_back_also_after_an_error() -> None:
    random.seed(3)
    np.random.seed(3)  # noqa: NPY002
    before = (time.time, datetime.date, random.getstate(), np.random.get_state()[1].tolist())  # noqa: NPY002
    with pytest.raises(ZeroDivisionError), surroundings(Here):
        _draw_and_fail()
    after = (time.time, datetime.date, random.getstate(), np.random.get_state()[1].tolist())  # noqa: NPY002
    assert before == after
    assert time.time() > START + 86_400  # the real one, which is past 2023


def test_the_generator_that_was_moved_is_named() -> None:
    with surroundings(Here) as around:
        assert around.touched() == ""
        np.random.default_rng(0).random()  # one's own is nobody's business
        assert around.touched() == ""
        np.random.random()  # noqa: NPY002
        assert around.touched() == "numpy.random"
        random.random()
        assert around.touched() == "random"
    with surroundings(Here, generators=1):
        one = random.random(), np.random.random()  # noqa: NPY002
    with surroundings(Here, generators=1):
        assert one == (random.random(), np.random.random())  # noqa: NPY002
    with surroundings(Here, generators=2):
        assert one != (random.random(), np.random.random())  # noqa: NPY002


class Point(NamedTuple):
    x: Any
    y: Any


@dataclass
class Held:
    items: Any
    more: Any = None


class Plain:
    def __init__(self, part: Any) -> None:
        self.part = part

    @cached_property
    def derived(self) -> int:
        return 1


class Slotted:
    __slots__ = ("one", "two")

    def __init__(self, one: Any) -> None:
        self.one = one


class Colour(Enum):
    RED = 1


def test_values_compare_by_content_and_type_and_are_not_reached_by_changes() -> None:
    held = Held({"a": [1, {2}]}, np.arange(2))
    before = value(held)
    assert before == value(Held({"a": [1, {2}]}, np.arange(2)))
    held.items["a"][1].add(3)
    assert value(held) != before
    distinct = [
        1,
        True,
        1.0,
        "1",
        b"1",
        (1,),
        [1],
        {1},
        frozenset({1}),
        {1: 1},
        Point(1, 1),
        Colour.RED,
        None,
        Plain(1),
    ]
    assert len({value(part) for part in distinct}) == len(distinct)
    assert value({"a": 1, "b": 2}) != value({"b": 2, "a": 1})
    assert value(np.zeros(2)) != value(np.zeros(2, np.float32))
    plain = Plain([1])
    before = value(plain)
    assert plain.derived == 1 and value(plain) == before  # what is computed from the rest is no change
    plain.part.append(2)
    assert value(plain) != before
    assert value(Slotted([1])) == value(Slotted([1])) != value(Slotted([2]))
    assert value(object()) == value(object())  # nothing is known of it, least of all where it lies
    assert value(range(3)) != value(range(4))
    assert value(len) == value(len) and value(Held) == value(Held)
    assert value(Table({"a": 1})) == value(Table({"a": 1})) != value(Table({"a": 2}))


def test_rebuilt_shares_nothing_that_changes_and_can_turn_dicts() -> None:
    held = Held({"a": [1], "b": Point([2], {3})}, (Guest(Mood.ANGRY), STOCK))
    copied = rebuilt(held)
    assert value(copied) == value(held)
    copied.items["a"].append(2)
    copied.items["b"].x.append(2)
    copied.items["b"].y.add(2)
    assert held == Held({"a": [1], "b": Point([2], {3})}, (Guest(Mood.ANGRY), STOCK))
    assert list(rebuilt({"a": {"x": 1, "y": 2}, "b": 1}, turned=True)) == ["b", "a"]
    assert list(rebuilt({"a": {"x": 1, "y": 2}, "b": 1}, turned=True)["a"]) == ["y", "x"]
    lock = Lock()
    assert rebuilt([lock])[0] is lock  # cannot be copied


def test_tables_are_found_wherever_they_stand() -> None:
    state = Held({"k": [STOCK]}, (Held(STOCK), 1))
    assert [place for place, _ in tables(state)] == ["state.items['k'][0]", "state.more[0].items"]


def test_results_hooks_and_their_first_difference() -> None:
    env = Counter()
    seen, after = result(env, (0, 2), "up", TurnRng(0, 0, 0))
    assert after == (1, 2)
    assert seen == {
        "valid": True, "observation": Told("At 1."), "rewards": Told({"progress": 1}), "step_score": Told(0.5),
    }  # fmt: skip
    refused, same = result(env, (0, 2), "jump", TurnRng(0, 0, 0))
    assert not refused["valid"] and same == (0, 2)
    assert apart(seen, seen) == ""
    assert apart(seen, refused) == "valid is True against False"
    assert apart({"a": Told("x")}, {}) == "the a is 'x' against None"
    assert hooks(env, (0, 2)) == {
        "potential": Told(-2), "describe": Told("You are at 0 and want 2."), "menu": Told(["up", "down", "stay"]),
        "expert": Told("up"), "secrets": Told({"goal": 2}),
    }  # fmt: skip
    assert hooks(Shop(), None) == {}


def test_what_a_world_raises_is_a_result_too() -> None:
    class Faulty(Counter):
        def transition(self, state: Any, action: Any, rng: TurnRng) -> Any:
            raise OSError("no such file")

        def expert(self, state: Any) -> str:
            raise LookupError("lost")

    env: AgentEnv[Any] = Faulty()
    assert result(env, (0, 2), "up", TurnRng(0, 0, 0)) == ({"raised": "OSError: no such file"}, None)
    assert hooks(env, (0, 2))["expert"] == "raised LookupError: lost"
