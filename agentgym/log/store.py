"""RolloutLog: a file of finished rollouts, one line each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from agentgym.batch import TurnBatch
from agentgym.batch.files import dump
from agentgym.batch.played import batch_of
from agentgym.errors import LogError
from agentgym.log.files import Appender
from agentgym.log.lines import logged, read_lines


class RolloutLog:
    """An append-only file of chat JSON lines, one a finished rollout; see `agentgym.log.lines` for what a line holds.

    Reading needs no opening: iterate for the rollouts as dicts, or ask for the `batch`. `collect(…, log=…)` writes; by
    hand, `with RolloutLog(path) as log: collect(…, log=log)` holds the file for several calls, each of which is a run
    with a number of its own.

    A line is written at once, so a kill costs at most the line under way: readers leave it out and the next writer
    cuts it off, both with a warning that names the byte. Only one writer can have the file open; its threads may play
    side by side, each call of collect in a run of its own, and processes that it forks are refused.

    Args:
        path: the file; made by the first writer.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        self._appender: Appender | None = None

    def __repr__(self) -> str:
        return f"RolloutLog({str(self.path)!r})"

    # --- writing

    @property
    def is_open(self) -> bool:
        """Whether this object may write."""
        return self._appender is not None

    def open(self) -> Self:
        """Make ready for writing. Raises LogError: no such folder, not permitted, no log, or another writer."""
        if self._appender is None:
            self._appender = Appender(self.path)
        return self

    def new_run(self) -> int:
        """Return the number of the run that begins now. Raises LogError unless open."""
        return self._writable().next_run()

    def append(self, record: Mapping[str, Any]) -> None:
        """Write a finished rollout, whole or not at all.

        Raises:
            LogError: not open, or opened before a fork; the disk is full; the record holds what JSON cannot.
        """
        appender = self._writable()
        try:
            line = dump(record).encode()
        except (TypeError, ValueError, RecursionError) as error:
            name = record.get("trajectory")
            raise LogError(f"the rollout {name!r} cannot be logged in {self.path}: {error}") from error
        appender.append(line)

    def _writable(self) -> Appender:
        if self._appender is None:
            raise LogError(f"the log {self.path} is not open for writing: use it in a with statement, or open() it")
        return self._appender

    def close(self) -> None:
        """Bring everything to the disk and let others write."""
        appender, self._appender = self._appender, None
        if appender is not None:
            appender.close()

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- reading

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield the rollouts as dicts, in the order in which they finished. Raises LogError."""
        for line in read_lines(self.path):
            yield line.record

    def runs(self) -> list[int]:
        """Return the numbers of the runs that have a finished rollout."""
        return list(dict.fromkeys(record["run"]["number"] for record in self))

    def batch(self, run: int | None = None) -> TurnBatch:
        """Return a run as the batch that `collect` returned, or would have, had it ended with the last line.

        Args:
            run: its number; needed where the file holds several.

        Raises:
            LogError: no such run, several and none named, or the file cannot be read.
        """
        records = [record for record in self if run in (None, record["run"]["number"])]
        found = list(dict.fromkeys(record["run"]["number"] for record in records))
        if not found:
            what = "no finished rollout" if run is None else f"no run {run}, only {self.runs()}"
            raise LogError(f"the log {self.path} holds {what}")
        if len(found) > 1:
            raise LogError(
                f"the log {self.path} holds the runs {', '.join(map(str, found))}: name one, as in batch(run="
                f"{found[-1]}), or join them, as in TurnBatch.concat(map(log.batch, log.runs()), relabel=True)"
            )
        first = records[0]
        meta = {"env": first["env"]} | {name: value for name, value in first["run"].items() if name != "number"}
        return batch_of([logged(record) for record in records], meta)
