"""Values for a language model: linear heads on the hidden states of its trunk, fitted to the returns of its rollouts.

The state before a turn is read at the last id of its prompt, the state after it at the last id of the reply. The trunk
is the policy's own and gets no gradient from the heads; one pass over the transcripts gives all hidden states.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from agentgym.baselines.features import Floats
from agentgym.baselines.grpo.config import Config
from agentgym.baselines.grpo.engine import micro_batches, padded
from agentgym.baselines.grpo.model import precision
from agentgym.baselines.grpo.prepare import Parts
from agentgym.baselines.grpo.rollout import Played
from agentgym.baselines.value_heads import Dense, Head, Heads, returns, segment_starts
from agentgym.batch import TurnBatch
from agentgym.credit.rows import following


class StateValues:
    """Makes `value` and `bootstrap_value`; begun by `begin`.

    `bootstrap_value` has a head of its own, fitted after every turn to the return that came then (0 where the world
    ended the rollout; turns that a limit cut off have no such return and do not count).

    Args:
        parts, config: of the run; the estimator's γ discounts the returns.
    """

    gives: tuple[str, ...] = ("value", "bootstrap_value")

    def __init__(self, parts: Parts, config: Config) -> None:
        self.parts, self.config = parts, config
        self.gamma = discount(config)
        self.heads = Heads()

    def __call__(self, played: Played) -> TurnBatch:
        """Return the batch with this maker's columns, having learned from it."""
        batch = played.batch
        if not len(batch):
            return batch.with_columns({name: np.zeros(0) for name in self.gives})
        before, after = (Dense(features(x)) for x in self.hidden(played))
        return self.heads.fill(batch, self.fits(batch, before, after))

    def fits(self, batch: TurnBatch, before: Dense, after: Dense) -> list[Head]:
        """Return what to fit, given the features of the states before and after each turn."""
        target = returns(batch, self.gamma)
        later = np.where(batch.last, 0.0, following(batch, target))
        known = ~np.asarray(batch.truncated, dtype=bool)
        return [
            Head("value", before, target, np.ones(len(batch), dtype=bool), {"value": before}),
            Head("bootstrap_value", after, later, known, {"bootstrap_value": after}),
        ]

    def hidden(self, played: Played) -> tuple[Floats, Floats]:
        """Return (n, width) the hidden states before and after the batch's turns, in its rows' order."""
        batch = played.batch
        names = list(dict.fromkeys(batch.trajectory))
        scripts = [played.transcripts[name] for name in names]
        places = [[place - 1 for span in script.spans for place in span] for script in scripts]
        ids = [script.ids for script in scripts]
        states = hidden_states(self.parts.model, self.config, ids, places, self.parts.tokens.pad)
        found = dict(zip(names, states, strict=True))
        turns = list(zip(batch.trajectory, batch.turn.tolist(), strict=True))
        before = np.array([found[name][2 * turn] for name, turn in turns])
        return before, np.array([found[name][2 * turn + 1] for name, turn in turns])

    def state_dict(self) -> dict[str, torch.Tensor]:
        """Return the weights by the head's name."""
        return {name: torch.from_numpy(weights) for name, weights in self.heads.weights.items()}

    def load_state_dict(self, state: Mapping[str, torch.Tensor]) -> None:
        """Take them over."""
        self.heads.weights = {name: weights.cpu().numpy() for name, weights in state.items()}


class LevelValues(StateValues):
    """Makes `value_low`, `value_high` and `value_term` for `hae`; begun by `begin_levels`.

    All three are fitted to the return that follows the state before the turn, `value_high` where a subgoal begins. They
    know of the subgoal what the conversation says; one that the turn itself announces is not yet in it.
    """

    gives = ("value_low", "value_high", "value_term")

    def fits(self, batch: TurnBatch, before: Dense, after: Dense) -> list[Head]:
        """Return what to fit."""
        target, every = returns(batch, self.gamma), np.ones(len(batch), dtype=bool)
        return [
            Head("value_high", before, target, segment_starts(batch), {"value_high": before}),
            Head("value_low", before, target, every, {"value_low": before, "value_term": before}),
        ]


def begin(parts: Parts, config: Config) -> StateValues:
    """Return the maker of `value` and `bootstrap_value`."""
    return StateValues(parts, config)


def begin_levels(parts: Parts, config: Config) -> LevelValues:
    """Return the maker of the three columns of `hae`."""
    return LevelValues(parts, config)


def discount(config: Config) -> float:
    """Return the γ of the run's estimator with its options; 1 where it has none."""
    options = dict(config.options)
    preset = options.pop("preset", None)
    return float(config.made().settings(preset, options).get("gamma", 1.0))


def features(hidden: Floats) -> Floats:
    """Return (n, width + 1) hidden states of about length 1, with a constant 1 behind them."""
    return np.concatenate([hidden / np.sqrt(hidden.shape[1]), np.ones((len(hidden), 1))], axis=1)


@torch.no_grad()
def hidden_states(
    model: Any, config: Config, rows: Sequence[Sequence[int]], places: Sequence[Sequence[int]], pad: int
) -> list[Floats]:
    """Return for each row of ids the trunk's last hidden states at some places, (places, width) in float64."""
    model.eval()
    out: list[Floats] = [np.zeros((0, 0))] * len(rows)
    for picked in micro_batches([len(row) for row in rows], config.token_budget):
        ids, mask = padded([rows[row] for row in picked], pad, config.device)
        with precision(config):
            hidden = model.base_model(ids, attention_mask=mask, use_cache=False).last_hidden_state
        for line, row in zip(hidden, picked, strict=True):
            out[row] = line[list(places[row])].double().cpu().numpy()
    return out
