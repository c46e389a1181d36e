"""The `base` of an estimator that adds to another one, or changes what another one is paid.

Every estimator of that kind has two options, `base` and `base_options`, and reads them with these functions, so that
they mean the same everywhere:

    a registered name, an `Estimator` or a plain function: it is run, with `base_options` (`preset` may be among them);
    a `Credit` of the same batch: its total;
    one value a row;
    "none": 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from agentgym.credit.algebra import Floats, finite
from agentgym.credit.registry import Estimator, Function, as_estimator
from agentgym.credit.result import Credit

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch

Base = str | Estimator | Function | Credit | ArrayLike
BaseOptions = Mapping[str, Any] | None


def base_advantage(batch: TurnBatch, base: Base, base_options: BaseOptions = None) -> Floats:
    """The advantage to build on, float64 of shape [T] in the rows' order.

    Raises:
        ValueError: an unknown estimator; a Credit or values of another number of rows; `base_options` where nothing is
            run. TypeError: an unknown option of the base, values that are no numbers.
        MissingColumn: the batch lacks a column that the base reads.
    """
    options = _named(base_options)
    if _is_run(base):
        return base_estimator(base)(batch, **options).total
    if options:
        raise ValueError(f"base_options {options} belong to an estimator, and base is none: leave them out")
    if isinstance(base, str):
        return np.zeros(len(batch))
    if isinstance(base, Credit):
        if len(base) != len(batch):
            raise ValueError(f"base has {len(base)} rows and the batch {len(batch)}: give the credit of this batch")
        return base.total
    return finite(base, "base", len(batch))  # type: ignore[arg-type]  # an Estimator or a function was run above


def base_estimator(base: Base) -> Estimator:
    """The estimator to run, for one that has to run it on a changed batch.

    Raises:
        TypeError: `base` is a Credit or values, which are finished. ValueError: an unknown name, "none" among them.
    """
    if isinstance(base, str | Estimator) or callable(base):
        return as_estimator(base)
    raise TypeError(f"base must name an estimator here, as it is run on changed rewards; got {type(base).__name__}")


def base_needs(base: Base, base_options: BaseOptions = None) -> tuple[str, ...]:
    """The columns that the base reads with these options."""
    return base_estimator(base).needs_with(**_named(base_options)) if _is_run(base) else ()


def base_signals(base: Base, base_options: BaseOptions = None) -> tuple[str, ...]:
    """The signals that the base asks worlds for with these options."""
    return base_estimator(base).signals_with(**_named(base_options)) if _is_run(base) else ()


def _named(base_options: BaseOptions) -> dict[str, Any]:
    if base_options is not None and not isinstance(base_options, Mapping):
        raise ValueError(
            f"base_options must be a mapping of option to value, got {base_options!r} ({type(base_options).__name__})"
        )
    return dict(base_options or {})


def _is_run(base: Base) -> bool:
    return isinstance(base, Estimator) or callable(base) or (isinstance(base, str) and base != "none")
