"""A question as a file of a set has it, and the passages that its answer rests on."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

from agentgym.envs.wiki_search.passages import Passage
from agentgym.task import Task


@dataclass(frozen=True, slots=True)
class Gold:
    """A page that the answer rests on: its title, and the `passage_key` where the set says which passage, else ""."""

    title: str
    passage: str = ""


@dataclass(frozen=True, slots=True)
class Hop:
    """A step of the gold decomposition. Its question may hold #1, #2, …: the answers of earlier steps."""

    question: str
    answer: str
    gold: Gold


@dataclass(frozen=True, slots=True)
class Question:
    """One item as a file of the set has it.

    Attributes:
        id: of its task.
        text: what is asked.
        answers: all that are accepted, the set's own first.
        gold: what the answer rests on, as far as the set says.
        hops: its decomposition, () where the set has none.
        type, level: the set's own words, "" where it has none.
        notes: what is wrong with an item that plays all the same: (wrong, remedy).
    """

    id: str
    text: str
    answers: tuple[str, ...]
    gold: tuple[Gold, ...] = ()
    hops: tuple[Hop, ...] = ()
    type: str = ""
    level: str = ""
    notes: tuple[tuple[str, str], ...] = ()

    def task(self) -> Task:
        """Return its task; what its data holds is said in `sources`."""
        gold = [{"title": gold.title, "passage": gold.passage} for gold in self.gold]
        hops = [
            {"question": hop.question, "answer": hop.answer, "title": hop.gold.title, "passage": hop.gold.passage}
            for hop in self.hops
        ]
        held = {"question": self.text, "answers": list(self.answers), "gold": gold, "hops": hops}
        return Task(self.id, {**held, "type": self.type, "level": self.level})


def passage_key(passage: Passage) -> str:
    """Return what tells a passage, as a store keeps it, from all others, also with its title: 32 hex digits."""
    title = passage.title.encode("utf-8", "replace")
    digest = blake2b(b"%d " % len(title), digest_size=16)
    digest.update(title + passage.text.encode("utf-8", "replace"))
    return digest.hexdigest()
