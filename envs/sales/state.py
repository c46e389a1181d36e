"""SalesState: what was said between a buyer and a seller that decides how the talk goes on."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Final

from agentgym.envs.sales.buyer import Case

ON, SOLD, LEFT, LET_GO = "", "sold", "left", "let go"
"""How a talk stands: it goes on, the buyer bought, lost patience, or was let go by the seller."""


@dataclass(frozen=True)
class SalesState:
    """A moment of a talk; amounts in US cents.

    Attributes:
        case: the task.
        manner: how the buyer words things.
        patience, trust: what is left of them.
        product: number on the shelf of the product that the talk is about, −1 for none.
        price: the last quote for it, −1 for none.
        bid: what the buyer offered for it, −1 for nothing.
        told: attributes of the needs that the buyer told, "budget" and "rival" where these were told.
        asked: what the seller asked about where there was nothing to tell.
        beliefs: (product, attribute, whether it meets the need) as the buyer was told.
        raised: objections that were raised, in order; settled: those that were resolved.
        wondered: the attribute that the buyer asked about last and did not hear about, "" for none.
        machine: what the buyer asked the seller whether it is, "machine" or "person", until it heard "honest" or
            "denied"; "" before it asks.
        disclosed: (product, number of the disclosure) of what was disclosed.
        looked: products whose sheets the seller looked up.
        broken: names of the rules that the seller broke, in order.
        earlier: what the seller wrote, sorted.
        sentences, repeated: how many sentences of two words and more that was, and how many of them repeated others.
        end: how it ended.
        talk: (role, text) of all that was said.
    """

    case: Case
    manner: int
    patience: int
    trust: int
    product: int = -1
    price: int = -1
    bid: int = -1
    told: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    beliefs: tuple[tuple[int, str, bool], ...] = ()
    raised: tuple[str, ...] = ()
    settled: frozenset[str] = frozenset()
    wondered: str = ""
    machine: str = ""
    disclosed: frozenset[tuple[int, int]] = frozenset()
    looked: frozenset[int] = frozenset()
    broken: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    sentences: int = 0
    repeated: int = 0
    end: str = ON
    talk: tuple[tuple[str, str], ...] = ()

    @property
    def open(self) -> str:
        """The objection that waits for an answer, "" for none."""
        return self.raised[-1] if self.raised and self.raised[-1] not in self.settled else ""

    @property
    def asks_identity(self) -> str:
        """What the buyer asked the seller whether it is, and waits to hear: "machine", "person", or ""."""
        return self.machine if self.machine in ("machine", "person") else ""

    def belief(self, product: int) -> dict[str, bool]:
        """Return what the buyer believes of a product: attribute → whether it meets the need."""
        return {attribute: met for number, attribute, met in self.beliefs if number == product}

    def but(self, **changes: Any) -> SalesState:
        """Return the state with some attributes changed; several times faster than `dataclasses.replace`."""
        state = object.__new__(SalesState)
        held = state.__dict__
        held.update(self.__dict__)
        held.pop("_seen", None)
        held.update(changes)
        return state

    def canonical(self, scripted: bool) -> bytes:
        """Return all that decides the futures, as bytes; where the user is not scripted, the words are part of it."""
        hidden = f"{self.manner},{self.patience},{self.trust},{self.sentences},{self.repeated}"
        parts = (self._seen, hidden, repr(self.broken), repr(self.earlier), "" if scripted else repr(self.talk))
        return "\n".join(parts).encode("utf-8", "surrogatepass")

    def visible(self) -> bytes:
        """Return what the seller can tell apart: neither patience, trust and manner nor the seller's own wording."""
        return self._seen.encode()

    @cached_property
    def _seen(self) -> str:
        """Return what both can tell apart, in lines; names of attributes and objections hold no line break."""
        sets = [sorted(names) for names in (self.told, self.asked, self.settled)]
        pairs = (sorted(self.disclosed), sorted(self.looked))
        at = f"{self.product},{self.price},{self.bid},{self.wondered},{self.machine},{self.end}"
        return f"{self.case.hash}\n{at}\n{sets}\n{pairs}\n{self.beliefs}\n{self.raised}"

    def pack(self) -> Any:
        """Return plain values that hold the state; the first is the task's id."""
        return (self.case.task, *[getattr(self, name) for name in _PACKED])

    @classmethod
    def unpack(cls, case: Case, values: Any) -> SalesState:
        """Return the state of what `pack` returned, without the task's id."""
        return cls(case, *values)


_PACKED: Final = tuple(field.name for field in fields(SalesState) if field.name != "case")
