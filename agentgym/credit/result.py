"""What an estimator returns (`Terms`) and what the caller gets (`Credit`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from agentgym.batch.ragged import Ragged
from agentgym.credit.algebra import Bools, Floats, Ints, finite, in_range
from agentgym.errors import MissingColumn

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch


class Channel(NamedTuple):
    """One stream of a hierarchical estimate: a value a row, and the mask of the rows where it exists (0 elsewhere)."""

    values: Floats
    mask: Bools


class TokenCredit(NamedTuple):
    """A value a generated token, padded with 0 to the longest row: values and mask of shape [rows, longest]."""

    values: Floats
    mask: Bools


class Terms:
    """The return value of an estimator that has more to say than its terms.

    Args:
        terms: named terms, one value a row in the rows' order, already weighted: they add up to the advantage.
        channels: named streams for hierarchical estimators.
        total: the advantage where it is not the sum of the terms (hierarchical estimators: the action stream).
        tokens: one vector a row where tokens of a turn differ; a `Ragged` is taken as it is.
        diagnostics: what the formula computes on the way; a function without arguments is called at first look.
    """

    __slots__ = ("channels", "diagnostics", "terms", "tokens", "total")

    def __init__(
        self,
        terms: Mapping[str, ArrayLike],
        *,
        channels: Mapping[str, Channel] | None = None,
        total: ArrayLike | None = None,
        tokens: Ragged | Sequence[ArrayLike] | None = None,
        **diagnostics: Any,
    ) -> None:
        self.terms = terms
        self.channels = channels or {}
        self.total = total
        self.tokens = tokens
        self.diagnostics = diagnostics


class Diagnostics(Mapping[str, Any]):
    """A mapping whose values may be functions without arguments: each is called once, at the first look at its key.

    Looking at one key costs that key alone, asking whether it is there nothing. `dict(diagnostics)` holds all values; a
    pickle holds those that are known by then, as some cost much: look first at what has to travel.
    """

    def __init__(self, entries: Mapping[str, Any | Callable[[], Any]]) -> None:
        self._entries = dict(entries)

    def __getitem__(self, name: str) -> Any:
        value = self._entries[name]
        if callable(value):
            value = self._entries[name] = value()
        return value

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __deepcopy__(self, memo: dict[int, Any]) -> Diagnostics:
        return Diagnostics({k: v if callable(v) else deepcopy(v, memo) for k, v in self._entries.items()})

    def __repr__(self) -> str:
        return f"Diagnostics({', '.join(self._entries)})"

    def __reduce__(self) -> tuple[type[Diagnostics], tuple[dict[str, Any]]]:
        return Diagnostics, ({name: value for name, value in self._entries.items() if not callable(value)},)


@dataclass(frozen=True)
class Credit:
    """The advantages of a batch.

    Attributes:
        estimator: the estimator's name.
        options: every option it ran with.
        total: the advantage, float64, one value a row in the batch's row order.
        terms: named parts, already weighted, that add up to `total` (channels excepted: there it is the action stream).
        channels: streams of a hierarchical estimator, each with the mask of the rows where it exists.
        diagnostics: what the formula computed on the way, and the checks of `agentgym.credit.diagnostics`; lazy.
        tokens: one vector a row for estimators that tell tokens of a turn apart, else None.
    """

    estimator: str
    options: Mapping[str, Any]
    total: Floats
    terms: Mapping[str, Floats]
    channels: Mapping[str, Channel] = field(default_factory=dict)
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
    tokens: Ragged | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.total)

    @overload
    def to_tokens(self, batch: TurnBatch, padded: Literal[False] = False) -> list[Floats]: ...

    @overload
    def to_tokens(self, batch: TurnBatch, padded: Literal[True]) -> TokenCredit: ...

    def to_tokens(self, batch: TurnBatch, padded: bool = False) -> list[Floats] | TokenCredit:
        """The advantage of every generated token: its turn's value, unless the estimator tells tokens apart.

        Args:
            batch: the batch that was estimated, with the column `token_ids`, `token_logprobs` or `tokens` (counts).
            padded: one padded array with its mask instead of one vector a row.

        Returns:
            A list of vectors, row i's of length tokens[i]; or `TokenCredit` with arrays of shape [rows, longest].

        Raises:
            MissingColumn: the batch says nowhere how many tokens a row has.
            ValueError: the batch is not the one that was estimated: it has another number of rows.
        """
        if len(batch) != len(self.total):
            raise ValueError(f"this credit has {len(self.total)} rows and the batch {len(batch)}: pass the same batch")
        if self.tokens is None:
            rows = [np.full(count, value) for count, value in zip(token_counts(batch), self.total, strict=True)]
        else:
            rows = [row.copy() for row in self.tokens]
        if not padded:
            return rows
        counts = np.fromiter(map(len, rows), np.int64, len(rows))
        mask = np.arange(counts.max(initial=0)) < counts[:, None]
        values = np.zeros(mask.shape)
        values[mask] = np.concatenate(rows) if rows else []
        return TokenCredit(values, mask)


def token_counts(batch: TurnBatch) -> Ints:
    """The number of generated tokens of each row, from `token_ids`, `token_logprobs` or `tokens`."""
    counts = known_token_counts(batch)
    if counts is None:
        raise MissingColumn(
            "to_tokens needs the column 'tokens' (how many each turn has) or 'token_ids': add it to the batch"
        )
    return counts


def known_token_counts(batch: TurnBatch) -> Ints | None:
    """`token_counts`, or None where the batch says nowhere how many there are."""
    for name in ("token_ids", "token_logprobs"):
        if name in batch:
            lengths: Ints = batch[name].lengths
            return lengths
    if "tokens" not in batch:
        return None
    counts: Ints = batch["tokens"]
    return counts


def make_credit(
    name: str,
    options: Mapping[str, Any],
    made: Any,
    rows: int,
    checks: Callable[[Floats], Mapping[str, Callable[[], Any]]],
    counts: Ints | None = None,
) -> Credit:
    """Check what an estimator returned and add up its terms.

    Args:
        name: the estimator's name, for messages.
        options: the options that it ran with.
        made: `Terms`, a mapping of term name to values, or one array.
        rows: the number of rows of the batch.
        counts: the number of tokens of each row, where the batch has it: what token values have to agree with.
        checks: from the total to further diagnostics, computed at the first look; the estimator's own win.

    Raises:
        TypeError: `made` is none of these. ValueError: no term, a wrong shape, a value that is not finite.
    """
    if made is None:
        raise TypeError(f"estimator {name!r} returned nothing: return an array or a mapping of term name to array")
    made = made if isinstance(made, Terms) else Terms(made if isinstance(made, Mapping) else {"advantage": made})
    if not made.terms:
        raise ValueError(f"estimator {name!r} returned no term: return an array or a mapping of term name to array")
    terms = {term: finite(values, _called(term, name), rows) for term, values in made.terms.items()}
    if made.total is None:
        total = in_range(f"the sum of the terms of estimator {name!r}", lambda: np.sum(list(terms.values()), axis=0))
    else:
        total = finite(made.total, _called("total", name), rows)
    tokens = None if made.tokens is None else _tokens(name, made.tokens, rows, counts)
    diagnostics = Diagnostics({**checks(total), **made.diagnostics})
    return Credit(name, dict(options), total, terms, made.channels, diagnostics, tokens)


def _tokens(name: str, tokens: Ragged | Sequence[ArrayLike], rows: int, counts: Ints | None) -> Ragged:
    if len(tokens) != rows:
        raise ValueError(f"estimator {name!r} returned token values for {len(tokens)} rows of {rows}")
    if not isinstance(tokens, Ragged) or not np.isfinite(tokens.flat).all():  # row by row, to name the first bad one
        vectors = [finite(row, f"tokens of row {i} of estimator {name!r}") for i, row in enumerate(tokens)]
        lengths = np.fromiter(map(len, vectors), np.int64, len(vectors))
        tokens = Ragged.of(np.concatenate([np.zeros(0), *vectors]), lengths)
    if counts is not None and (wrong := tokens.lengths != counts).any():
        row = int(wrong.argmax())
        raise ValueError(
            f"estimator {name!r} returned {tokens.lengths[row]} token values for row {row}, which has {counts[row]} "
            "tokens: return one value a token"
        )
    return tokens


def _called(term: str, estimator: str) -> str:
    return f"term {term!r} of estimator {estimator!r}"
