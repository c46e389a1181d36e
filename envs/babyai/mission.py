"""The instruction of a BabyAI level as a tree of frozen values.

A leaf asks for one deed (go to, pick up, open, put next); a `Seq` joins two parts by "before" (a, then b), "after"
(a after you b) or "and" (any order). Fresh trees name objects by type, colour and place; `build.build` resolves the
descriptions against the first state, and a resolved tree sits in `Level.mission_tree`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

LOCATIONS = ("left", "right", "front", "behind")
VERBS = ("go to", "pick up", "open", "put next")
ORDERS = ("before", "after", "and")


@dataclass(frozen=True, slots=True)
class Desc:
    """A description of objects; an empty string means "any".

    `codes` and `doors` are filled when the tree is resolved: the cell codes of the portable objects it means (see
    `state.Kind`) and the cells of the doors it means. Both are fixed at reset: an object that comes out of a box
    later is never meant, and "the ball on your left" stays that ball wherever the agent turns.
    `plural` is True where at reset more than one object fits ("a red ball" rather than "the red ball").
    """

    type: str = ""
    color: str = ""
    loc: str = ""
    codes: tuple[int, ...] = ()
    doors: tuple[int, ...] = ()
    plural: bool = False


@dataclass(frozen=True, slots=True)
class Leaf:
    """One deed. `desc` is what to go to, pick up, open or move; `fixed` is where to put it (verb "put next" only).

    `strict` makes a wrong door or a wrong object end the episode with a failure. `node` is the number of this part
    in the whole tree (root 0, then a before b, parents first); `slot` counts the leaves alone, from the left.
    """

    verb: str
    desc: Desc
    fixed: Desc = Desc()
    strict: bool = False
    node: int = 0
    slot: int = 0


@dataclass(frozen=True, slots=True)
class Seq:
    """Two parts and their `order`: "before" (first a), "after" (first b) or "and" (either first)."""

    order: str
    a: Part
    b: Part
    strict: bool = False
    node: int = 0


Part = Leaf | Seq


def leaves(part: Part) -> Iterator[Leaf]:
    """Yield the leaves from left to right, in the order of their slots."""
    if isinstance(part, Leaf):
        yield part
    else:
        yield from leaves(part.a)
        yield from leaves(part.b)


def nodes(part: Part) -> Iterator[Part]:
    """Yield every part, parents first, in the order of their node numbers."""
    yield part
    if isinstance(part, Seq):
        yield from nodes(part.a)
        yield from nodes(part.b)


def surface(part: Part) -> str:
    """Return a resolved instruction in words, e.g. "pick up the red ball, then go to a door"."""
    if isinstance(part, Seq):
        joint = {"before": ", then ", "after": " after you ", "and": " and "}[part.order]
        return surface(part.a) + joint + surface(part.b)
    if part.verb == "put next":
        return f"put {_name(part.desc)} next to {_name(part.fixed)}"
    return f"{part.verb} {_name(part.desc)}"


def _name(desc: Desc) -> str:
    words = ["a" if desc.plural else "the", desc.color, desc.type or "object"]
    if desc.loc in ("left", "right"):
        words.append(f"on your {desc.loc}")
    elif desc.loc:
        words.append({"front": "in front of you", "behind": "behind you"}[desc.loc])
    return " ".join(word for word in words if word)


def navigations(part: Part) -> int:
    """Return how many walks the instruction needs: put next two, any other deed one (sets the time limit)."""
    return sum(2 if leaf.verb == "put next" else 1 for leaf in leaves(part))
