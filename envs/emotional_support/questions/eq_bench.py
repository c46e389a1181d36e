"""EQ-Bench v2: how strongly somebody feels each of four emotions, and how near an answer comes to the reference.

The project's scoring, version 2 ("full scale"), as its code and its read-me describe it: what an answer differs from
the reference by in each emotion is scaled down on a curve up to 5 and counted as it is beyond; the sum is taken from 10
such that random answers get about 0. Its older scoring ("normalised") compares relative intensities; both are computed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from itertools import permutations
from typing import Any, Final

from agentgym.turn import InvalidAction

FULL: Final = 10.0
"""The score of the reference, and the highest intensity."""

_RANDOM: Final = 0.7477
"""What the sum of scaled differences is multiplied by, so that random answers get 0."""

_PAIR: Final = re.compile(r"(\w+)(?::\s+(\d+))?")  # a word is read as a whole, so this is linear in the text
_FIRST: Final = "First pass scores:"
_REVISED: Final = "Revised scores:"
_CUTS: Final = (
    " Then critique your answer by thinking it through step by step. Finally, give your revised scores.",
    "First pass scores:\n",
)
_CRITIQUE, _END = "Critique: <your critique here>", "[End of answer]"
_MENU: Final = 8
_DIGITS: Final = 20

Scores = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Intensities:
    """A question of EQ-Bench.

    Attributes:
        prompt: the dialogue, the four emotions and the form of the answer, as the set has it.
        reference: (emotion, intensity from 0 to 10) for the four emotions.
        relative: the same for the older scoring, whose intensities sum to 10.
        revise: whether an answer is to be criticised and revised.
    """

    prompt: str
    reference: Scores
    relative: Scores
    revise: bool = False

    @property
    def text(self) -> str:
        """What is asked; without revision, without the parts of the prompt that speak of one, as in the project."""
        prompt = self.prompt
        start, end = prompt.find(_CRITIQUE), prompt.find(_END)
        if self.revise or not 0 <= start < end:
            return prompt
        prompt = f"{prompt[:start]}\n{prompt[end:]}"
        for cut in _CUTS:
            prompt = prompt.replace(cut, "")
        return prompt + "\nYour answer:\n"

    def read(self, text: str) -> tuple[Scores, ...]:
        """Return the scores that an answer gives: one set of them, or those of the first pass and the revised ones.

        Raises:
            InvalidAction: no such set names each of the four emotions, and nothing else, with an intensity.
        """
        found = [scores for part in self._parts(text) if (scores := self._scores(part))]
        if not found or (self.revise and len(found) != 2):
            names = ", ".join(f"{name}: <score>" for name, _ in self.reference)
            headed = f" under each of the headings «{_FIRST}» and «{_REVISED}»" if self.revise else ""
            raise InvalidAction(
                f"no answer was found: write {names}, each from 0 to 10 and one above 0, and no other score{headed}"
            )
        return tuple(found)

    def _parts(self, text: str) -> list[str]:
        if not self.revise:
            return [text]
        start = text.find(_FIRST)
        middle = text.find(_REVISED, start + len(_FIRST)) if start >= 0 else -1
        last = text.find(_REVISED)
        first = [text[start + len(_FIRST) : middle]] if middle >= 0 else []
        return first + ([text[last + len(_REVISED) :]] if last >= 0 else [])

    def _scores(self, text: str) -> Scores:
        """Return the scores that stand in a text; () where it names other emotions than the four, or feels nothing."""
        given = {
            name: float(value) if len(value) < _DIGITS else math.inf for name, value in _PAIR.findall(text) if value
        }
        if given.keys() != dict(self.reference).keys() or not 0.0 < max(given.values()) <= FULL:
            return ()
        return tuple((name, given[name]) for name, _ in self.reference)

    def grade(self, answer: tuple[Scores, ...]) -> tuple[float, dict[str, float]]:
        """Return an answer's score as a share of the full one, and the numbers for the record.

        The share is at most 1, and below 0 for what is worse than chance. What was revised counts, where it was.
        """
        score = full_scale(self.reference, answer[-1])
        metrics = {"score": score, "normalised": normalised(self.relative, answer[-1])}
        if self.revise:
            metrics |= {"first_pass": full_scale(self.reference, answer[0]), "revised": score}
        return score / FULL, metrics

    def gold(self) -> str:
        """Return the reference as an answer."""
        return self._written([value for _, value in self.reference])

    def choices(self) -> list[str]:
        """Return answers with the intensities of the reference, dealt out otherwise but for one."""
        right = tuple(value for _, value in self.reference)
        others = sorted(set(permutations(right)) - {right}, key=lambda values: _order(self.prompt, values))
        return [self._written(values) for values in (right, *others[: _MENU - 1])]

    def _written(self, values: Iterable[float]) -> str:
        names = [name for name, _ in self.reference]
        rows = "\n".join(f"{name}: {value:g}" for name, value in zip(names, values, strict=True))
        return f"{_FIRST}\n{rows}\n\nCritique: none.\n\n{_REVISED}\n{rows}" if self.revise else rows

    def secrets(self) -> dict[str, Any]:
        """Return the reference."""
        return {"reference": dict(self.reference)}


def full_scale(reference: Scores, given: Scores) -> float:
    """Return the score of version 2: 10 for the reference, about 0 for chance, down to −19.9."""
    wanted = dict(reference)
    return FULL - _RANDOM * math.fsum(_scaled(abs(value - wanted[name])) for name, value in given)


def _scaled(difference: float) -> float:
    if difference == 0.0 or difference > 5.0:
        return difference
    return 6.5 / (1.0 + math.exp(-1.2 * (difference - 4.0)))


def normalised(reference: Scores, given: Scores) -> float:
    """Return the score of version 1, between intensities that are made to sum to 10: 10 for the reference."""
    total = math.fsum(value for _, value in given)
    wanted = dict(reference)
    return FULL - math.fsum(abs(value / total * 10.0 - wanted[name]) for name, value in given)


def _order(prompt: str, values: tuple[float, ...]) -> bytes:
    return blake2b(f"{values}\n{prompt}".encode(), digest_size=8).digest()


def report(answers: Iterable[Mapping[str, float] | None]) -> dict[str, float]:
    """Return what EQ-Bench reports of a run.

    Args:
        answers: the metrics of each question's last turn, None for a question whose answer could not be read.

    Returns:
        `score`: from 100 for the references down, the mean over the answers that could be read; where they were
        revised, the higher of the means of first passes and of revised answers, which `first_pass` and `revised` are.
        `parseable`: how many answers could be read.
    """
    found = [metrics for metrics in answers if metrics is not None]
    out: dict[str, float] = {}
    for name in ("first_pass", "revised"):
        values = [metrics[name] for metrics in found if name in metrics]
        if values:
            out[name] = FULL * math.fsum(values) / len(values)
    plain = FULL * math.fsum(metrics["score"] for metrics in found) / len(found) if found else 0.0
    out["score"] = max(out["first_pass"], out["revised"]) if len(out) == 2 else plain
    out["parseable"] = float(len(found))
    return out
