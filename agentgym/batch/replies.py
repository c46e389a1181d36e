"""What a policy answered, checked when it comes: a reply that no record can hold is found before the next turn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

NEVER = math.log(5e-324)
"""What is recorded for a log-probability of −inf: the log of the smallest positive float."""


def reply_values(
    text: Any, logprob: Any, menu_logprobs: Any, ids: Any, logprobs: Any, menu: Sequence[str]
) -> tuple[str, float | None, list[float] | None, list[int] | None, list[float] | None]:
    """Return text, logprob, menu_logprobs, token_ids and token_logprobs of a reply as a record keeps them, copied.

    Raises:
        ValueError: one that cannot be recorded; the message says which, and goes on with «at …».
    """
    if not isinstance(text, str):
        raise ValueError(f"the policy returned {text!r:.60} ({type(text).__name__}), not text,")
    if logprob is not None:
        (logprob,) = _finite("logprob", [logprob])
    over = None
    if menu_logprobs is not None:
        over = _distribution(menu_logprobs, menu, text)
        logprob = over[menu.index(text)] if logprob is None else logprob
    if ids is not None:
        ids = _listed("token_ids", ids)
        for number in ids:
            if type(number) is bool or not isinstance(number, Integral) or not -(2**63) <= int(number) < 2**63:
                raise ValueError(f"the policy's token_ids hold a {type(number).__name__}, not an int below 2**63,")
    if logprobs is not None:
        logprobs = _finite("token_logprobs", _listed("token_logprobs", logprobs))
        if ids is not None and len(ids) != len(logprobs):
            raise ValueError(f"the policy's token_ids are {len(ids)} and its token_logprobs {len(logprobs)}")
    return text, logprob, over, ids, logprobs


def _listed(name: str, values: Any) -> list[Any]:
    values = values.tolist() if hasattr(values, "tolist") else values  # an array or a tensor
    if isinstance(values, str | bytes) or not isinstance(values, Sequence):
        raise ValueError(f"the policy's {name} are {values!r:.60} ({type(values).__name__}), not a list,")
    return list(values)


def _floats(name: str, values: list[Any]) -> list[float]:
    if set(map(type, values)) <= {float}:
        return values
    for value in values:
        if type(value) is bool or not isinstance(value, Real):
            raise ValueError(f"the policy's {name} holds {value!r:.60} ({type(value).__name__}), not a float,")
    try:
        return [float(value) for value in values]
    except OverflowError:
        raise ValueError(f"the policy's {name} holds a number too large for a float") from None


def _finite(name: str, values: list[Any]) -> list[float]:
    for value in _floats(name, values):
        if not math.isfinite(value):
            raise ValueError(f"the policy's {name} holds {value}, not a finite float,")
    return _floats(name, values)


def _distribution(logprobs: Any, menu: Sequence[str], text: str) -> list[float]:
    found = _floats("menu_logprobs", _listed("menu_logprobs", logprobs))
    if len(found) != len(menu) or text not in menu:
        raise ValueError(f"the policy's {len(found)} menu_logprobs or its text do not fit the menu of {len(menu)}")
    try:
        total = math.fsum(map(math.exp, found))
    except OverflowError:
        total = math.inf
    if not abs(total - 1.0) <= 1e-6:
        raise ValueError(f"the policy's menu_logprobs are no distribution (their probabilities sum to {total:.9g})")
    return [NEVER if value == -math.inf else value for value in found]
