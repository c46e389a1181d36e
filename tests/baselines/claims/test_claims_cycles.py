import pytest

from agentgym.baselines.claims.cycles import FARM, against_solving, earned, measure, share_that_pays


@pytest.mark.parametrize(
    "inside, pay",
    # 1.0 → 0.5 stays High, 0.5 → 0.49 falls by 0.01, 0.49 → 1.0 climbs by 0.51.
    [("matrix", 0.0 - 1.5 * 0.01 + 0.51), ("signed", -0.5 - 1.5 * 0.01 + 0.51)],
)
def test_what_a_round_of_the_farm_earns(inside, pay):
    assert earned([1.0, *FARM], inside) == pytest.approx(pay)


@pytest.mark.parametrize("inside", ["matrix", "signed"])
def test_a_cycle_of_two_moves_costs(inside):
    # Up by 0.6 pays 0.6, down by 0.6 costs 0.9.
    assert earned([0.3, 0.9, 0.3], inside) == pytest.approx(-0.3)


def test_farming_beats_solving_until_moves_inside_a_level_are_charged():
    # Solving earns 1, solving and then farming 1 + 20·0.495, or 1 - 20·0.005: two rollouts, so -1 and +1.
    assert against_solving(20, "matrix") == pytest.approx((-1.0, 1.0), abs=1e-6)
    assert against_solving(20, "signed") == pytest.approx((1.0, -1.0), abs=1e-4)


def test_some_random_cycles_pay_and_none_where_levels_charge():
    # With "signed" a cycle sums to -0.5·Σ|falls across τ|, never above 0.
    assert share_that_pays(0, 200, "signed") == 0.0
    assert 0.02 < share_that_pays(0, 200, "matrix") < 0.5
    assert share_that_pays(0, 200, "matrix") == share_that_pays(0, 200, "matrix")


def test_the_rows():
    rows = {row["label"]: row for row in measure(seeds=3, cycles=50, rounds=2)}
    assert len(rows) == 8
    exact = rows["one round of the farm, inside=matrix"]
    assert exact["low"] == exact["value"] == exact["high"] == pytest.approx(0.495)
    drawn = rows["share of random cycles that pay, inside=matrix"]
    assert drawn["low"] < drawn["value"] < drawn["high"]
