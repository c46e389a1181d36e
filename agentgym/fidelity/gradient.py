"""The policy gradient that an estimate implies, in a table of menu logits."""

from __future__ import annotations

import numpy as np

from agentgym.batch import TurnBatch
from agentgym.fidelity.graph import Floats, Ints
from agentgym.fidelity.record import distinct


class MenuGradient:
    """The score function of a table of menu logits: entries of every row's ∇ log π(a|s) and their coordinates."""

    def __init__(self, batch: TurnBatch, tasks: Ints) -> None:
        logs = batch["menu_logprobs"]
        self.row = np.repeat(np.arange(len(batch)), logs.lengths)
        self.entry = -np.exp(logs.flat)
        keys = []
        places = zip(batch["state"].tolist(), batch["menu"], batch["action"].tolist(), strict=True)
        for row, (state, menu, action) in enumerate(places):
            keys += [(int(tasks[row]), state, text) for text in menu]
            if action in menu:
                self.entry[logs.offsets[row] + menu.index(action)] += 1.0
            else:  # the table does not hold this action: its row moves no logit
                self.entry[logs.offsets[row] : logs.offsets[row + 1]] = 0.0
        first, self.place = distinct(keys)
        self.task = np.array([keys[place][0] for place in first], np.int64)

    @staticmethod
    def possible(batch: TurnBatch) -> bool:
        """Return whether the batch holds what it takes."""
        return all(name in batch for name in ("state", "action", "menu", "menu_logprobs"))

    def products(self, x: Floats, truth: Floats, size: int) -> Floats:
        """Return (3, tasks): inner product of the two gradients, and the square of each."""
        ours, true = (np.bincount(self.place, values[self.row] * self.entry, len(self.task)) for values in (x, truth))
        parts = (ours * true, ours * ours, true * true)
        return np.stack([np.bincount(self.task, part, size) for part in parts])
