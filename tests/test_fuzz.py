"""Thousands of mixed actions in every world: no exception, no number that is not finite, nothing printed."""

from __future__ import annotations

import hashlib
import math
import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from golden_chains import makers
from hostile import HOSTILE, choose

from agentgym import TurnRng, validate_info

FEW = 5_000
MANY = int(os.environ.get("AGENTGYM_FUZZ_ACTIONS", "1000000"))
WORLDS = makers()
ROOT = Path(__file__).parent.parent


def shipped_data() -> dict[str, str]:
    """Return the hash of every data file that ships with a world."""
    files = [file for file in sorted((ROOT / "envs").glob("*/data/**/*")) if file.is_file()]
    return {str(file): hashlib.blake2b(file.read_bytes()).hexdigest() for file in files}


@pytest.fixture(scope="module", autouse=True)
def _data_stays() -> Iterator[None]:
    before = shipped_data()
    assert len(before) > 10
    yield
    assert shipped_data() == before


def fuzz(name: str, actions: int) -> Counter[str]:
    """Play so many actions, checking what each returns; return how often which kind of turn came."""
    make, good = WORLDS[name]
    rng = TurnRng(0, stream=f"fuzz {name}")
    kinds: Counter[str] = Counter()
    played = seed = 0
    while played < actions:
        env = make(seed)
        observation, info = env.reset(seed=seed)
        where = f"{name}, seed {seed}"
        validate_info(info, where)
        while not info["end_reason"] and played < actions:
            action = choose(env, good, rng)
            before, start = info["state_hash"], time.process_time()
            observation, reward, terminated, truncated, info = env.step(action)
            seconds = time.process_time() - start
            where = f"{name}, seed {seed}, turn {info['turn']}, action {action!r:.100}"
            validate_info(info, where)
            # a second a step; the planner behind BabyAI's signals may think longer in wrecked boss levels
            assert seconds < (5 if "expert" in env.signals else 1), where
            assert type(reward) is float, where
            assert math.isfinite(reward), where
            assert observation in env.observation_space, where
            assert not (terminated and truncated), where
            assert (terminated or truncated) is bool(info["end_reason"]), where
            assert info["valid"] or info["state_hash"] == before, where
            kinds[info["kind"]] += 1
            played += 1
        env.restore(env.snapshot().to_bytes())
        seed += 1
    return kinds


@pytest.mark.parametrize("name", WORLDS)
def test_a_few_thousand_actions(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    kinds = fuzz(name, FEW)
    # 40 % of the actions are valid by the grammar, 10 % are random and 20 % hostile: both sides must have been played
    assert kinds["invalid"] > FEW / 20
    assert kinds.total() - kinds["invalid"] > FEW / 4
    assert capsys.readouterr() == ("", "")


@pytest.mark.fuzz
@pytest.mark.parametrize("name", WORLDS)
def test_very_many_actions(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    fuzz(name, MANY)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("name", WORLDS)
def test_every_hostile_action_as_the_first_one(name: str) -> None:
    make, _ = WORLDS[name]
    for action in HOSTILE:
        env = make(0)
        env.reset(seed=0)
        observation, *_, info = env.step(action)
        validate_info(info, repr(action)[:80])
        assert observation in env.observation_space
        env.restore(env.snapshot().to_bytes())
