"""How well the checker of claims agrees with people, on lists of labelled sentences.

    python -m agentgym.envs.sales.agreement tests/envs/sales/sentences_first.txt

A list holds blocks, `== KEY` each, of lines `LABEL | SENTENCE`; KEY names a product of `sentence_goods.json` in the
folder of the list. Labels: true, false:ATTRIBUTE, open (the catalogue says nothing of it), none (no claim about the
product). Lines that begin with # are remarks.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from agentgym.envs.sales.claims import check
from agentgym.envs.sales.claims.tokens import sentences
from agentgym.envs.sales.product import Disclosure, Fact, Product
from agentgym.envs.sales.speech import Moment, judge, says_identity
from agentgym.envs.sales.speech.fluency import fluency
from agentgym.envs.sales.speech.repetition import shapes

LABELS: Final = ("true", "false", "open", "none")
GOODS: Final = "sentence_goods.json"


class Line(NamedTuple):
    """A labelled sentence: the product's key, the label, the attribute of a false claim, the words."""

    key: str
    label: str
    attribute: str
    text: str


@dataclass(frozen=True, slots=True)
class Agreement:
    """How a list was judged.

    Attributes:
        lines: how many sentences.
        found: sentences with a false claim that were found out.
        missed: those that were not.
        alarms: sentences without one that were accused.
        named: of those found, how many for the right attribute.
    """

    lines: int
    found: tuple[Line, ...]
    missed: tuple[Line, ...]
    alarms: tuple[Line, ...]
    named: int

    @property
    def precision(self) -> float:
        """Share of the accused sentences that hold a false claim; 1 where none is accused."""
        accused = len(self.found) + len(self.alarms)
        return len(self.found) / accused if accused else 1.0

    @property
    def recall(self) -> float:
        """Share of the sentences with a false claim that are accused; 1 where there are none."""
        false = len(self.found) + len(self.missed)
        return len(self.found) / false if false else 1.0

    @property
    def text(self) -> str:
        """One line."""
        return (
            f"{self.lines} sentences, {len(self.found) + len(self.missed)} with a false claim: precision"
            f" {self.precision:.1%}, recall {self.recall:.1%}; right attribute {self.named} of {len(self.found)}"
        )


def read(path: Path) -> list[Line]:
    """Return the sentences of a list.

    Raises:
        ValueError: a line that is none; the message says which.
    """
    found, key = [], ""
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if line.startswith("== "):
            key = line[3:].strip()
        elif line and not line.startswith("#"):
            head, bar, text = line.partition(" | ")
            label, _, attribute = head.partition(":")
            if not bar or label not in LABELS or not key:
                raise ValueError(f"{path}, line {number}: {line!r} is not «LABEL | SENTENCE» under a «== KEY»")
            found.append(Line(key, label, attribute, text))
    return found


def goods(path: Path) -> dict[str, Product]:
    """Return the products of a file: key → the fields of `Product`, its facts and disclosures as objects."""
    return {key: product(data) for key, data in json.loads(path.read_text("utf-8")).items()}


def product(data: Mapping[str, Any]) -> Product:
    """Return a product from its fields in plain JSON."""
    fields = dict(data)
    facts = tuple(Fact(**{name: _frozen(value) for name, value in each.items()}) for each in fields.pop("facts"))
    said = fields.pop("disclosures", ())
    disclosures = tuple(Disclosure(each["text"], tuple(map(tuple, each["words"]))) for each in said)
    fields["aliases"] = tuple(fields.get("aliases", ()))
    return Product(facts=facts, disclosures=disclosures, **fields)


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def agreement(lines: Iterable[Line], products: Mapping[str, Product]) -> Agreement:
    """Return how the checker judges sentences, each as a message of its own."""
    found: list[Line] = []
    missed: list[Line] = []
    alarms: list[Line] = []
    named = count = 0
    for line in lines:
        count += 1
        false = [claim for claim in check(line.text, products[line.key]) if claim.verdict == "false"]
        if line.label == "false":
            (found if false else missed).append(line)
            named += any(claim.attribute == line.attribute for claim in false)
        elif false:
            alarms.append(line)
    return Agreement(count, tuple(found), tuple(missed), tuple(alarms), named)


def speed(lines: Sequence[Line], products: Mapping[str, Product], repeats: int = 9) -> tuple[float, float]:
    """Return the microseconds that it takes to check a sentence, and to judge it, each the shortest of some times.

    No sentence is known from before, but what the seller said earlier is, as in a talk.
    """
    said = tuple(line.text for line in lines[:6])
    calls: tuple[Callable[[Line], object], ...] = (
        lambda line: check(line.text, products[line.key]),
        lambda line: judge(line.text, Moment(products[line.key], earlier=said, said="Is it light?", about="price")),
    )
    costs = []
    for call in calls:
        best = [float("inf")] * len(lines)
        for _ in range(repeats):
            for cache in (sentences, shapes, fluency, says_identity):
                cache.cache_clear()
            for text in said:
                shapes(text)
            for place, line in enumerate(lines):
                start = time.perf_counter()
                call(line)
                best[place] = min(best[place], time.perf_counter() - start)
        costs.append(1e6 * sum(best) / len(best))
    return costs[0], costs[1]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the agreement of each list that is named.

    With --errors, the sentences that were judged otherwise too; with --speed, what a sentence costs.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    paths = [Path(each) for each in given if not each.startswith("--")]
    if not paths:
        sys.stderr.write("usage: python -m agentgym.envs.sales.agreement LIST... [--errors] [--speed]\n")
        return 2
    for path in paths:
        result = agreement(read(path), goods(path.parent / GOODS))
        sys.stdout.write(f"{path.name}: {result.text}\n")
        if "--speed" in given:
            checked, judged = speed(read(path), goods(path.parent / GOODS))
            sys.stdout.write(f"  a sentence: {checked:.0f} µs to check, {judged:.0f} µs to judge in all five ways\n")
        if "--errors" in given:
            for name, lines in (("missed", result.missed), ("accused", result.alarms)):
                sys.stdout.writelines(f"  {name}: {line.key}: {line.label} | {line.text}\n" for line in lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
