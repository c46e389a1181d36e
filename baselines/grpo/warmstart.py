"""The warm start: imitate expert episodes until the loss on held-out ones falls no more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from agentgym.baselines.grpo.config import Config, TrainError
from agentgym.baselines.grpo.engine import forward, micro_batches, padded, ran_out
from agentgym.baselines.grpo.loss import token_logprobs
from agentgym.baselines.grpo.prepare import Parts
from agentgym.baselines.grpo.rollout import Transcript, start
from agentgym.rng import TurnRng
from agentgym.turn import EndReason

STEP = 16  # episodes of one optimiser step


def expert_episodes(parts: Parts, config: Config, count: int) -> list[Transcript]:
    """Return transcripts of `count` training tasks, drawn without repetition, that the expert solves.

    Raises:
        TrainError: there are not as many tasks, or more than half are not solved, by the expert or for want of context.
    """
    order = TurnRng(config.seed, stream="warm start").shuffled(list(parts.train))
    out: list[Transcript] = []
    for tried, task in enumerate(order):
        if len(out) == count:
            return out
        episode = start(parts.teacher, parts.tokens, config, task, config.seed, 0)
        while not episode.over:
            text = episode.info["expert"]
            ids = [*parts.tokens.encode(text), parts.tokens.end]
            episode.take(text, ids, [0.0] * len(ids))
            if not episode.over:
                episode.go_on(parts.tokens, config)
        if episode.info["success"]:
            out.append(episode.transcript)
        elif tried >= 20 and len(out) < tried // 2:
            remedy = "set warm_episodes to 0"
            if episode.info["end_reason"] == EndReason.TOKEN_LIMIT:
                remedy = f"its episodes do not fit the context of {config.context} tokens, so raise that"
            raise TrainError(f"the expert of {config.env} does not solve half of the tasks: {remedy}")
    if len(out) < count:
        raise TrainError(
            f"a warm start of this size needs {count} training tasks and {config.env} gave {len(out)} expert episodes: "
            "lower warm_episodes"
        )
    return out


def imitate(
    parts: Parts, config: Config, tell: Callable[[int, float, float], bool | None] | None = None
) -> dict[str, list[float]]:
    """Train the model on expert episodes and leave in it the weights that were best on held-out episodes.

    Ends when `warm_patience` passes in a row lowered the held-out loss by less than 1 % of the best, after
    `warm_epochs` passes, or after the pass at which `tell`, called with its number and both losses, returned True.

    Returns:
        "train" and "held_out": the mean −log π of the expert's tokens, one value a pass.
    """
    held_count = config.warm_held_out
    episodes = expert_episodes(parts, config, config.warm_episodes + held_count)
    held, mine = episodes[:held_count], episodes[held_count:]
    optimizer = torch.optim.AdamW(parts.model.parameters(), lr=config.warm_lr, weight_decay=0.01)
    curve: dict[str, list[float]] = {"train": [], "held_out": []}
    best, kept, worse = float("inf"), {}, 0
    for epoch in range(config.warm_epochs):
        try:
            curve["train"].append(_pass(parts, config, mine, optimizer, epoch))
            with torch.no_grad():
                loss = _mean_loss(parts, config, held)
        except (RuntimeError, MemoryError) as error:
            if not ran_out(error):
                raise
            raise TrainError(
                f"out of memory in pass {epoch + 1} of the warm start: lower token_budget from {config.token_budget}"
            ) from error
        curve["held_out"].append(loss)
        worse = 0 if loss < 0.99 * best else worse + 1
        if loss < best:
            best, kept = loss, {name: value.clone() for name, value in parts.model.state_dict().items()}
        told = tell is not None and tell(epoch, curve["train"][-1], loss)
        if told or worse >= config.warm_patience:
            break
    if not kept:
        raise TrainError(
            f"the loss of imitation is not finite from its first pass on: lower warm_lr from {config.warm_lr}"
        )
    parts.model.load_state_dict(kept)
    parts.engine.changed()
    return curve


def _pass(
    parts: Parts, config: Config, episodes: Sequence[Transcript], optimizer: torch.optim.Optimizer, epoch: int
) -> float:
    """Go once over the episodes in a random order; return their mean loss on the way."""
    parts.model.eval()  # without dropout, whose draws would not follow from the seed
    order = TurnRng(config.seed, turn=epoch, stream="imitation").shuffled(list(episodes))
    total = count = 0.0
    for begin in range(0, len(order), STEP):
        chosen = order[begin : begin + STEP]
        tokens = sum(end - first for script in chosen for first, end in script.spans)
        optimizer.zero_grad(set_to_none=True)
        for part in _losses(parts, config, chosen):
            (part / tokens).backward()
            total += float(part.detach())
        torch.nn.utils.clip_grad_norm_(parts.model.parameters(), config.grad_clip)
        steps = epoch * (len(order) // STEP) + begin // STEP
        for group in optimizer.param_groups:
            group["lr"] = config.warm_lr * min(1.0, (steps + 1) / 20)
        optimizer.step()
        count += tokens
    return total / count


def _mean_loss(parts: Parts, config: Config, episodes: Sequence[Transcript]) -> float:
    parts.model.eval()
    tokens = sum(end - first for script in episodes for first, end in script.spans)
    return sum(float(part) for part in _losses(parts, config, episodes)) / tokens


def _losses(parts: Parts, config: Config, episodes: Sequence[Transcript]) -> Any:
    """Yield the summed −log π of the experts' tokens, micro-batch by micro-batch, at temperature 1."""
    for picked in micro_batches([len(script.ids) for script in episodes], config.token_budget):
        rows = [episodes[row] for row in picked]
        ids, present = padded([script.ids for script in rows], parts.tokens.pad, config.device)
        mask = torch.zeros(ids.shape, device=config.device)
        for row, script in enumerate(rows):
            for first, end in script.spans:
                mask[row, first:end] = 1.0
        logp, _ = token_logprobs(forward(parts.model, config, ids, present), ids, 1.0)
        yield -(logp * mask).sum()
