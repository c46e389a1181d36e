"""The menu: of every kind of thing that a seller may do, what fits and near misses of it.

Each kind has its number of entries, whether or not it is its turn; two more are of kinds that are drawn. What fits has
twins: other questions, another product, the same fact told falsely, another price, another reason. So neither length
nor form nor the words that were said last tell what is right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import Final

from agentgym.envs.sales import expert, seller
from agentgym.envs.sales.buyer import Case
from agentgym.envs.sales.hear import BUDGET, RIVAL
from agentgym.envs.sales.state import SalesState
from agentgym.rng import TurnRng

QUOTAS: Final[Mapping[str, int]] = {
    "ask": 2, "tell": 2, "assure": 1, "say": 1, "go": 1, "look": 1, "quote": 1, "close": 1,
}  # fmt: skip
"""Entries of each kind."""
EXTRA: Final = ("ask", "ask", "tell", "assure", "assure", "say", "look", "quote")
"""Kinds of the further entries, which are drawn."""
SIZE: Final = 12
TRIES: Final = 40
"""How often another entry of a kind is drawn before there is none."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What the entries of a menu are made of.

    Attributes:
        case: the task.
        product: the one at hand, or another where there is none.
        begun: whether the seller has written before.
        named: whether it is the one at hand.
        price: the last quote in US cents, −1 for none.
        doubt: the open objection, "" for none.
        turn: chooses words.
        rng: draws what else is on offer.
    """

    case: Case
    product: int
    begun: bool
    named: bool
    price: int
    doubt: str
    turn: int
    rng: TurnRng


def entries(state: SalesState) -> Sequence[str]:
    """Return what is on offer in a state, the expert's action among it, in an order that says nothing."""
    moment = f"{len(state.told)},{len(state.beliefs)},{len(state.settled)},{len(state.looked)},{state.trust}"
    kind, right = expert.step(state)
    return _entries(
        state.case,
        kind,
        right,
        state.product,
        state.price,
        state.open,
        expert.wording(state),
        bool(state.earlier),
        moment,
    )


@lru_cache(maxsize=8192)
def _entries(
    case: Case, mine: str, right: str, product: int, price: int, doubt: str, turn: int, begun: bool, moment: str
) -> tuple[str, ...]:
    rng = TurnRng(int(case.hash[:12], 16), turn=turn, stream=f"menu {moment} {product} {price} {doubt}")
    at = Moment(
        case, product if product >= 0 else rng.integers(len(case.shelf)), begun, product >= 0, price, doubt, turn, rng
    )
    quotas = dict(QUOTAS)
    for kind in rng.shuffled(EXTRA)[: SIZE - sum(QUOTAS.values())]:
        quotas[kind] += 1
    found = [right]
    for kind, quota in quotas.items():
        room = quota - (kind == mine)
        for number, entry in zip(range(TRIES), POOLS[kind](at), strict=False):
            if room == 0:
                break
            if entry not in found and number < TRIES:
                found.append(entry)
                room -= 1
    return tuple(sorted(found))


# ---- what there is of each kind --------------------------------------------------------------------------------------


def _ask(at: Moment) -> Iterator[str]:
    topics = [*at.case.sells.topics, BUDGET, RIVAL]
    for number in count():
        yield seller.asks(at.case, at.rng.shuffled(topics)[: 1 + at.rng.integers(2)], at.turn + number // 8, at.begun)


def _tell(at: Moment) -> Iterator[str]:
    """What a product has: truly or falsely, of the product at hand or another; or what is worth its price."""
    topics = [*at.case.sells.topics]
    for number in count() if topics else ():
        product = at.product if at.rng.integers(2) else at.rng.integers(len(at.case.shelf))
        if at.doubt in seller.WORTH and at.rng.integers(2):
            yield seller.shows(at.case, product, at.doubt, at.rng.choice(topics), at.turn + 1)
            continue
        many = (1, 2, 2, 3)[at.rng.integers(4)]
        source = product if at.rng.integers(2) else at.rng.integers(len(at.case.shelf))
        yield seller.tells(at.case, product, at.rng.shuffled(topics)[:many], at.turn + number // 8, source)


def _assure(at: Moment) -> Iterator[str]:
    """A fact that resolves a doubt, of the product at hand or, which is false, of another; or time to think."""
    names = [name for name in seller.ASSURES if name in at.case.facts[at.product]]
    for number in count():
        if at.rng.integers(6) == 0:
            yield seller.one(seller.EASE, at.turn, at.case)
        product = at.product if at.rng.integers(2) else at.rng.integers(len(at.case.shelf))
        name = at.rng.choice([name for name in names if name in at.case.facts[product]])
        yield seller.assures(at.case, product, name, at.turn + number // 8)


def _say(at: Moment) -> Iterator[str]:
    """What one says of oneself, what presses, and what has to be disclosed."""
    disclosures = [each.text for each in at.case.shelf[at.product].disclosures]
    texts = [seller.one(each, at.turn, at.case) for each in (seller.IS_MACHINE, seller.IS_PERSON, seller.HURRY)]
    yield from at.rng.shuffled([*texts, *disclosures, *disclosures])


def _go(at: Moment) -> Iterator[str]:
    topics = [*at.case.sells.topics, BUDGET, *([RIVAL] if at.case.buyer.rival else [])]
    yield from (seller.lets_go(at.case, topic, at.turn) for topic in at.rng.shuffled(topics))


def _look(at: Moment) -> Iterator[str]:
    yield from (seller.look_up(at.case, product) for product in at.rng.shuffled(range(len(at.case.shelf))))


def _quote(at: Moment) -> Iterator[str]:
    low, high = at.case.floors[at.product] // 100, at.case.prices[at.product] // 100
    for _ in count():
        price = 100 * (high if at.rng.integers(3) == 0 else at.rng.integers(low, high + 1))
        yield seller.quote(price, "" if at.named else at.case.shelf[at.product].name)


def _close(at: Moment) -> Iterator[str]:
    yield seller.call("close")


POOLS: Final[Mapping[str, Callable[[Moment], Iterator[str]]]] = {
    "ask": _ask, "tell": _tell, "assure": _assure, "say": _say, "go": _go, "look": _look, "quote": _quote,
    "close": _close,
}  # fmt: skip
