"""Every claim is decided by its rows: made-up rows with a known verdict, and the words that follow."""

import pytest

from agentgym.baselines.claims import bandit, hashes, hierarchy, horizons, prefixes
from agentgym.baselines.claims.registry import CLAIMS
from agentgym.baselines.claims.systems import SYSTEMS
from agentgym.baselines.claims.verdicts import WORDS


def spread(value, half=0.1):
    return {"value": value, "low": value - half, "high": value + half}


@pytest.mark.parametrize("biased, mended, word", [(0.0, 0.25, "shown"), (0.25, 0.25, "not told apart")])
def test_the_bandit(biased, mended, word):
    rows = [{"label": "mt_grpo", **spread(biased, 0.01)}, {"label": "mt_grpo_unbiased", **spread(mended, 0.01)}]
    found, figures = bandit.decide(rows)
    assert found == word and f"mt_grpo_unbiased {mended:.3f} (" in figures


@pytest.mark.parametrize("value, word", [(0.3, "shown"), (0.0, "not told apart"), (-0.3, "refuted")])
def test_horizons_are_decided_where_the_episode_pays_most(value, word):
    rows = [
        {"scale": scale, "what": what, "estimator": "hian", "difference": spread(value if scale == 100.0 else 0.5)}
        for scale in (1.0, 10.0, 100.0)
        for what in ("polite", "success")
    ]
    found, figures = horizons.decide(rows)
    assert found == word and "+0.50 (+0.40 to +0.60) at 10×" in figures


@pytest.mark.parametrize("clean, word", [(0.3, "shown"), (-0.3, "refuted"), (0.05, "not told apart")])
def test_names_are_decided_on_clean_ones(clean, word):
    rows = [
        {
            "policy": "all", "naming": naming, "estimator": "gagpo", "aliasing": 0.25, "singletons": 0.5,
            "minus_gigpo": spread(clean if naming == "clean" else 0.9),
        }
        for naming in ("clean", "merged")
    ]  # fmt: skip
    found, figures = hashes.decide(rows, "gagpo", "gigpo")
    assert found == word and "(aliased 25%, alone 50%)" in figures


@pytest.mark.parametrize(
    "exact, rough, word", [(0.5, 0.6, "shown"), (0.5, 1.0, "not told apart"), (1.3, 1.4, "refuted")]
)
def test_hierarchy_is_decided_with_values(exact, rough, word):
    about = {name: {"signal": spread(1.0)} for name in ("hae", "gae")}
    rows = [
        {"values": values, **about, **spread(ratio)}
        for values, ratio in (("exact", exact), ("rough", rough), ("none", 9))
    ]
    assert hierarchy.decide(rows)[0] == word


@pytest.mark.parametrize("factor, word", [(1.0, "shown"), (2.0, "refuted"), (0.2, "refuted")])
def test_prefixes_are_decided_by_the_ratio_to_the_horizon(factor, word):
    rows = [
        {"later": later, "horizon": t, **spread(factor * t), "agreement": {"prefixes": spread(-0.8)}}
        for later in (0.0, -2.0)
        for t in (1, 2, 4)
    ]
    found, figures = prefixes.decide(rows)
    assert found == word and "-0.80" in figures


@pytest.mark.parametrize("system", [system for system in SYSTEMS if system.by], ids=lambda system: system.estimator)
def test_every_system_is_decided_by_a_claim_that_there_is(system):
    claim = CLAIMS[system.by]
    assert claim.title and claim.setting.endswith(".")
    if system.by not in ("prefixes", "names"):
        word, figures = claim.decide(claim.measure(**claim.quick), system.estimator, system.against)
        assert word in WORDS and figures
