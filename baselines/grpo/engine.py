"""Sampling: ids in, ids and their log-probabilities out. One protocol; here on transformers, in engine_vllm.py on vLLM.

The keys and values of an episode are kept from turn to turn: a turn costs its new tokens. All rows share one cache in
which rows that had nothing to say in a step have a masked hole; position ids count a row's own tokens only, so holes
change nothing.
"""

from __future__ import annotations

import inspect
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from agentgym.baselines.grpo.config import Config
from agentgym.baselines.grpo.kvcache import growing_cache
from agentgym.baselines.grpo.loss import token_logprobs
from agentgym.baselines.grpo.model import precision
from agentgym.rng import TurnRng

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Request:
    """A prompt to go on with: the rollout's key, all of its ids so far, and the draws of this decision."""

    key: Hashable
    ids: Sequence[int]
    rng: TurnRng


@dataclass(frozen=True)
class Sample:
    """A reply: sampled ids (the end token too, where it came), their log-probabilities, and the prompt as seen."""

    ids: list[int]
    logprobs: list[float]
    seen: list[int]


class Engine(Protocol):
    """What rollouts need of a sampler. Log-probabilities are those of the distribution that was sampled from."""

    def generate(self, requests: Sequence[Request]) -> list[Sample]:
        """Return one reply a request, of at most `max_new_tokens` ids; a request's draws depend on its rng alone."""
        ...

    def score(self, rows: Sequence[Sequence[int]]) -> list[Floats]:
        """Return log-probabilities of every id given those before it; 0.0 for the first of a row."""
        ...

    def changed(self) -> None:
        """Learn that the weights have changed: forget what was computed with the old ones."""
        ...

    def sleep(self) -> None:
        """Give back memory that only sampling needs; the next call of generate takes it again."""
        ...


class TransformersEngine:
    """Samples from a transformers model in this process, the one that is trained.

    Args:
        model: a causal language model.
        config: device, dtype, temperature, max_new_tokens, token_budget.
        end, pad: token ids.
    """

    def __init__(self, model: Any, config: Config, end: int, pad: int) -> None:
        self.model = model
        self.config = config
        self.end, self.pad = end, pad
        self._cache_name = "cache" if "cache" in inspect.signature(model.forward).parameters else "past_key_values"
        self.changed()

    def changed(self) -> None:
        """Forget the kept keys and values."""
        self._keys: list[Hashable] = []
        self._fed: list[list[int]] = []
        self._cache: Any = growing_cache()
        self._mask = torch.zeros(0, 0, dtype=torch.long)

    def sleep(self) -> None:
        """Give back the memory of the kept keys and values."""
        self.changed()

    @torch.no_grad()
    def generate(self, requests: Sequence[Request]) -> list[Sample]:
        """Return one reply a request; the temperature is the only change to the model's distribution."""
        if not requests:
            return []
        self.model.eval()
        self._keep(requests)
        rows = range(len(requests))
        logits = self._feed([list(request.ids[len(self._fed[row]) :]) for row, request in enumerate(requests)])
        seen = [list(fed) for fed in self._fed]
        ids: list[list[int]] = [[] for _ in rows]
        logprobs: list[list[float]] = [[] for _ in rows]
        live = list(rows)
        for step in range(self.config.max_new_tokens):
            if step:
                logits = self._feed([[ids[row][-1]] if row in live else [] for row in rows])
            drawn, chosen = self._draw(logits[live], [requests[row].rng.random() for row in live])
            for row, number, logprob in zip(live, drawn, chosen, strict=True):
                ids[row].append(number)
                logprobs[row].append(logprob)
            live = [row for row in live if ids[row][-1] != self.end]
            if not live:
                break
        return [Sample(*parts) for parts in zip(ids, logprobs, seen, strict=True)]

    def _draw(self, logits: torch.Tensor, marks: Sequence[float]) -> tuple[list[int], list[float]]:
        """Return ids drawn by inversion of the distribution function in float64, and their log-probabilities."""
        logp = torch.log_softmax(logits.float() / self.config.temperature, -1)
        heights = logp.double().exp().cumsum(-1)
        mark = torch.tensor(marks, dtype=torch.float64, device=logits.device)[:, None] * heights[:, -1:]
        drawn = torch.searchsorted(heights, mark, right=True).clamp(max=logits.shape[-1] - 1)
        return drawn[:, 0].tolist(), logp.gather(-1, drawn)[:, 0].tolist()

    def _keep(self, requests: Sequence[Request]) -> None:
        """Keep the cached rows of these requests, in their order; start anew unless every prompt goes on from one."""
        place = {key: row for row, key in enumerate(self._keys)}
        rows = [place.get(request.key, -1) for request in requests]
        goes_on = all(
            row >= 0 and len(fed := self._fed[row]) < len(request.ids) and list(request.ids[: len(fed)]) == fed
            for row, request in zip(rows, requests, strict=True)
        )
        if not goes_on:
            self.changed()
            self._fed = [[] for _ in requests]
            self._mask = torch.zeros(len(requests), 0, dtype=torch.long, device=self.config.device)
        elif rows != list(range(len(self._keys))):
            index = torch.tensor(rows, device=self.config.device)
            self._cache.batch_select_indices(index)
            self._mask = self._mask[index]
            self._fed = [self._fed[row] for row in rows]
        self._keys = [request.key for request in requests]

    def _feed(self, news: Sequence[Sequence[int]]) -> torch.Tensor:
        """Append new ids to the rows and return [rows, size] logits after the last; rows with none get a hole."""
        width = max(map(len, news))
        ids = torch.full((len(news), width), self.pad, dtype=torch.long)
        places = torch.zeros(len(news), width, dtype=torch.long)
        mask = torch.zeros(len(news), width, dtype=torch.long)
        for row, new in enumerate(news):
            if new:
                ids[row, -len(new) :] = torch.tensor(new)
                places[row, -len(new) :] = torch.arange(len(self._fed[row]), len(self._fed[row]) + len(new))
                mask[row, -len(new) :] = 1
                self._fed[row].extend(new)
        device = self.config.device
        self._mask = torch.cat([self._mask, mask.to(device)], 1)
        with precision(self.config):
            out = self.model(
                ids.to(device),
                attention_mask=self._mask,
                position_ids=places.to(device),
                use_cache=True,
                logits_to_keep=1,
                **{self._cache_name: self._cache},
            )
        logits: torch.Tensor = out.logits[:, -1]
        return logits

    @torch.no_grad()
    def score(self, rows: Sequence[Sequence[int]]) -> list[Floats]:
        """Return log-probabilities at the temperature of sampling."""
        self.model.eval()
        out: list[Floats] = [np.zeros(0)] * len(rows)
        for picked in micro_batches([len(row) for row in rows], self.config.token_budget):
            ids, mask = padded([rows[row] for row in picked], self.pad, self.config.device)
            logp, _ = token_logprobs(forward(self.model, self.config, ids, mask), ids, self.config.temperature)
            for row, values in zip(picked, logp.double().cpu().numpy(), strict=True):
                out[row] = values[: len(rows[row])]
        return out


def ran_out(error: BaseException) -> bool:
    """Whether memory ran out: torch's own error on a GPU, a plain RuntimeError of its allocator on the CPU."""
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or "can't allocate memory" in str(error)


def forward(model: Any, config: Config, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return [rows, tokens, size] logits of right-padded rows; the mask, not the id, says what is padding."""
    with precision(config):
        logits: torch.Tensor = model(ids, attention_mask=mask, use_cache=False).logits
    return logits


def padded(rows: Sequence[Sequence[int]], pad: int, device: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Return ids [rows, longest], padded on the right, and the mask of those that are there."""
    longest = max(map(len, rows))
    ids = torch.tensor([[*row, *[pad] * (longest - len(row))] for row in rows], device=device)
    mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows], device=device)
    return ids, mask


def micro_batches(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Return the rows in batches of at most `budget` tokens, padding included, longest first; one row always fits."""
    order = sorted(range(len(lengths)), key=lambda row: (-lengths[row], row))
    batches: list[list[int]] = []
    for row in order:
        if batches and (len(batches[-1]) + 1) * lengths[batches[-1][0]] <= budget:
            batches[-1].append(row)
        else:
            batches.append([row])
    return batches
