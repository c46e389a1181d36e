"""A rule of the checker: a named function of a Subject that raises Broken, or NotChecked where a hook is absent."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentgym.check.subject import Subject

Look = Callable[["Subject"], str | None]


class Broken(Exception):
    """A world breaks a rule; the message says what, where, and what to do."""


class NotChecked(Exception):
    """A rule has nothing to look at; the message says what is absent."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        name: as in `--rule NAME`.
        summary: what it promises, one line.
        hooks: the hooks of a world that it looks at; without one of them it is not checked.
        look: looks at a subject; raises Broken or NotChecked, or returns a note on what was looked at.
    """

    name: str
    summary: str
    hooks: tuple[str, ...]
    look: Look


RULES: dict[str, Rule] = {}
"""All rules by name, in the order in which they are looked at: "made" first, then by module and place in it."""


def rule(name: str, hook: str = "") -> Callable[[Look], Look]:
    """Register a rule; its docstring's first line is what the report says of it.

    Args:
        name: a short name of its own.
        hook: the hook that it looks at, or several, with blanks between; "": none.
    """

    def registered(look: Look) -> Look:
        if name in RULES:
            raise ValueError(f"there is a rule {name!r} already: give this one another name")
        RULES[name] = Rule(name, inspect.cleandoc(look.__doc__ or "").split("\n")[0], tuple(hook.split()), look)
        return look

    return registered


def require(holds: bool, message: str | Callable[[], str]) -> None:
    """Raise Broken with the message unless `holds`; a costly message is given as a function."""
    if not holds:
        raise Broken(message if isinstance(message, str) else message())
