"""Report: what every rule said of a world."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

PASSED, BROKEN, NOT_CHECKED = "passed", "broken", "not checked"


@dataclass(frozen=True, slots=True)
class Result:
    """What one rule said: "passed", "broken" or "not checked", a note of one line, and how long it looked."""

    rule: str
    status: str
    note: str = ""
    seconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class Report:
    """The results of a check, in the order of the rules.

    Attributes:
        world: id and version, or what was to be made where nothing could be.
        panel: its panel.
        tasks: how many tasks were looked at, of how many.
        seed: what the check was drawn from.
        results: one a rule.
    """

    world: str
    panel: str
    tasks: tuple[int, int]
    seed: int
    results: Sequence[Result]

    @property
    def ok(self) -> bool:
        """Whether no rule is broken."""
        return not self.broken

    @property
    def broken(self) -> list[str]:
        """Return the names of the rules that are broken."""
        return [result.rule for result in self.results if result.status == BROKEN]

    @property
    def not_checked(self) -> list[str]:
        """Return the names of the rules that had nothing to look at."""
        return [result.rule for result in self.results if result.status == NOT_CHECKED]

    def __str__(self) -> str:
        head = f"{self.world}, panel {self.panel}: {self.tasks[0]} of {self.tasks[1]} tasks, seed {self.seed}"
        if not self.tasks[1]:
            head = self.world
        width = max((len(result.rule) for result in self.results), default=0)
        rows = [f"  {result.rule:<{width}}  {result.status:<11}  {result.note}".rstrip() for result in self.results]
        counts = [sum(result.status == status for result in self.results) for status in (PASSED, BROKEN, NOT_CHECKED)]
        foot = f"{counts[0]} passed, {counts[1]} broken, {counts[2]} not checked"
        alone = "; nothing else was looked at" * (self.broken == ["made"] and len(self.results) == 1)
        return "\n".join([head, *rows, foot + alone])

    def to_json(self) -> str:
        """Return the report as one line of JSON."""
        results = [
            {"rule": one.rule, "status": one.status, "note": one.note, "seconds": round(one.seconds, 3)}
            for one in self.results
        ]
        head = {"world": self.world, "panel": self.panel, "tasks": list(self.tasks), "seed": self.seed, "ok": self.ok}
        return json.dumps({**head, "results": results})
