"""T-STAR's surgery, arXiv 2604.07165: where rollouts part, the better way on is grafted onto the worse rollout.

The estimator `tstar` reports the turns at which the best and the worst way on from one state differ in value. The ids
of the better turn are put in the place of the worse turn's, after everything that the worse rollout had read by then,
and the surgical loss asks the model to prefer them there. Its reference is a moving average of the model, which begins
with the first update that has a divergence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import torch

from agentgym.baselines.grpo import loss
from agentgym.baselines.grpo.config import Config
from agentgym.baselines.grpo.engine import forward, padded
from agentgym.baselines.grpo.rollout import Transcript
from agentgym.credit import Credit

KEPT = 0.95
"""How much of the moving average an update keeps."""


@dataclass(frozen=True)
class Graft:
    """Ids: what the worse rollout had read, the better turn's reply, the worse one's."""

    prompt: list[int]
    better: list[int]
    worse: list[int]


def grafts(credit: Credit, transcripts: Mapping[str, Transcript]) -> list[Graft]:
    """Return the pairs of an estimate's divergences, but for those whose replies are the same."""
    out = []
    for found in credit.diagnostics.get("divergences", ()):
        (one, first), (other, second) = found.better, found.worse
        good, bad = transcripts[one], transcripts[other]
        begin, end = bad.spans[second]
        pair = Graft(bad.ids[:begin], good.ids[slice(*good.spans[first])], bad.ids[begin:end])
        if pair.better != pair.worse:
            out.append(pair)
    return out


class Surgery:
    """The reference of a run's surgical loss, and the loss.

    Args:
        model: that is trained.
        config: of the run.
        pad: an id to fill rows with.
    """

    def __init__(self, model: Any, config: Config, pad: int) -> None:
        self.model, self.config, self.pad = model, config, pad
        self.average = deepcopy(model).eval().requires_grad_(False)

    def gradient(self, pairs: Sequence[Graft]) -> float:
        """Add the gradient of weight · (mean over the pairs) to the parameters; return that."""
        total = 0.0
        for pair in pairs:
            logp = self._logprobs(self.model, pair)
            with torch.no_grad():
                ref = self._logprobs(self.average, pair)
            value = self.config.surgical / len(pairs) * loss.surgical(logp[0], logp[1], ref[0], ref[1])
            value.backward()
            total += float(value.detach())
        return total

    def _logprobs(self, model: Any, pair: Graft) -> torch.Tensor:
        """Return [better, worse], the log-probabilities of both replies after the prompt."""
        replies, start = (pair.better, pair.worse), len(pair.prompt)
        ids, mask = padded([[*pair.prompt, *reply] for reply in replies], self.pad, self.config.device)
        logp, _ = loss.token_logprobs(forward(model, self.config, ids, mask), ids, self.config.temperature)
        return torch.stack([logp[row, start : start + len(reply)].sum() for row, reply in enumerate(replies)])

    @torch.no_grad()
    def follow(self) -> None:
        """Let the average follow the model, after an update."""
        for mine, theirs in zip(self.average.parameters(), self.model.parameters(), strict=True):
            mine.lerp_(theirs, 1.0 - KEPT)
