"""EmoBench: which emotion somebody feels and why (EU), and what is best to say or do (EA), as choices.

The project's scoring: an answer is right when it names the letter of the reference; in EU both letters, of the emotion
and of its cause. Accuracy is given by category and over all. The instructions are this project's own words, in the
language of the question.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from string import ascii_uppercase as LETTERS
from typing import Any, Final

from agentgym.turn import InvalidAction

_FENCE: Final = "```json"
_KEYS: Final = {1: ("answer",), 2: ("answer_q1", "answer_q2")}
_TEXTS: Final = {
    "en": {
        "EU": ("What does {subject} feel in the end?", "Why does {subject} feel so?"),
        "EA": ("What is the most effective {kind} for {subject}?",),
        "form": "Answer with one JSON object and nothing else, with the letter of one choice for each question: {keys}",
        "Action": "action",
        "Response": "response",
        "question": "Question",
    },
    "zh": {
        "EU": ("{subject}最终的感受是什么？", "{subject}为什么会有这种感受？"),
        "EA": ("对{subject}来说，最有效的{kind}是什么？",),
        "form": "只用一个 JSON 对象作答，每个问题填写一个选项的字母：{keys}",
        "Action": "行动",
        "Response": "回应",
        "question": "问题",
    },
}
LANGUAGES: Final = tuple(_TEXTS)
KINDS: Final = ("Action", "Response")


@dataclass(frozen=True, slots=True)
class Choices:
    """A question of EmoBench.

    Attributes:
        part: "EU" (understanding: an emotion and its cause) or "EA" (application: what to say or do).
        language: "en" or "zh".
        category: what the accuracies are given by.
        scenario, subject: what happens, and to whom.
        kind: in EA, "Action" or "Response".
        options: the choices of each question.
        right: for each question the place of the right choice.
    """

    part: str
    language: str
    category: str
    scenario: str
    subject: str
    options: tuple[tuple[str, ...], ...]
    right: tuple[int, ...]
    kind: str = ""

    @property
    def text(self) -> str:
        """What is asked."""
        words: dict[str, Any] = _TEXTS[self.language]
        keys = ", ".join(f'"{key}": "A"' for key in self._keys)
        lines = [self.scenario, ""]
        for number, (question, options) in enumerate(zip(words[self.part], self.options, strict=True), 1):
            asked = question.format(subject=self.subject, kind=words.get(self.kind, ""))
            head = f"{words['question']} {number}: " if len(self.options) > 1 else ""
            lines += [head + asked, *(f"{LETTERS[place]}) {option}" for place, option in enumerate(options)), ""]
        return "\n".join([*lines, words["form"].format(keys="{" + keys + "}")])

    @property
    def _keys(self) -> tuple[str, ...]:
        return _KEYS[len(self.options)]

    def read(self, text: str) -> tuple[str, ...]:
        """Return what stands under each question's key in the answer's JSON object, or in its first ```json block.

        Raises:
            InvalidAction: there is no such object, or it lacks a key.
        """
        start = text.find(_FENCE)
        end = text.find("```", start + len(_FENCE)) if start >= 0 else -1
        try:
            found = json.loads(text[start + len(_FENCE) : end] if end >= 0 else text)
        except (ValueError, RecursionError):
            found = None
        if type(found) is not dict or not found.keys() >= set(self._keys):
            keys = ", ".join(f'"{key}": "A"' for key in self._keys)
            raise InvalidAction("no answer was found: write one JSON object such as {" + keys + "}")
        return tuple(str(found[key]) for key in self._keys)

    def grade(self, answer: tuple[str, ...]) -> tuple[float, dict[str, float]]:
        """Return 1 where every letter is right, else 0, and the numbers for the record."""
        hits = [given == LETTERS[place] for given, place in zip(answer, self.right, strict=True)]
        metrics = {"correct": float(all(hits))}
        if self.part == "EU":
            metrics |= {"emotion": float(hits[0]), "cause": float(hits[1])}
        return float(all(hits)), metrics

    def gold(self) -> str:
        """Return the right answer."""
        return self._written(self.right)

    def choices(self) -> list[str]:
        """Return every possible answer."""
        places = [(first,) for first in range(len(self.options[0]))]
        if len(self.options) == 2:
            return [self._written((*one, two)) for one in places for two in range(len(self.options[1]))]
        return [self._written(one) for one in places]

    def _written(self, places: Iterable[int]) -> str:
        return json.dumps({key: LETTERS[place] for key, place in zip(self._keys, places, strict=True)})

    def secrets(self) -> dict[str, Any]:
        """Return the right choices, a sentence each."""
        pairs = zip(self.options, self.right, strict=True)
        return {"right": [f"right is {LETTERS[place]}: {options[place]}" for options, place in pairs]}


def report(answers: Iterable[tuple[str, bool]]) -> dict[str, float]:
    """Return what EmoBench reports of one part in one language: accuracies from 0 to 1.

    Args:
        answers: of each question its category and whether it was answered rightly; what could not be read was not.

    Returns:
        category → its accuracy, and `Overall`.
    """
    hits: dict[str, list[float]] = {}
    for category, right in answers:
        hits.setdefault(category, []).append(float(right))
    every = [hit for found in hits.values() for hit in found]
    out = {category: math.fsum(found) / len(found) for category, found in sorted(hits.items())}
    return {**out, "Overall": math.fsum(every) / len(every) if every else 0.0}
