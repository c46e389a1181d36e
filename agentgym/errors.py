"""The errors a caller can make, each with its remedy in the message."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class AgentGymError(Exception):
    """Base of the errors that agentgym defines itself; bad arguments raise ValueError or TypeError as usual."""


class StepAfterEnd(AgentGymError):
    """`step` was called after the episode ended, or before the first `reset`."""


class WorldError(AgentGymError):
    """A world broke the contract (a non-finite reward, an unhashable state); the message names the rule."""


class SnapshotError(AgentGymError, ValueError):
    """A snapshot does not belong to this world, version, panel or data, or its bytes are damaged."""


class LogError(AgentGymError):
    """A log of rollouts cannot be written, read or replayed; the message names the file, the place and the remedy."""


class DataError(AgentGymError, ValueError):
    """A public data set cannot be read, or is no longer what was checked; the message names file, item and remedy."""


class InfraError(AgentGymError):
    """Something outside a world failed: an endpoint, a judge, a server. The episode ends, and never counts as a 0.

    Raised in a transition, it becomes the end `infra_error`, with `detail` as the first word of `end_detail`.

    Attributes:
        detail: what failed, one word: "user_error", "judge_error", "policy_error".
    """

    def __init__(self, message: str, detail: str = "") -> None:
        super().__init__(message)
        self.detail = detail

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.detail)


class MissingColumn(AgentGymError, KeyError, AttributeError):
    """A record lacks a column that an estimator needs; an AttributeError so that hasattr and getattr work as usual."""

    def __str__(self) -> str:  # KeyError would print the repr of the message
        return str(self.args[0]) if self.args else ""


def unknown(kind: str, name: object, known: Iterable[object], where: str = "") -> str:
    """Return «unknown KIND 'NAME' WHERE; did you mean 'NEAREST'? known: …» with at most twelve known names.

    Args:
        kind: what it is a name of, such as "task".
        name: what was asked for.
        known: the names there are.
        where: what they belong to, such as "of panel 'goto'".
    """
    names = [str(item) for item in known]
    asked = str(name)[:80]  # may come from a model, of any length
    near = difflib.get_close_matches(asked, names, n=1, cutoff=0.4)
    hint = f"; did you mean {near[0]!r}?" if near else ";"
    shown = ", ".join(names[:12]) + (f", … ({len(names)} in all)" if len(names) > 12 else "")
    return f"unknown {kind} {asked!r}{where and ' ' + where}{hint} known: {shown or 'none'}"
