"""Which values an option of an estimator takes, by its annotation and its default."""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

_WANTED = {
    "bool": "True or False (true or false on the command line)",
    "int": "a whole number",
    "float": "a finite number",
    "str": "a text",
    "pair": "two numbers",
}


def kind_of(parameter: inspect.Parameter) -> str:
    """Return what an option takes: "bool", "int", "float", "str", "pair", or "" where any value may be right.

    The annotation decides; without one a default that is a bool or a number does, and any finite number will do for it.
    Defaults of None, mappings and other objects take anything, and so do annotations that name more than one type.
    """
    default, said = parameter.default, parameter.annotation
    kind = type(default).__name__
    if isinstance(default, tuple) and len(default) == 2 and all(isinstance(part, float) for part in default):
        return "pair"
    if said is inspect.Parameter.empty:
        return {"bool": "bool", "int": "float", "float": "float"}.get(kind, "")
    said = said if isinstance(said, str) else getattr(said, "__name__", "")
    return said if kind in ("bool", "int", "float", "str") and said in ("bool", "int", "float", "str") else ""


def check_option(estimator: str, option: str, value: Any, kind: str, default: Any) -> None:
    """Refuse a value of another type than the option takes.

    Raises:
        ValueError: the value is none of the kind (see `kind_of`), or not finite where the default is.
    """
    if kind and not _fits(kind, value, default):
        shown = repr(value)
        shown = shown if len(shown) <= 60 else shown[:57] + "…"
        raise ValueError(
            f"option {option!r} of estimator {estimator!r} takes {_WANTED[kind]}, got {shown} "
            f"({type(value).__name__}): write one such as its default, {option}={default!r}"
        )


def _fits(kind: str, value: Any, default: Any) -> bool:
    if kind == "bool":
        return isinstance(value, bool | np.bool_)
    if kind == "str":
        return isinstance(value, str)
    if kind == "pair":
        return _is_sequence(value) and len(value) == 2 and all(_is_number(part) and part == part for part in value)
    if not _is_number(value) or (kind == "int" and not isinstance(value, Integral)):
        return False
    return _is_finite(value) or not math.isfinite(default)


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence | np.ndarray) and not isinstance(value, str | bytes)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an int beyond float64
        return False
