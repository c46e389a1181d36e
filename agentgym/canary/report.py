"""What the canaries say of a trainer: one line a check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

KEPT, DROPPED, NOT_CHECKED = "kept", "dropped", "not checked"

ABOUT: Final = {
    "learning": "it learns where one word always pays",
    "opening": "the model reads the observation of reset",
    "observations": "the model reads every later observation, once and in order",
    "actions": "the replies in the record are what the world was sent",
    "rewards": "every turn's reward reaches the trainer",
    "groups": "the members of a group start equal",
    "truncation": "a rollout that was cut is neither left out nor taken for one that ended",
    "outages": "an error of the infrastructure is no reward of 0",
    "lengths": "ids, pieces, mask and log-probabilities are equally many",
    "mask": "no token of the environment is trained on",
    "replies": "every token of the policy's own is trained on",
    "sampled": "the ids trained on are the sampled ones",
    "ratio": "the trainer's log-probabilities are the sampler's before the first step",
    "constant": "a group of equal rewards has advantages of 0",
    "credit": "better rollouts of a group have the greater advantages",
}
"""Every check by name, in the order of the report, and what it promises."""


@dataclass(frozen=True)
class Line:
    """What one check says.

    Attributes:
        check: a name of ABOUT.
        source: "record", what was trained on; "diary", what the worlds saw; "lesson", what was learned.
        status: KEPT, DROPPED or NOT_CHECKED.
        note: what was looked at; what was dropped and where; or what is needed to look.
    """

    check: str
    source: str
    status: str
    note: str = ""


@dataclass(frozen=True)
class Report:
    """What all checks say.

    Attributes:
        lines: in the order of ABOUT.
    """

    lines: Sequence[Line]

    @property
    def ok(self) -> bool:
        """Whether nothing was dropped, and something was looked at."""
        return not self.dropped and any(line.status == KEPT for line in self.lines)

    @property
    def dropped(self) -> list[str]:
        """Return the names of what was dropped, once each."""
        return list(dict.fromkeys(line.check for line in self.lines if line.status == DROPPED))

    def __str__(self) -> str:
        width = max((len(line.check) for line in self.lines), default=0)
        rows = [
            f"  {line.check:<{width}}  {line.source:<6}  {line.status:<11}  {line.note or ABOUT[line.check]}"
            for line in self.lines
        ]
        counts = [sum(line.status == status for line in self.lines) for status in (KEPT, DROPPED, NOT_CHECKED)]
        return "\n".join([*rows, f"{counts[0]} kept, {counts[1]} dropped, {counts[2]} not checked"])

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain JSON."""
        return {"ok": self.ok, "dropped": self.dropped, "lines": [asdict(line) for line in self.lines]}


def ordered(lines: Sequence[Line]) -> Report:
    """Return the report of lines that came in any order."""
    place = {name: number for number, name in enumerate(ABOUT)}
    return Report(sorted(lines, key=lambda line: place[line.check]))
