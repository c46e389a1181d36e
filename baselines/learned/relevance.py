"""Which turns a rubric is about: a small discriminator for the column rubric_relevance of `rtt`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from agentgym.baselines.learned.text import Bags, TurnEncoder
from agentgym.batch import TurnBatch
from agentgym.batch.ragged import Ragged
from agentgym.credit.result import token_counts

Floats = NDArray[np.float64]


class RelevanceModel(nn.Module):
    """P(rubric k is about turn t) = σ(e_k · v_t + b_k), from hashed words of the rubric, the observation, the action.

    The direction e_k and the bias b_k are linear in the mean embedding of the rubric's words, v_t is that of
    `TurnEncoder`. The weights follow from the seed and `learn` draws nothing, so equal data give equal models.

    Args:
        size: word numbers. width: of embeddings.
        lr, decay: of AdamW.
        seed: of the first weights.

    Source: arXiv 2604.02795, which trains a token-level discriminator on a language model; here it speaks of turns,
    each of whose tokens is as relevant as the others.
    """

    def __init__(
        self, *, size: int = 2048, width: int = 16, lr: float = 0.02, decay: float = 0.01, seed: int = 0
    ) -> None:
        super().__init__()
        self._optimise = {"lr": lr, "weight_decay": decay}
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.encoder = TurnEncoder(size, width)
            self.rubric_words = nn.EmbeddingBag(size, width, mode="mean")
            self.direction = nn.Linear(width, width + 1)

    def forward(self, observations: Bags, actions: Bags, rubrics: Bags) -> Tensor:
        """Return logits, [turns, rubrics]."""
        turns = self.encoder(observations, actions)
        told = self.direction(self.rubric_words(rubrics.numbers, rubrics.offsets))
        logits: Tensor = turns @ told[:, 1:].T + told[:, 0]
        return logits

    def learn(self, batch: TurnBatch, rubrics: Sequence[str], about: ArrayLike, steps: int = 60) -> list[float]:
        """Fit to labels, from where the weights are; return the loss before each step.

        Args:
            batch: with observation and action.
            rubrics: their K texts.
            about: [T, K] in the rows' order: is the rubric about the turn.
            steps: of AdamW, each on all labels.

        Raises:
            ValueError: labels of another shape.
        """
        labels = np.asarray(about, dtype=np.float32)
        if labels.shape != (len(batch), len(rubrics)):
            raise ValueError(f"about must have shape [{len(batch)}, {len(rubrics)}], got {list(labels.shape)}")
        if not labels.size:
            return []
        wanted, inputs = torch.from_numpy(labels[batch.order]), self._inputs(batch, rubrics)
        optimiser = torch.optim.AdamW(self.parameters(), **self._optimise)
        losses = []
        for _ in range(steps):
            loss = nn.functional.binary_cross_entropy_with_logits(self(*inputs), wanted)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
        return losses

    @torch.no_grad()
    def relevance(self, batch: TurnBatch, rubrics: Sequence[str]) -> Floats:
        """Return P(rubric k is about turn t), [T, K], in the rows' order."""
        found = np.zeros((len(batch), len(rubrics)))
        if found.size:
            found[batch.order] = torch.sigmoid(self(*self._inputs(batch, rubrics))).double().numpy()
        return found

    def with_relevance(self, batch: TurnBatch, rubrics: Sequence[str]) -> TurnBatch:
        """Return the batch with rubric_relevance [rubric][token]: every token of a turn has that of its turn.

        Raises:
            MissingColumn: the batch says nowhere how many tokens a turn has.
        """
        counts = token_counts(batch)
        shapes = np.stack([np.full(len(batch), len(rubrics)), counts], axis=1)
        flat = np.repeat(self.relevance(batch, rubrics).ravel(), np.repeat(counts, len(rubrics)))
        return batch.with_columns(rubric_relevance=Ragged.of(flat, shapes.prod(axis=1), shapes))

    def _inputs(self, batch: TurnBatch, rubrics: Sequence[str]) -> tuple[Bags, Bags, Bags]:
        return *self.encoder.bags(batch), Bags(rubrics, self.encoder.size)
