"""Rubrics for `rtt`: the scores that a world gives, and a small discriminator that says which tokens they are about.

A world says in `rubrics` how a turn leaves each rubric; the response, a whole rollout, has the scores of the last turn
that says. A rubric is about the turns that changed its score: from these labels `RelevanceModel` learns, over all
updates so far, and asked about a turn with one token in place of its action it says how much that token matters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from agentgym.baselines.grpo.config import Config
from agentgym.baselines.grpo.rollout import Played
from agentgym.baselines.grpo.tokens import Tokens
from agentgym.baselines.learned.relevance import RelevanceModel
from agentgym.baselines.learned.text import Bags
from agentgym.batch import TurnBatch
from agentgym.errors import MissingColumn

if TYPE_CHECKING:
    from agentgym.baselines.grpo.prepare import Parts

Floats = NDArray[np.float64]


class Rubrics:
    """The maker of `rubric_scores`, `rubric_relevance` and `token_mask`.

    Args:
        tokens: of the model.
        seed: of the discriminator.
    """

    def __init__(self, tokens: Tokens, seed: int) -> None:
        self._tokens = tokens
        self.model = RelevanceModel(seed=seed)

    def __call__(self, played: Played) -> TurnBatch:
        """Return the batch with the columns, by what was known before; then learn from it.

        Raises:
            MissingColumn: the world scored nothing, though it was asked.
        """
        batch = played.batch
        names, scores = scores_of(played)
        final = scores[batch.order[batch.starts + batch.lengths - 1]][batch.rollout]
        relevance = [self._of_tokens(batch, row, names) for row in range(len(batch))]
        whole = batch.with_columns(
            rubric_scores=final.tolist(),
            rubric_relevance=relevance,
            token_mask=[[True] * int(count) for count in batch.token_ids.lengths],
        )
        self.model.learn(batch, names, changed(batch, scores))
        return whole

    @torch.no_grad()
    def _of_tokens(self, batch: TurnBatch, row: int, names: Sequence[str]) -> Floats:
        """Return [rubric][token] of a turn."""
        ids = batch.token_ids[row].tolist()
        size = self.model.encoder.size
        said = Bags([self._tokens.decode([number]) for number in ids], size)
        logits = self.model(Bags([batch.observation[row]] * len(ids), size), said, Bags(names, size))
        return torch.sigmoid(logits).double().numpy().T.reshape(len(names), len(ids))

    def state_dict(self) -> dict[str, Any]:
        """Return the discriminator's weights."""
        return dict(self.model.state_dict())

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take them over."""
        self.model.load_state_dict(state)


def begin(parts: Parts, config: Config) -> Rubrics:
    """Return the maker of a run."""
    return Rubrics(parts.tokens, config.seed)


def scores_of(played: Played) -> tuple[list[str], Floats]:
    """Return the names of the rubrics, sorted, and the scores after each turn, [rows, rubrics].

    A turn that says nothing of a rubric leaves it as it was, and before the first word of it the score is 0. A batch of
    actions that could not be done, about which no world was asked, has no rubrics.

    Raises:
        MissingColumn: the world scored nothing, though it was asked.
    """
    batch = played.batch
    said = {row: played.transcripts[batch.trajectory[row]].rubrics[batch.turn[row]] for row in range(len(batch))}
    names = sorted({name for each in said.values() for name in each})
    if not names and batch.valid.any():
        raise MissingColumn("the column 'rubric_scores' comes from the rubrics of the world's turns, and none has any")
    scores = np.zeros((len(batch), len(names)))
    for begin_, turns in zip(batch.starts.tolist(), batch.lengths.tolist(), strict=True):
        held: dict[str, float] = {}
        for row in batch.order[begin_ : begin_ + turns].tolist():
            held |= said[row]
            scores[row] = [held.get(name, 0.0) for name in names]
    return names, scores


def changed(batch: TurnBatch, scores: Floats) -> Floats:
    """Return 1 where a turn changed a rubric's score, [rows, rubrics]; scores are 0 before the first turn."""
    before = np.zeros_like(scores)
    goes_on = np.flatnonzero(np.diff(batch.rollout[batch.order], prepend=-1) == 0)
    before[batch.order[goes_on]] = scores[batch.order[goes_on - 1]]
    return (scores != before).astype(np.float64)
