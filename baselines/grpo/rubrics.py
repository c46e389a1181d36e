"""Rubrics for `rtt`: the scores that a world gives, and a small discriminator that says which tokens they are about.

A world says in `rubrics` how a turn leaves each rubric that is about it; the response, a whole rollout, has the scores
of the last turn that says (`agentgym.batch.rubrics`). From which turns each rubric is about `RelevanceModel` learns,
over all updates so far, and asked about a turn with one token in place of its action it says how much that token
matters.
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
from agentgym.batch.rubrics import about, final_scores, names_of
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
        names, scores, matters = scores_of(played)
        relevance = [self._of_tokens(batch, row, names) for row in range(len(batch))]
        whole = batch.with_columns(
            rubric_scores=scores.tolist(),
            rubric_relevance=relevance,
            token_mask=[[True] * int(count) for count in batch.token_ids.lengths],
        )
        self.model.learn(batch, names, matters)
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


def scores_of(played: Played) -> tuple[list[str], Floats, Floats]:
    """Return the names of the rubrics, sorted, their final scores and which are about a turn, both [rows, rubrics].

    A batch of actions that could not be done, about which no world was asked, has no rubrics.

    Raises:
        MissingColumn: the world scored nothing, though it was asked.
    """
    batch = played.batch
    said = [played.transcripts[batch.trajectory[row]].rubrics[batch.turn[row]] for row in batch.order.tolist()]
    spans = [(begin, begin + turns) for begin, turns in zip(batch.starts.tolist(), batch.lengths.tolist(), strict=True)]
    rollouts = [said[begin:end] for begin, end in spans]
    names = names_of(rollouts)
    if not names and batch.valid.any():
        raise MissingColumn("the column 'rubric_scores' comes from the rubrics of the world's turns, and none has any")
    scores, matters = np.zeros((2, len(batch), len(names)))
    for (begin, end), turns in zip(spans, rollouts, strict=True):
        rows = batch.order[begin:end]
        scores[rows] = final_scores(turns, names)
        matters[rows] = [about(turn, names) for turn in turns]
    return names, scores, matters
