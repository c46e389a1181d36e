"""Every registered estimator trains a small model, with the right ids in the loss: one update, and slowly two."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import every_world
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the trainer needs torch: pip install 'agentgym-suite[train]'")

from agentgym import credit  # noqa: E402
from agentgym.baselines.grpo import data, spans  # noqa: E402
from agentgym.baselines.grpo.prepare import prepare  # noqa: E402
from agentgym.baselines.grpo.train import Trainer  # noqa: E402
from agentgym.baselines.grpo.warmstart import imitate  # noqa: E402
from agentgym.baselines.switching import split  # noqa: E402
from agentgym.batch import TurnBatch  # noqa: E402

NEEDS_SCIPY = {"apex_plan"}


@dataclass
class Warm:
    words: tuple[str, ...]
    weights: dict[str, Any]


@pytest.fixture(scope="module")
def warm() -> Warm:
    """One warm start for all: about half of its rollouts succeed, and some replies switch to a subgoal."""
    config = every_world.config()
    parts = prepare(config)
    imitate(parts, config)
    tokens: Any = parts.tokens
    return Warm(tokens.words, {name: value.clone() for name, value in parts.model.state_dict().items()})


@dataclass
class Seen:
    """What an update gave the loss."""

    batch: TurnBatch
    credit: credit.Credit
    scripts: Any
    rows: data.Sequences


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[Seen]:
    found: list[Seen] = []
    real = data.sequences

    def watched(batch: TurnBatch, made: credit.Credit, scripts: Any, *given: Any, **more: Any) -> data.Sequences:
        rows = real(batch, made, scripts, *given, **more)
        found.append(Seen(batch, made, scripts, rows))
        return rows

    monkeypatch.setattr(data, "sequences", watched)
    return found


def trainer_of(name: str, warm: Warm, folder: Path, **changes: Any) -> Trainer:
    config = every_world.config(estimator=name, warm_episodes=0, **changes)
    parts = prepare(config, warm.words)
    parts.model.load_state_dict(warm.weights)
    begun = Trainer(parts, config, folder)
    begun.begin()
    return begun


LEARNS = {"rtt", "traces"}  # what these read is learned from the updates before


@pytest.mark.parametrize(
    ("name", "updates"),
    [pytest.param(name, 1, id=name) for name in credit.names() if name not in LEARNS]
    + [
        pytest.param(name, 2, id=f"{name}, twice", marks=[] if name in LEARNS else pytest.mark.slow)
        for name in credit.names()
    ],
)
def test_it_trains_on_the_ids_that_it_credits(
    name: str, updates: int, warm: Warm, seen: list[Seen], tmp_path: Path
) -> None:
    if name in NEEDS_SCIPY:
        pytest.importorskip("scipy")
    begun = trainer_of(name, warm, tmp_path)
    before = [weights.clone() for weights in begun.parts.model.parameters()]
    records = [begun.update() for _ in range(updates)]
    learned = [record for record in records if "loss" in record]
    assert learned, "no rollout had a credit other than 0"
    assert all(math.isfinite(record["loss"]) and math.isfinite(record["grad_norm"]) for record in learned)
    assert begun.skipped == 0
    assert any(not torch.equal(one, two) for one, two in zip(before, begun.parts.model.parameters(), strict=True))
    assert len(seen) == updates
    for each in seen:
        check_ids(name, begun.parts.tokens, each)
        own_likelihood(name, each)
    if name == "hae":
        assert any(split(action).switch for each in seen for action in each.batch.action)
    if name == "rtt":  # a rubric is about some tokens of a turn more than about others
        assert any(np.ptp(row) > 1e-6 for row in seen[-1].credit.tokens)


def check_ids(name: str, tokens: Any, seen: Seen) -> None:
    """Compare mask and advantage of every id with what the estimator's values say, rollout by rollout."""
    batch, rows = seen.batch, seen.rows
    assert sum(map(len, rows.ids)) > int(np.asarray(batch.tokens).sum())
    for number, (begin, turns) in enumerate(zip(batch.starts.tolist(), batch.lengths.tolist(), strict=True)):
        mine = batch.order[begin : begin + turns].tolist()
        script = seen.scripts[batch.trajectory[mine[0]]]
        mask, advantage = np.zeros(len(script.ids)), np.zeros(len(script.ids))
        for row, (first, end) in zip(mine, script.spans, strict=True):
            counts, values = EXPECTED.get(name, whole_turn)(seen, row, tokens)
            mask[first:end], advantage[first:end] = counts, np.where(counts, values, 0.0)
        assert rows.mask[number] == mask.tolist()
        assert rows.advantage[number] == pytest.approx(advantage.tolist(), abs=1e-12)


def whole_turn(seen: Seen, row: int, tokens: Any) -> tuple[Any, Any]:
    """Every id of the turn counts and has the turn's advantage, or its own where the estimator tells tokens apart."""
    count, apart = int(seen.batch.tokens[row]), seen.credit.tokens
    return np.ones(count, dtype=bool), np.full(count, seen.credit.total[row]) if apart is None else apart[row]


def plan_turns(seen: Seen, row: int, tokens: Any) -> tuple[Any, Any]:
    """Those of plan turns alone."""
    counts, values = whole_turn(seen, row, tokens)
    return counts & (seen.batch.kind[row] == "plan"), values


def by_channel(seen: Seen, row: int, tokens: Any) -> tuple[Any, Any]:
    """The text says which: the flag, the subgoal that it announces, and the rest."""
    names, made = spans.channels(tokens, seen.batch.token_ids[row].tolist()), seen.credit.channels
    flag = split(seen.batch.action[row])
    assert ("switch" in names) == (flag.switch is not None)
    assert ("subgoal" in names) == bool(flag.switch)
    return [made[each].mask[row] for each in names], [made[each].values[row] for each in names]


def own_likelihood(name: str, seen: Seen) -> None:
    """In scope the ids of right rollouts have the weight of their own likelihood, in others no id has one."""
    batch, right = seen.batch, False
    for number, begin in enumerate(batch.starts.tolist()):
        row, weights = batch.order[begin], np.array(seen.rows.own[number])
        right |= name == "scope" and bool(batch.success[row])
        wanted = seen.credit.diagnostics["w_student"][row] if name == "scope" else 0.0
        assert weights == pytest.approx(wanted * np.array(seen.rows.mask[number]))
        assert (wanted > 0.0) == (name == "scope" and bool(batch.success[row]))
    assert right == (name == "scope")


EXPECTED = {"apex_plan": plan_turns, "hae": by_channel}


def test_tstar_operates_where_rollouts_part(warm: Warm, seen: list[Seen], tmp_path: Path) -> None:
    """Without a threshold there is a divergence wherever two ways on are worth different returns."""
    begun = trainer_of("tstar", warm, tmp_path, options={"divergence_threshold": 0.0}, minibatches=2)
    records = [begun.update(), begun.update()]
    operated = [record.get("surgical", 0.0) > 0.0 for record in records]
    assert any(operated)
    assert operated == [len(each.credit.diagnostics["divergences"]) > 0 for each in seen]
    assert begun.surgery is not None
