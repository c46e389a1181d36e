"""EMPA's rules: own cases by hand, and the reference cases where they are at hand."""

from __future__ import annotations

import json
import os
from itertools import pairwise
from math import sqrt
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym import credit
from agentgym.envs.emotional_support import rules
from agentgym.envs.emotional_support.rules import Levels

ITEMS = {"C.1": 1, "C.2": 0, "C.3": 2, "A.1": 3, "A.2": 1, "A.3": 0, "P.1": 0, "P.2": 2, "P.3": 1}
positions = st.tuples(*[st.integers(-40, 10)] * 3)


def test_the_first_position_is_the_weighted_sum_of_the_items() -> None:
    # C: 1·2 + 0·2 + 2·3 = 8; A: 3·2 + 1·4 + 0·3 = 10; P: 0·2 + 2·4 + 1·3 = 11.
    assert rules.deficit(ITEMS) == (-8, -10, -11)
    assert rules.deficit({}) == (0, 0, 0)
    assert rules.deficit(dict.fromkeys(rules.WEIGHTS, 3)) == (-21, -27, -27)  # 3·(2+2+3), 3·(2+4+3)


@pytest.mark.parametrize("items, says", [({"C.4": 1}, "C.4"), ({"C.1": 4}, "from 0 to 3"), ({"A.2": True}, "A.2")])
def test_bad_items_are_named(items: dict[str, int], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        rules.deficit(items)


@pytest.mark.parametrize(
    "levels, points",
    [
        (Levels(), (0, 0, 0)),
        (Levels(c_prog=1, a_prog=2, p_prog=1), (1, 3, 1)),
        (Levels(c_neg=-1, a_neg=-1, p_neg=-1), (-2, -2, -2)),
        (Levels(c_neg=-2, a_neg=-2, p_neg=-2), (-4, -5, -5)),
        (Levels(a_prog=2, a_neg=-1), (0, 1, 0)),  # both at once add up
    ],
)
def test_levels_become_points(levels: Levels, points: tuple[int, int, int]) -> None:
    assert rules.move(rules.checked(levels)) == points


@pytest.mark.parametrize("levels", [Levels(c_prog=3), Levels(a_neg=1), Levels(p_prog=-1), Levels(p_neg=-3)])
def test_levels_out_of_bounds_are_refused(levels: Levels) -> None:
    with pytest.raises(ValueError, match="whole number"):
        rules.checked(levels)


def test_energy_is_the_part_along_the_way_to_zero() -> None:
    # u = (3, 4, 0)/5 from (−3, −4, 0). The move (1, 1, 1) gains 7/5; P = (−2, −3, 1), P·u = −18/5, ‖P‖ = √14.
    here = rules.energy((-3, -4, 0), (-3, -4, 0), (-2, -3, 1))
    assert here == pytest.approx((1.4, 1.4, sqrt(14), -3.6))
    assert rules.energy((0, 0, 0), (0, 0, 0), (1, 0, 0)) == (0.0, 0.0, 1.0, 0.0)


@given(st.lists(st.tuples(*[st.integers(-5, 3)] * 3), min_size=1, max_size=8), positions)
def test_energy_does_not_depend_on_the_path(moves: list[Any], start: Any) -> None:
    position, total = start, 0.0
    for step in moves:
        after = rules.moved(position, step)
        total += rules.energy(start, position, after).gain
        position = after
    assert rules.energy(start, start, position).total == pytest.approx(total, abs=1e-9)


def test_winning_takes_time_energy_and_place() -> None:
    start = (-6, -8, 0)  # ‖P₀‖ = 10, u = (0.6, 0.8, 0), tolerance 0.5
    assert rules.won(start, (0, 0, 0), 12) == "geometric"
    assert rules.won(start, (0, 0, 0), 11) == ""
    assert rules.won(start, (0, 0, 0), 3, min_turns=3) == "geometric"
    assert rules.won(start, (4, 0, 0), 12) == "positional"  # far from 0, but beyond the plane: 4 · 0.6 ≥ −0.5
    assert rules.won(start, (4, -3, 0), 12) == "positional"  # 2.4 − 2.4 = 0: all the energy, to the digit
    assert rules.won(start, (0, -1, 0), 12) == ""  # −0.8: neither the place nor the energy (9.2 of 10)
    assert rules.won((-60, -80, 0), (0, -1, 0), 12) == ""  # within the tolerance of 5, but 99.2 of 100 energy


def test_losing_by_five_worse_turns() -> None:
    start = (-6, -8, 0)
    trail = [(-6, -8 - n, 0) for n in range(6)]
    assert rules.lost(start, trail, 12) == "collapse"
    assert rules.lost(start, trail, 11) == ""
    assert rules.lost(start, trail, 5, min_turns=5) == "collapse"
    assert rules.lost(start, trail[1:], 12) == ""  # four worse turns
    assert rules.lost(start, [*trail[:3], (-6, -7, 0), *trail[4:]], 12) == ""  # one of them helped
    assert rules.lost(start, [(-6, -8, -n) for n in range(6)], 12) == ""  # worse across the way, which is no energy


def test_losing_by_standing_still_while_worsening() -> None:
    # u = (0, 1, 0). Gains −1 ×3, 0, −2, +1 … : see each case.
    start = (0, -10, 0)
    worse = [-10, -11, -12, -13, -14, -14, -15, -15.5, -16]  # seven of eight worsened, by 6 in all
    still = [(0, y, 0) for y in worse]
    assert rules.lost(start, still, 12) == ""  # the last five norms 14 … 16 spread by 0.89
    slow = [(0, y, 0) for y in (-10, -11, -11.2, -11.4, -11.4, -11.5, -11.6, -11.7, -11.8)]
    # last five norms 11.4 … 11.8: 0.16; seven of eight worsened, by 1.8; the last five gains are all negative? No:
    # the fourth is 0, the last four are −0.1, so there is no collapse.
    assert rules.lost(start, slow, 12) == "stagnation"
    assert rules.lost(start, slow[1:], 12) == ""  # seven gains are no eight
    little = [(0, -10 - n / 10, 0) for n in (0, 1, 2, 3, 3, 4, 5, 6, 7)]  # lost 0.7 in all
    assert rules.lost(start, little, 12) == ""


@given(positions, st.sampled_from([1.0, 2.0, 3.0]))
def test_distance_is_mica_s(position: Any, eps: float) -> None:
    assert rules.distance(position, eps) == pytest.approx(credit.zone_distance([position], eps=eps)[0], abs=1e-12)


def test_distance_by_hand() -> None:
    assert rules.distance((-4, -5, 7)) == 5.0  # (3, 4, 0) beyond the zone
    assert rules.distance((-1, 0, 3)) == 0.0
    assert rules.distance((-4, -5, 7), eps=2.0) == pytest.approx(sqrt(13))


def test_shaped_by_hand() -> None:
    # Φ(−6, −8, 0) = 9/19, Φ(0, 0, 0) = 1.
    assert rules.shaped((-6, -8, 0), (0, 0, 0)) == pytest.approx(0.99 - 9 / 19)


# ---- reference cases -------------------------------------------------------------------------------------------------


def _oracle(name: str) -> dict[str, Any]:
    folder = os.environ.get("AGENTGYM_REFERENCE")
    if not folder:
        pytest.skip("AGENTGYM_REFERENCE is not set: the reference cases are not part of the repository")
    found = json.loads((Path(folder) / "oracles" / "estimators-b.json").read_text("utf-8"))["oracles"]
    return next(case for case in found if case["id"] == name)


def test_reference_deficit_and_energy() -> None:
    case = _oracle("empa.iedr_epm")
    start = rules.deficit(case["inputs"]["filled_iedr"])
    wanted = case["expected"]["epm"]
    assert list(start) == case["expected"]["P0"]
    assert case["params"]["alpha"] == rules.TOLERANCE
    needed = rules.norm(start)
    assert needed == pytest.approx(wanted["P0_norm"], abs=1e-6) == wanted["eps_energy"]
    for name in ("eps_distance", "eps_direction"):
        assert rules.TOLERANCE * needed == pytest.approx(wanted[name], abs=1e-6)
    position = start
    for step, expected in zip(case["inputs"]["increments"], wanted["steps"], strict=True):
        before, position = position, rules.moved(position, tuple(step))
        here = rules.energy(start, before, position)
        assert list(position) == expected["P"]
        given_ = [expected[name] for name in ("delta_E", "E_total", "P_norm", "projection")]
        assert list(here) == pytest.approx(given_, abs=1e-6)


def test_reference_potential_form() -> None:
    case = _oracle("mica.potential_variant")
    group = case["inputs"]["positions"]
    made = [
        [rules.shaped(before, after, **case["params"]) for before, after in pairwise(trajectory)]
        for trajectory in group
    ]
    wanted = case["expected"]["reward"]
    assert [value for row in made for value in row] == pytest.approx([v for row in wanted for v in row], abs=1e-6)


@pytest.mark.parametrize("name", ["mica.mixed.pop_g085", "mica.mixed.ddof1_g085"])
def test_reference_positions_and_distances(name: str) -> None:
    case = _oracle(name)
    for group, start in case["inputs"]["P0"].items():
        for number, steps in enumerate(case["inputs"]["increments"][group]):
            path = [tuple(start)]
            for step in steps:
                path.append(rules.moved(path[-1], tuple(step)))  # type: ignore[arg-type]
            assert [list(p) for p in path] == case["expected"]["positions"][group][number]
            far = [rules.distance(p, case["params"]["zone_eps"]) for p in path]
            assert far == pytest.approx(case["expected"]["distance"][group][number], abs=1e-6)
            gains = [before - after for before, after in pairwise(far)]
            assert gains == pytest.approx(case["expected"]["idr"][group][number], abs=1e-6)
