"""The loop: rollouts → credit → loss → AdamW, one record of metrics an update, a checkpoint that resumes to the bit."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch

from agentgym.baselines.benchmark.metrics import evaluate
from agentgym.baselines.grpo import branching, checkpoint, data, logs, loss
from agentgym.baselines.grpo.config import Config, TrainError, rollout_seed
from agentgym.baselines.grpo.engine import forward, micro_batches, ran_out
from agentgym.baselines.grpo.model import small
from agentgym.baselines.grpo.prepare import Parts
from agentgym.baselines.grpo.rollout import Played, play
from agentgym.baselines.grpo.surgery import Graft, Surgery, grafts
from agentgym.baselines.grpo.tokens import WordTokens
from agentgym.batch import TurnBatch
from agentgym.credit import Credit, update_multiplier
from agentgym.rng import TurnRng

MOST_SKIPPED = 3
"""Optimiser steps in a row with a loss or gradient that is not finite, after which the run stops."""

Record = dict[str, Any]


class Trainer:
    """The state of a run: model, optimiser, number of updates done, steps skipped, the multiplier of traces.

    Args:
        parts: what it works with.
        config: of the run.
        folder: of its checkpoints `warm.pt` and `latest.pt`; made if it is not there.
    """

    def __init__(self, parts: Parts, config: Config, folder: Path) -> None:
        self.parts, self.config, self.folder = parts, config, folder
        self.optimizer = torch.optim.AdamW(parts.model.parameters(), lr=config.lr, weight_decay=config.weight_decay)
        self.done = self.skipped = self.skipped_in_a_row = self.steps = 0
        self.reference: Any = None
        self.surgery: Surgery | None = None
        self.multiplier: float | None = None
        self.before: Record | None = None
        checkpoint.writable(folder)

    # --- one update

    def update(self, progress: Callable[[int, int], None] | None = None) -> Record:
        """Play, estimate, learn; return the metrics of the update.

        Raises:
            TrainError: three steps in a row that were not finite, or memory ran out; a whole checkpoint is there.
        """
        begin = perf_counter()
        self.steps = 0
        self.before = self._learned()
        rollouts = f"rollouts from {self.config.rollouts} or context from {self.config.context}"
        with self._memory(f"playing for update {self.done + 1}", rollouts):
            played = self.play(progress)
            batch = self.parts.columns(played)
            credit = self.controlled(self.estimated(batch))
            rows = data.sequences(
                batch, credit, played.transcripts, self.parts.tokens,
                all_live=self.config.kl > 0.0, mask_cut=self.config.mask_cut,
            )  # fmt: skip
            pairs = grafts(credit, played.transcripts) if self.config.surgical else []
        middle = perf_counter()
        learned = self.learn(rows, pairs)
        spent = middle - begin, perf_counter() - middle
        self.done += 1
        self.before = None
        moved = {} if self.multiplier is None else {"multiplier": self.multiplier}
        share = {"no_credit": 1.0 - sum(rows.live) / max(len(rows), 1)}
        return {"update": self.done, **logs.of_rollouts(played, batch, credit, spent), **share, **learned, **moved}

    def play(self, progress: Callable[[int, int], None] | None = None) -> Played:
        """Return the rollouts of the next update; tasks and draws follow from the seed and its number."""
        config, update = self.config, self.done
        rng = TurnRng(config.seed, turn=update, stream="tasks")
        tasks = [rng.choice(self.parts.train) for _ in range(config.rollouts // config.group_size)]
        parts, seed = self.parts, rollout_seed(config.seed, update)
        if parts.estimator.name == "slate":
            return branching.slate(parts, config, tasks, seed, progress)
        played = play(
            parts.world, parts.engine, parts.tokens, config, tasks,
            group_size=config.group_size, seed=seed, progress=progress, given=parts.given,
        )  # fmt: skip
        if parts.estimator.name == "tstar" and config.grafts and len(played.batch):
            return branching.grafted(played, parts, config)
        return played

    def estimated(self, batch: TurnBatch) -> Credit:
        """Return the estimate; that of traces moves the multiplier that the next one has, by its expected cost."""
        options = dict(self.config.options)
        if self.parts.estimator.name == "traces" and self.multiplier is not None:
            options["multiplier"] = self.multiplier
        found = self.parts.estimator(batch, **options)
        if "expected_cost" in found.diagnostics and self.parts.estimator.name == "traces":
            self.multiplier = update_multiplier(found.options["multiplier"], found.diagnostics["expected_cost"])
        return found

    def controlled(self, credit: Credit) -> Credit:
        """Return the credit, or what a control puts in its place: a value a turn, and nothing besides."""
        if self.config.control == "none":
            return credit
        dealt = np.zeros(len(credit))
        if self.config.control == "shuffled":
            rng = TurnRng(self.config.seed, turn=self.done, stream="control")
            dealt = credit.total[rng.shuffled(range(len(credit)))]
        flat = credit.diagnostics.get("zero_variance_share", 0.0)
        return replace(credit, total=dealt, tokens=None, channels={}, diagnostics={"zero_variance_share": flat})

    # --- learning

    def learn(self, rows: data.Sequences, pairs: Sequence[Graft] = ()) -> Record:
        """Take the optimiser steps of one update; return their metrics.

        Args:
            rows: of the loss.
            pairs: of the surgical loss, dealt out to the optimiser steps of an epoch.
        """
        self.steps, tally = 0, logs.Tally()
        if pairs and self.surgery is None:
            self.surgery = Surgery(self.parts.model, self.config, self.parts.tokens.pad)
        rate = learning_rate(self.config, self.done)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.parts.engine.sleep()
        self.parts.model.eval()  # dropout would move the ratio from 1, and draw from a generator that nothing saves
        budget = f"token_budget from {self.config.token_budget}"
        try:
            with self._memory(f"learning from update {self.done + 1}", budget):
                for epoch in range(self.config.epochs):
                    for place, picked in enumerate(self._minibatches(len(rows), epoch)):
                        self._step(rows, picked, tally, pairs[place :: self.config.minibatches])
                if self.surgery is not None:
                    self.surgery.follow()
        finally:
            self.optimizer.zero_grad(set_to_none=True)
            self.parts.engine.changed()
        return {"lr": rate, "skipped": self.skipped, **tally.means()}

    def _minibatches(self, count: int, epoch: int) -> list[list[int]]:
        rng = TurnRng(self.config.seed, turn=self.done, stream=f"minibatches {epoch}")
        order = rng.shuffled(range(count)) if self.config.minibatches > 1 else list(range(count))
        size = math.ceil(count / self.config.minibatches)
        return [order[begin : begin + size] for begin in range(0, count, size)]

    def _step(
        self, rows: data.Sequences, picked: Sequence[int], tally: logs.Tally, pairs: Sequence[Graft] = ()
    ) -> None:
        """Take one optimiser step on some rollouts, unless nothing in them counts or its gradient is not finite."""
        if not any(rows.live[row] and any(rows.mask[row]) for row in picked):
            return
        self.optimizer.zero_grad(set_to_none=True)
        mine = logs.Tally()
        total = self.gradient(rows, picked, mine)
        if self.surgery is not None and pairs:
            added = self.surgery.gradient(pairs)
            total += added
            mine.surgical(added)
        norm = float(torch.nn.utils.clip_grad_norm_(self.parts.model.parameters(), self.config.grad_clip))
        if math.isfinite(total) and math.isfinite(norm):
            self.steps += 1  # first: memory that runs out within a step leaves weights that are neither old nor new
            self.optimizer.step()
            self.skipped_in_a_row = 0
            mine.step(total, norm)
            tally.merge(mine)
            return
        self.skipped += 1
        self.skipped_in_a_row += 1
        if self.skipped_in_a_row >= MOST_SKIPPED:
            self.optimizer.zero_grad(set_to_none=True)
            self.skipped_in_a_row = 0  # they have ended this run; one that goes on from here has its own three
            self.save()
            raise TrainError(
                f"{MOST_SKIPPED} steps in a row had a loss or gradient that is not finite (last: loss {total}, norm "
                f"{norm}) and were not taken; {self.folder / 'latest.pt'} holds the weights before them: --resume "
                "takes this update up again; where it fails again, begin another run with --config warm_from=… "
                "pointing at that file and a lower lr, or float32"
            )

    def gradient(self, rows: data.Sequences, picked: Sequence[int], tally: logs.Tally | None = None) -> float:
        """Add the gradient of the loss over some rollouts to the parameters, by micro-batches; return the loss.

        The weights of the tokens are those of all picked rollouts, so the sum does not depend on the micro-batches.
        """
        config, parts = self.config, self.parts
        mask, live = data.masks(rows, picked)
        weights = loss.token_weights(mask, live, config.aggregation, config.constant_length)
        every = torch.zeros(len(rows), weights.shape[1])
        every[list(picked)] = weights
        counted = [row for row in picked if bool(every[row].any())]
        total = 0.0
        for chosen in micro_batches([len(rows.ids[row]) for row in counted], config.token_budget):
            part = data.micro(rows, [counted[place] for place in chosen], every, parts.tokens.pad, config.device)
            logits = forward(parts.model, config, part.ids, part.present)
            logp, entropy = loss.token_logprobs(logits, part.ids, config.temperature)
            ref = self._reference_logprobs(part)
            value, cut = loss.loss(
                logp, part.old, part.advantage, part.weights, ref=ref, kl=config.kl, own=part.own,
                clip_low=config.clip_low, clip_high=config.clip_high, dual_clip=config.dual_clip,
            )  # fmt: skip
            value.backward()
            total += float(value.detach())
            if tally is not None:
                tally.tokens(part.weights > 0, logp.detach(), part.old, entropy, cut, ref, first=self.steps == 0)
        return total

    def _reference_logprobs(self, part: data.Micro) -> torch.Tensor | None:
        if not self.config.kl:
            return None
        with torch.no_grad():
            logits = forward(self.reference, self.config, part.ids, part.present)
            return loss.token_logprobs(logits, part.ids, self.config.temperature)[0]

    @contextmanager
    def _memory(self, doing: str, what: str) -> Iterator[None]:
        """Where memory runs out, leave a whole checkpoint: of now where no step was begun, else the last one."""
        try:
            yield
        except (RuntimeError, MemoryError) as error:
            if not ran_out(error):
                raise
            self.optimizer.zero_grad(set_to_none=True)
            self.parts.engine.changed()
            if not self.steps:
                self.save()
            raise TrainError(
                f"out of memory while {doing} ({str(error).partition(chr(10))[0][:120]}); {self.folder / 'latest.pt'} "
                f"is whole: lower {what} and begin again with --config warm_from=… pointing at it"
            ) from error

    # --- evaluation

    def evaluate(self, ks: Sequence[int] = ()) -> dict[str, float]:
        """Return metrics on held-out tasks; the same tasks and draws every time, so curves compare.

        Args:
            ks: as in `benchmark.metrics.evaluate`.
        """
        config, parts = self.config, self.parts
        self.steps = 0
        with self._memory(f"evaluating after update {self.done}", f"eval_tasks from {config.eval_tasks}"):
            played = play(
                parts.world, parts.engine, parts.tokens, config, parts.held[: config.eval_tasks],
                group_size=config.eval_rollouts, seed=config.seed,
            )  # fmt: skip
        parts.engine.changed()
        return evaluate(played.batch, ks)

    # --- checkpoints

    def _learned(self) -> Record:
        """Return a copy of what is learned from rollouts before the first step; an update that fails has not."""
        return deepcopy({"columns": self.parts.columns.state_dict(), "multiplier": self.multiplier})

    def save(self, name: str = "latest.pt") -> None:
        """Write a checkpoint."""
        words = self.parts.tokens.words if isinstance(self.parts.tokens, WordTokens) else None
        state = {
            "config": plain(self.config.as_json()),
            "words": None if words is None else list(words),
            "model": self.parts.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            **(self.before or self._learned()),
            "surgery": None if self.surgery is None else self.surgery.average.state_dict(),
            "done": self.done,
            "skipped": self.skipped,
            "skipped_in_a_row": self.skipped_in_a_row,
        }
        checkpoint.save(self.folder / name, state)

    def resume(self, state: Mapping[str, Any]) -> None:
        """Take over a checkpoint of this configuration."""
        self.parts.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.parts.columns.load_state_dict(state["columns"])
        if state["surgery"] is not None:
            self.surgery = Surgery(self.parts.model, self.config, self.parts.tokens.pad)
            self.surgery.average.load_state_dict(state["surgery"])
        self.done, self.skipped = state["done"], state["skipped"]
        self.skipped_in_a_row, self.multiplier = state["skipped_in_a_row"], state["multiplier"]
        self.parts.engine.changed()

    @property
    def reads_first(self) -> bool:
        """Whether the model before the first update is read later on."""
        return self.config.kl > 0.0 or self.parts.columns.read_first

    def begin(self, weights: Mapping[str, Any] | None = None) -> None:
        """Keep the model (or these weights) as the reference, where the loss or a maker of columns has one."""
        if not self.reads_first:
            return
        if self.config.model:
            self.reference = deepcopy(self.parts.model)
        else:
            self.reference = small(self.config, self.parts.tokens.size)
            self.reference.load_state_dict(self.parts.model.state_dict())
        if weights is not None:
            self.reference.load_state_dict(weights)
        self.reference.eval().requires_grad_(False)
        self.parts.columns.first(self.reference)


def learning_rate(config: Config, update: int) -> float:
    """Return the step size of an update: a linear rise over `warmup`, then a linear fall to the share `decay`."""
    rise = min(1.0, (update + 1) / (config.warmup + 1))
    left = max(config.updates - config.warmup, 1)
    fall = 1.0 - (1.0 - config.decay) * max(0, update - config.warmup) / left
    return config.lr * rise * fall


def plain(value: Any) -> Any:
    """Return a copy as JSON has it, tuples as lists, so that a configuration compares equal after a file."""
    return json.loads(json.dumps(value))
