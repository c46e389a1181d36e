"""Which turns were unsafe, learnt from whether whole rollouts were: the recurrent estimator of TraCeS."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agentgym.baselines.learned.text import Bags, TurnEncoder
from agentgym.batch import TurnBatch

Floats = NDArray[np.float64]


def safety_loss(log_safe: Tensor, mask: Tensor, safe: Tensor) -> Tensor:
    """Binary cross-entropy of P(safe) = exp Σ_t ℓ_t, mean over rollouts.

    Args:
        log_safe: ℓ ≤ 0, [rollouts, turns].
        mask: [rollouts, turns], True where the rollout has the turn.
        safe: labels: [rollouts], of whole rollouts; or [rollouts, turns], of their prefixes, each of which then has
            its own term, averaged over the rollout.

    Source: arXiv 2504.12557.
    """
    believed = torch.where(mask, log_safe, 0.0).cumsum(1)
    if safe.dim() == 1:
        return -_log_likelihood(believed[:, -1], safe).mean()
    each = torch.where(mask, _log_likelihood(believed, safe), 0.0)
    return -(each.sum(1) / mask.sum(1)).mean()


def _log_likelihood(log_p: Tensor, label: Tensor) -> Tensor:
    """Log of p where the label is True, of 1 - p elsewhere; log p of an unsafe one is held just below 0."""
    held = torch.where(label, torch.full_like(log_p, -1.0), log_p.clamp(max=-1e-7))
    near = held > -0.6931  # where 1 - p is below one half, expm1 keeps its digits
    below = torch.where(near, torch.full_like(held, -1.0), held)
    above = torch.where(near, held, torch.full_like(held, -1.0))
    return torch.where(label, log_p, torch.where(near, torch.log(-torch.expm1(above)), torch.log1p(-torch.exp(below))))


class SafetyEstimator(nn.Module):
    """ℓ_t = log P(turn t is safe | what came before, the turn), by a GRU over hashed words of observation and action.

    It begins by calling every turn safe with probability 0.95. The weights follow from the seed, `learn` draws nothing
    and sees all rollouts in each step, so equal batches give equal models.

    Args:
        size: word numbers. width: of embeddings. hidden: of the GRU.
        lr, decay: of AdamW.
        clamp: lowest and highest ℓ, as in the estimator `traces`.
        prefixes: learn from the labels of prefixes, of which the rollout's is the last; they need a record whose
            `safe` says of each turn whether it kept the rules.
        seed: of the first weights.
    """

    def __init__(
        self,
        *,
        size: int = 2048,
        width: int = 16,
        hidden: int = 16,
        lr: float = 0.01,
        decay: float = 0.01,
        clamp: tuple[float, float] = (-7.0, 0.0),
        prefixes: bool = False,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.clamp, self.prefixes, self._optimise = clamp, prefixes, {"lr": lr, "weight_decay": decay}
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.encoder = TurnEncoder(size, width)
            self.memory = nn.GRU(width, hidden, batch_first=True)
            self.head = nn.Linear(width + hidden, 1)
            nn.init.constant_(self.head.bias, 3.0)

    def forward(self, observations: Bags, actions: Bags, mask: Tensor) -> Tensor:
        """Return ℓ, [rollouts, turns].

        Args:
            observations: of the turns, rollout after rollout.
            actions: of the same turns.
            mask: [rollouts, turns], True where the rollout has the turn.
        """
        turns = self.encoder(observations, actions)
        padded = turns.new_zeros(*mask.shape, turns.shape[1])
        padded[mask] = turns
        remembered, _ = self.memory(padded)
        logits = self.head(torch.cat([padded, remembered], 2))[:, :, 0]
        return nn.functional.logsigmoid(logits).clamp(*self.clamp)

    def inputs(self, batch: TurnBatch) -> tuple[Bags, Bags, Tensor]:
        """Return what `forward` takes, rollouts as in `batch.starts`."""
        mask = torch.arange(int(batch.lengths.max())) < torch.from_numpy(batch.lengths.copy())[:, None]
        return *self.encoder.bags(batch), mask

    def learn(self, batch: TurnBatch, steps: int = 60) -> list[float]:
        """Fit to the labels of a batch, from where the weights are; return the loss before each step.

        Args:
            batch: with observation, action and safe. A rollout is safe where every turn of it says so; without
                `prefixes` nothing else is read of them.
            steps: of AdamW.
        """
        batch.need("safe", who="SafetyEstimator.learn")
        if not len(batch):
            return []
        labels, inputs = self.labels(batch), self.inputs(batch)
        optimiser = torch.optim.AdamW(self.parameters(), **self._optimise)
        losses = []
        for _ in range(steps):
            loss = safety_loss(self(*inputs), inputs[2], labels)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
        return losses

    def labels(self, batch: TurnBatch) -> Tensor:
        """Return whether each rollout is safe, or with `prefixes` each of its prefixes, True beyond its end."""
        kept = np.ones((batch.num_rollouts, int(batch.lengths.max())), bool)
        kept[batch.rollout, batch.turn] = batch["safe"]
        so_far = np.logical_and.accumulate(kept, axis=1)
        return torch.from_numpy(so_far if self.prefixes else so_far[:, -1].copy())

    @torch.no_grad()
    def log_safe(self, batch: TurnBatch) -> Floats:
        """Return ℓ of every turn, shape [T], in the rows' order."""
        found = np.zeros(len(batch))
        if len(batch):
            inputs = self.inputs(batch)
            found[batch.order] = self(*inputs)[inputs[2]].double().numpy()
        return found

    def with_log_safe(self, batch: TurnBatch) -> TurnBatch:
        """Return the batch with the column `log_safe`."""
        return batch.with_columns(log_safe=self.log_safe(batch))


class SafetyColumns:
    """Maker of `log_safe` in the trainer: believes what it learned from earlier updates, then learns from this one."""

    def __init__(self, seed: int) -> None:
        self.estimator = SafetyEstimator(seed=seed)

    def __call__(self, played: Any) -> TurnBatch:
        """Return the batch of the played rollouts with the column."""
        batch = self.estimator.with_log_safe(played.batch)
        self.estimator.learn(batch)
        return batch

    def state_dict(self) -> dict[str, Any]:
        """Return the weights."""
        return dict(self.estimator.state_dict())

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take them over."""
        self.estimator.load_state_dict(state)


def begin(parts: Any, config: Any) -> SafetyColumns:
    """Return the maker of a run; see `agentgym.baselines.grpo.columns`."""
    return SafetyColumns(config.seed)
