"""The warm start imitates the expert's tokens alone, and ends where held-out episodes gain no more."""

from __future__ import annotations

from typing import Any

import grpo_world
import pytest

torch = pytest.importorskip("torch", reason="the trainer needs torch: pip install 'agentgym-suite[train]'")

from agentgym.baselines.grpo import warmstart  # noqa: E402
from agentgym.baselines.grpo.config import TrainError  # noqa: E402
from agentgym.baselines.grpo.prepare import prepare  # noqa: E402


def test_expert_episodes_are_the_experts_words_with_their_end() -> None:
    parts, config = grpo_world.parts()
    episodes = warmstart.expert_episodes(parts, config, 5)
    assert len(episodes) == 5
    for script in episodes:
        for begin, end in script.spans:
            assert script.ids[begin:end] == [*parts.tokens.encode("go on"), parts.tokens.end]


def test_imitation_lowers_the_held_out_loss_and_stops_when_it_is_flat() -> None:
    parts, config = grpo_world.parts(warm_episodes=16, warm_epochs=60, warm_patience=2)
    curve = warmstart.imitate(parts, config)
    assert curve["held_out"][-1] < 0.2 * curve["held_out"][0]
    assert len(curve["train"]) == len(curve["held_out"]) <= 60
    with torch.no_grad():
        held = warmstart.expert_episodes(parts, config, 24)[:8]
        assert warmstart._mean_loss(parts, config, held) == pytest.approx(min(curve["held_out"]), abs=1e-5)


def test_the_loss_counts_the_experts_tokens_alone() -> None:
    """With uniform logits every token costs ln(size): the mean is that whatever the prompt's length."""
    parts, config = grpo_world.parts()
    with torch.no_grad():
        for weights in parts.model.parameters():
            weights.zero_()
        found = warmstart._mean_loss(parts, config, warmstart.expert_episodes(parts, config, 4))
    assert found == pytest.approx(float(torch.log(torch.tensor(float(parts.tokens.size)))), abs=1e-5)


def test_more_episodes_than_tasks_are_refused() -> None:
    parts, config = grpo_world.parts()
    with pytest.raises(TrainError, match=r"needs 40 training tasks and .* gave 36 expert episodes"):
        warmstart.expert_episodes(parts, config, 40)


def test_a_context_too_short_for_the_expert_says_so() -> None:
    """First prompt (5 ids) and reply fit in 8, a second turn never does: only tasks of one turn are solved."""
    parts, config = grpo_world.parts(context=8)
    with pytest.raises(TrainError, match="do not fit the context of 8 tokens, so raise that"):
        warmstart.expert_episodes(parts, config, 30)


def test_a_world_without_an_expert_is_refused_before_any_rollout(monkeypatch: pytest.MonkeyPatch) -> None:
    config = grpo_world.config(warm_episodes=8)
    monkeypatch.delattr(grpo_world.Walk, "expert")
    with pytest.raises(TrainError, match=r"has no expert\(state\) to imitate: set warm_episodes to 0"):
        prepare(config)


def test_who_is_told_of_the_passes_can_end_them() -> None:
    made, config = grpo_world.parts(warm_episodes=8, warm_epochs=9)
    seen: list[int] = []

    def tell(epoch: int, mine: float, held: float) -> bool:
        seen.append(epoch)
        return epoch == 1

    curve = warmstart.imitate(made, config, tell)
    assert seen == [0, 1]
    assert len(curve["train"]) == len(curve["held_out"]) == 2


def test_an_imitation_that_was_never_finite_names_the_step_size() -> None:
    made, config = grpo_world.parts(warm_episodes=8, warm_epochs=1)
    with torch.no_grad():
        next(iter(made.model.parameters())).fill_(float("nan"))
    with pytest.raises(TrainError, match=r"is not finite from its first pass on: lower warm_lr from 0\.01"):
        warmstart.imitate(made, config)


def test_out_of_memory_in_the_warm_start_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    parts, config = grpo_world.parts(warm_episodes=8)

    def failing(*_: Any) -> Any:
        raise RuntimeError("[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory")

    monkeypatch.setattr(warmstart, "forward", failing)
    with pytest.raises(TrainError, match="out of memory in pass 1 of the warm start: lower token_budget from 8192"):
        warmstart.imitate(parts, config)
