"""Kept keys and values that grow in place: appending a token costs that token, not a copy of all before it."""

from __future__ import annotations

from typing import Any

import torch
from transformers.cache_utils import Cache, DynamicLayer

LEAST = 64
"""Positions that a new buffer holds at least."""


class GrowingLayer(DynamicLayer):
    """One layer's keys and values, as views of buffers with room to spare; a buffer that is full doubles."""

    buffers: tuple[torch.Tensor, torch.Tensor] | None = None

    def update(self, key_states: torch.Tensor, value_states: torch.Tensor, *_: Any, **__: Any) -> Any:
        """Append [rows, heads, new, size] keys and values; return all of them."""
        if not self.is_initialized:
            self.dtype, self.device = key_states.dtype, key_states.device
            self.keys = self.values = key_states.new_empty(0)
            self.is_initialized = True
        held = self.get_seq_length()
        need = held + key_states.shape[-2]
        if self.buffers is None or self.buffers[0].shape[-2] < need:
            self.buffers = (self._grown(self.keys, key_states, need), self._grown(self.values, value_states, need))
        keys, values = self.buffers
        keys[..., held:need, :] = key_states
        values[..., held:need, :] = value_states
        self.keys, self.values = keys[..., :need, :], values[..., :need, :]
        return self.keys, self.values

    @staticmethod
    def _grown(old: torch.Tensor | None, new: torch.Tensor, need: int) -> torch.Tensor:
        rows, heads, _, size = new.shape
        buffer = new.new_empty(rows, heads, max(2 * need, LEAST), size)
        if old is not None and old.numel():
            buffer[..., : old.shape[-2], :] = old
        return buffer

    def batch_select_indices(self, indices: torch.Tensor) -> None:
        """Keep some rows, in the order given."""
        super().batch_select_indices(indices)
        self.buffers = None


def growing_cache() -> Cache:
    """Return an empty cache for any number of layers."""
    return Cache(layer_class_to_replicate=GrowingLayer)
