"""Whether two results are one table but for the order of columns, and of rows; by search, not by trying all orders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any, Final

Rows = Sequence[tuple[Any, ...]]

WORK: Final = 1_000_000
"""Rows that the search may look at, over all columns tried, beyond one look at each column of the table."""


def same_table(gold: Rows, pred: Rows, *, ordered: bool, work: int = WORK) -> bool:
    """Return whether some order of the columns of `pred` gives the rows of `gold`, each as often.

    Rows without a value differ in nothing: two results of no rows are the same whatever their columns. Values are
    compared as Python does it: 1, 1.0 and True are one value, NULL equals NULL.

    The search assigns one column after the other and keeps the rows in classes of equal beginnings, so that a wrong
    column shows at once. Tables exist that are so regular that this takes too long (every row and column alike, but for
    how they hang together); the bound on the work ends that with False.

    Args:
        gold: rows of equal length.
        pred: the same.
        ordered: whether the order of rows counts.
        work: see WORK; where the search needs more, the answer is False.
    """
    if len(gold) != len(pred):
        return False
    if not gold or list(gold) == list(pred):
        return True
    if len(gold[0]) != len(pred[0]):
        return False
    if ordered:  # then a column is the list of its values
        return Counter(zip(*gold, strict=True)) == Counter(zip(*pred, strict=True))
    counts, others = Counter(gold), Counter(pred)
    if counts == others:
        return True
    if len(counts) != len(others):
        return False
    return _Search(counts, others, work + len(counts) * len(gold[0])).found()


class _Search:
    """Backtracking over the columns; both tables as distinct rows of small numbers, the same for equal values."""

    def __init__(self, gold: Counter[tuple[Any, ...]], pred: Counter[tuple[Any, ...]], work: int) -> None:
        codes: dict[Any, int] = {}
        self.left = work
        self.gold = [[codes.setdefault(value, len(codes)) for value in row] for row in gold]
        self.pred = [[codes.setdefault(value, len(codes)) for value in row] for row in pred]
        self.width = len(codes)
        classes: dict[Hashable, int] = {}  # rows that can correspond: as frequent, and of the same values
        self.gold_rows = [classes.setdefault((n, *sorted(row)), len(classes)) for row, n in self._with(self.gold, gold)]
        self.pred_rows = [classes.setdefault((n, *sorted(row)), len(classes)) for row, n in self._with(self.pred, pred)]

    @staticmethod
    def _with(rows: list[list[int]], counts: Counter[tuple[Any, ...]]) -> list[tuple[list[int], int]]:
        return list(zip(rows, counts.values(), strict=True))

    def found(self) -> bool:
        """Return whether a one-to-one assignment of columns gives equal rows."""
        if Counter(self.gold_rows) != Counter(self.pred_rows):
            return False
        gold, pred = self._columns(self.gold), self._columns(self.pred)
        kinds = [self._kind(column, self.gold_rows) for column in gold]
        candidates: dict[tuple[int, ...], list[list[int]]] = {}
        for column in pred:
            candidates.setdefault(self._kind(column, self.pred_rows), []).append(column)
        sizes = {kind: len(columns) for kind, columns in candidates.items()}
        if Counter(kinds) != Counter(sizes):
            return False
        order = sorted(range(len(gold)), key=lambda place: (sizes[kinds[place]], kinds[place], place))
        return self._assign([gold[place] for place in order], [candidates[kinds[place]] for place in order])

    @staticmethod
    def _columns(rows: list[list[int]]) -> list[list[int]]:
        return [list(column) for column in zip(*rows, strict=True)]

    def _kind(self, column: list[int], rows: list[int]) -> tuple[int, ...]:
        """What a column shares with those that it can correspond to: its values, with the classes of their rows."""
        return tuple(sorted(row * self.width + value for row, value in zip(rows, column, strict=True)))

    def _assign(self, gold: list[list[int]], candidates: list[list[list[int]]]) -> bool:
        """Give each gold column one of its candidates, depth first, without recursion."""
        steps = [_Step(self.gold_rows, self.pred_rows, candidates[0])]
        while steps:
            step = steps[-1]
            column = step.next([other.taken for other in steps[:-1]])
            if column is None:
                steps.pop()
                continue
            self.left -= len(column)
            if self.left < 0:
                return False
            refined = step.refine(gold[len(steps) - 1], column)
            if refined is None:
                continue
            if len(steps) == len(gold):
                return True
            steps.append(_Step(*refined, candidates[len(steps)]))
        return False


class _Step:
    """One gold column to be assigned, with the classes of rows that the columns before it have left."""

    def __init__(self, gold: list[int], pred: list[int], candidates: list[list[int]]) -> None:
        self.gold, self.pred = gold, pred
        self.taken: list[int] = []
        self._candidates, self._at, self._tried = candidates, 0, set[tuple[int, ...]]()

    def next(self, taken: list[list[int]]) -> list[int] | None:
        """Return the next candidate that no step before has taken; of equal columns one is enough."""
        while self._at < len(self._candidates):
            column = self._candidates[self._at]
            self._at += 1
            if not any(column is other for other in taken):
                values = tuple(column)
                if values not in self._tried:
                    self._tried.add(values)
                    self.taken = column
                    return column
        return None

    def refine(self, gold: list[int], pred: list[int]) -> tuple[list[int], list[int]] | None:
        """Return the classes of rows by this column too; None where those of the two tables do not correspond."""
        classes: dict[tuple[int, int], int] = {}
        wanted = [classes.setdefault(pair, len(classes)) for pair in zip(self.gold, gold, strict=True)]
        got = [classes.get(pair, -1) for pair in zip(self.pred, pred, strict=True)]
        return (wanted, got) if Counter(wanted) == Counter(got) else None
