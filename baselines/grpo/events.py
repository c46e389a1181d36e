"""TensorBoard's event files of a run, beside metrics.jsonl and with the same numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agentgym.baselines.grpo.config import TrainError


def check() -> None:
    """Refuse event files where they cannot be written. Raises TrainError: the package tensorboard is missing."""
    try:
        import torch.utils.tensorboard  # noqa: F401 - found missing now rather than after the warm start
    except ImportError as error:
        raise TrainError(
            f"--tensorboard needs the package tensorboard ({error}): pip install tensorboard, or leave the flag out"
        ) from error


class Events:
    """Event files in the folder of a run: every number of its records, at the step of their update.

    A run that goes on declares void what earlier files hold (TensorBoard's `purge_step`) and writes the records that
    count once more. So each update is shown once, whatever a crash undid or an earlier part of the run left out.

    Args:
        folder: of the run.
        records: of the updates that are done.
    """

    def __init__(self, folder: Path, records: Sequence[Mapping[str, Any]]) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self.writer: Any = SummaryWriter(str(folder), purge_step=1)  # the first update is 1
        for record in records:
            self._write(record)
        self.writer.flush()

    def __enter__(self) -> Events:
        return self

    def __exit__(self, *_: object) -> None:
        self.writer.close()

    def add(self, record: Mapping[str, Any]) -> None:
        """Write a record; it is on the disk when this returns."""
        self._write(record)
        self.writer.flush()

    def _write(self, record: Mapping[str, Any]) -> None:
        for name, value in record.items():
            if name != "update" and isinstance(value, int | float):
                self.writer.add_scalar(name, value, record["update"])
