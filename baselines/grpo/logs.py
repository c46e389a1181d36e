"""What an update says of itself: of its rollouts, of its steps; one JSON line each, and one line on the console."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from agentgym.baselines.benchmark.metrics import evaluate
from agentgym.baselines.benchmark.store import write_text
from agentgym.baselines.columns import extra_turns
from agentgym.baselines.grpo.rollout import Played
from agentgym.batch import TurnBatch
from agentgym.credit import Credit


@dataclass
class Tally:
    """Sums over the counted tokens of an update."""

    sums: dict[str, float] = field(default_factory=dict)
    counts: dict[str, float] = field(default_factory=dict)
    drift_most: float = 0.0

    def _add(self, name: str, total: float, count: float) -> None:
        self.sums[name] = self.sums.get(name, 0.0) + total
        self.counts[name] = self.counts.get(name, 0.0) + count

    def merge(self, other: Tally) -> None:
        """Add what another counted."""
        for name, total in other.sums.items():
            self._add(name, total, other.counts[name])
        self.drift_most = max(self.drift_most, other.drift_most)

    def step(self, loss: float, norm: float) -> None:
        """Count an optimiser step."""
        self._add("loss", loss, 1.0)
        self._add("grad_norm", norm, 1.0)

    def surgical(self, loss: float) -> None:
        """Count the surgical part of a step's loss."""
        self._add("surgical", loss, 1.0)

    def tokens(
        self, counted: torch.Tensor, logp: torch.Tensor, old: torch.Tensor, entropy: torch.Tensor, cut: torch.Tensor,
        ref: torch.Tensor | None, *, first: bool,
    ) -> None:  # fmt: skip
        """Count the tokens of a micro-batch; before the `first` step the ratio shows how engine and trainer differ."""
        number = float(counted.sum())
        self._add("entropy", float(entropy[counted].sum()), number)
        self._add("clip_share", float(cut[counted].sum()), number)
        gap = logp[counted] - old[counted]
        self._add("kl_old", float((torch.exp(gap) - 1.0 - gap).sum()), number)
        if ref is not None:
            away = ref[counted] - logp[counted]
            self._add("kl", float((torch.exp(away) - 1.0 - away).sum()), number)
        if first and number:
            apart = torch.expm1(gap).abs()
            self._add("drift", float(apart.sum()), number)
            self.drift_most = max(self.drift_most, float(apart.max()))

    def means(self) -> dict[str, float]:
        """Return the means; {} where no token counted."""
        means = {name: total / max(self.counts[name], 1.0) for name, total in self.sums.items()}
        return {**means, "drift_most": self.drift_most} if means else {}


def of_rollouts(played: Played, batch: TurnBatch, credit: Credit, spent: tuple[float, float]) -> dict[str, Any]:
    """Return the metrics of an update's rollouts; `spent`: seconds of playing and of learning."""
    metrics = evaluate(batch if played.lines is None else played.lines, ks=())
    tokens = int(np.asarray(batch.tokens).sum())
    turn = np.asarray(batch.turn)
    return {
        **{name: metrics[name] for name in ("success", "return", "turns", "invalid_rate")},
        "advantage_by_turn": (np.bincount(turn, credit.total) / np.bincount(turn)).tolist(),
        "zero_variance": float(credit.diagnostics.get("zero_variance_share", 0.0)),
        "repetition": repetition(batch),
        "tags": tags(batch),
        "extra_turns": extra_turns(batch),
        "cut": played.cut,
        "unfinished": played.unfinished,
        "infra_errors": batch.meta["infra_errors"],
        "tokens": tokens,
        "tokens_per_second": tokens / max(sum(spent), 1e-9),
        "seconds_rollout": spent[0],
        "seconds_train": spent[1],
    }


def tags(batch: TurnBatch) -> dict[str, float]:
    """Return the share of turns of each class that the world tells apart (`tag`); {} where it tells none."""
    names, counts = np.unique(np.asarray(batch.tag if "tag" in batch else [], dtype=str), return_counts=True)
    return {str(name): float(count / len(batch)) for name, count in zip(names, counts, strict=True) if name}


def repetition(batch: TurnBatch) -> float:
    """Return the share of turns that repeat what the same rollout did before in a state it could not tell apart."""
    pairs = batch.codes("rollout", "anchor", "action")
    return 1.0 - len(np.unique(pairs)) / max(len(pairs), 1)


class Journal:
    """metrics.jsonl of a run: the lines of the updates that a checkpoint knows of, then one more an update.

    Args:
        folder: of the run.
        done: updates that are done; later lines, of updates that a crash undid, are dropped.
    """

    def __init__(self, folder: Path, done: int) -> None:
        self.path = folder / "metrics.jsonl"
        self.records: list[dict[str, Any]] = []
        if done and self.path.exists():
            lines = self.path.read_text("utf-8").split("\n")[:-1]  # what follows the last line break was torn
            self.records = [record for line in lines if (record := json.loads(line))["update"] <= done]
        self.write()

    def write(self) -> None:
        """Write all records anew."""
        write_text(self.path, "".join(_line(record) for record in self.records))

    def add(self, record: Mapping[str, Any]) -> None:
        """Append a record."""
        self.records.append(dict(record))
        with self.path.open("a", encoding="utf-8") as file:
            file.write(_line(record))


def _line(record: Mapping[str, Any]) -> str:
    return json.dumps(record, sort_keys=True) + "\n"


def told(record: Mapping[str, Any], updates: int) -> str:
    """Return an update in one console line."""
    held = f"  held-out {record['held_success']:.1%}" if "held_success" in record else ""
    parts = [f"update {record['update']:>3}/{updates}", f"success {record['success']:.1%}"]
    shown = {"loss": "+.4f", "entropy": ".3f", "clip_share": ".1%", "grad_norm": ".2f"}
    parts += [f"{name.replace('_share', '')} {record[name]:{spec}}" for name, spec in shown.items() if name in record]
    parts.append(f"no credit {record['no_credit']:.0%}")
    parts.append(f"{record['seconds_rollout']:.1f} + {record['seconds_train']:.1f} s")
    return "  ".join(parts) + held
