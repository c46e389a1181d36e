"""TurnBatch: the record of a set of rollouts, one row a turn, in the order given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agentgym.batch import changes, jsonl, messages, npz, parquet
from agentgym.batch.columns import COLLECTED, COLUMNS, ORIGINS, REQUIRED, STATES
from agentgym.batch.files import reading
from agentgym.batch.index import Index, build_index, check_rules, factorise
from agentgym.batch.inputs import BatchError, FrozenDict, check_names, check_sizes, located, plain_meta, transpose
from agentgym.batch.ragged import Ints, freeze
from agentgym.batch.values import ColumnFault, Values, check_vocabulary, equal, read_column, take
from agentgym.errors import MissingColumn, unknown


class TurnBatch:
    """A frozen record: one row a turn, in the order given, so that `zip(rows, credit.total)` is right.

    Columns are read as attributes (`batch.turn_reward`) or by name (`batch["turn_reward"]`); `agentgym.batch.COLUMNS`
    lists every name with its kind and meaning. Only group, trajectory and turn are required. Every other column is
    optional: in all rows or absent, never filled with a default (`"state" in batch` tells). All arrays are read-only.

    The sort by group, trajectory and turn is private to `order`, `starts`, `lengths`: rollout r has the rows
    `order[starts[r] : starts[r] + lengths[r]]`, first turn first. Rollouts of one group are neighbours.

    Args:
        columns: name → list or array with one entry a row.
        meta: JSON values about the whole batch; `meta["env"]` (id, version, kwargs, panel) lets truth replay it.

    Raises:
        BatchError: an unknown column, unequal lengths, values of a wrong type or not finite, turns that are doubled or
            missing, an outcome or an end before the last turn, success that differs inside a rollout.
    """

    __slots__ = ("_codes", "_columns", "_index", "_meta")
    _codes: dict[tuple[str, ...], Ints]
    _columns: dict[str, Values]
    _index: Index
    _meta: FrozenDict

    def __init__(self, columns: Mapping[str, Any], meta: Mapping[str, Any] | None = None) -> None:
        check_names(columns)
        try:
            stored = {name: read_column(name, values) for name, values in columns.items()}
        except ColumnFault as fault:
            raise located(fault, columns) from None
        self._settle(stored, plain_meta(meta or {}))

    def _settle(self, columns: dict[str, Values], meta: FrozenDict, like: TurnBatch | None = None) -> None:
        """Take over columns that were read already; build the index and check the rules between rows.

        With `like`, a batch of the same rows whose required and state columns are these very ones, its index is shared.
        """
        put = object.__setattr__
        put(self, "_columns", {name: columns[name] for name in COLUMNS if name in columns})
        put(self, "_meta", meta)
        check_sizes(columns)
        if like is not None:
            self._settle_like(like)
            return
        try:
            index = build_index(*(columns[name] for name in REQUIRED))  # type: ignore[arg-type]
            check_rules(columns, index)
            check_vocabulary({name: columns[name] for name in STATES if name in columns})  # type: ignore[misc]
        except ColumnFault as fault:
            raise located(fault, columns) from None
        put(self, "_index", index)
        states = [name for name in STATES if name in columns]
        codes = factorise(*(columns[name] for name in states))  # type: ignore[arg-type]
        put(self, "_codes", {(name,): code for name, code in zip(states, codes, strict=True)})
        self._codes["group",] = index.group_code
        if "anchor" in columns:
            self.codes("group", "anchor")  # what step groups ask for

    def _settle_like(self, like: TurnBatch) -> None:
        try:
            check_rules(self._columns, like._index)
        except ColumnFault as fault:
            raise located(fault, self._columns) from None
        same = {"rollout", *(name for name in like._columns if self._columns.get(name) is like._columns[name])}
        codes = {names: code for names, code in like._codes.items() if same.issuperset(names)}
        object.__setattr__(self, "_index", like._index)
        object.__setattr__(self, "_codes", codes)

    @classmethod
    def _of(cls, columns: dict[str, Values], meta: FrozenDict, like: TurnBatch | None = None) -> TurnBatch:
        batch = cls.__new__(cls)
        batch._settle(columns, meta, like)
        return batch

    @classmethod
    def from_rows(cls, rows: Iterable[Mapping[str, Any]], meta: Mapping[str, Any] | None = None) -> TurnBatch:
        """Build from one mapping a turn; all rows have the same names. Raises BatchError (see the class)."""
        rows = rows if isinstance(rows, list) else list(rows)
        if not rows:
            return cls(dict.fromkeys(REQUIRED, ()), meta)
        return cls(transpose(rows), meta)

    @classmethod
    def from_columns(cls, columns: Mapping[str, Any], meta: Mapping[str, Any] | None = None) -> TurnBatch:
        """Build from name → values; the same as calling the class, and the fastest way in."""
        return cls(columns, meta)

    # --- columns

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> Any:
        """Return a column. Raises MissingColumn (a KeyError and an AttributeError) with the remedy."""
        try:
            return self._columns[name]
        except KeyError:
            raise MissingColumn(self._absent(name)) from None

    def need(self, name: str, *, who: str) -> Any:
        """Return a column that `who` cannot do without. Raises MissingColumn naming both and the remedy."""
        if name not in self._columns:
            raise MissingColumn(f"{who} needs the column {name!r}: {self._absent(name)}")
        return self._columns[name]

    def _absent(self, name: str) -> str:
        if name not in COLUMNS:
            return unknown("column", name, COLUMNS)
        return f"{name!r} ({COLUMNS[name].about}) is not in this batch; {ORIGINS.get(name, COLLECTED)}"

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that are there, in the order of the schema."""
        return tuple(self._columns)

    @property
    def meta(self) -> FrozenDict:
        """JSON values about the whole batch; change them with `with_meta`."""
        return self._meta

    def codes(self, *names: str) -> Ints:
        """Return int64 codes, one a row: equal where the rows agree in all the named columns.

        One column counts by first appearance; `state`, `next_state` and `anchor` share one vocabulary, so that a
        next_state can be looked up among the anchors. Several columns give dense codes 0, 1, 2 … `rollout` is a name
        here too. Kept after the first call.
        """
        if names not in self._codes:
            parts = [self._code(name) for name in names]
            codes = parts[0]
            for part in parts[1:]:
                codes = np.unique(codes * (int(part.max(initial=0)) + 1) + part, return_inverse=True)[1]
            self._codes[names] = freeze(codes)
        return self._codes[names]

    def _code(self, name: str) -> Ints:
        if name == "rollout":
            return self._index.rollout
        if (name,) not in self._codes:
            values = self[name]
            if not isinstance(values, np.ndarray) or COLUMNS[name].kind in ("float", "strs"):
                raise BatchError(f"codes are for ids, texts, ints and booleans; {name!r} holds {COLUMNS[name].kind}")
            self._codes[name,] = factorise(values)[0]
        return self._codes[name,]

    # --- order

    @property
    def order(self) -> Ints:
        """(n,) rows sorted by group, rollout and turn."""
        return self._index.order

    @property
    def starts(self) -> Ints:
        """(R,) where each rollout begins in `order`."""
        return self._index.starts

    @property
    def lengths(self) -> Ints:
        """(R,) turns of each rollout."""
        return self._index.lengths

    @property
    def rollout(self) -> Ints:
        """(n,) code of the row's rollout, 0 … R-1, in the order of `starts`."""
        return self._index.rollout

    @property
    def group_code(self) -> Ints:
        """(n,) code of the row's group, 0 … G-1."""
        return self._index.group_code

    @property
    def rollout_group(self) -> Ints:
        """(R,) group code of each rollout; never falling."""
        return self._index.rollout_group

    @property
    def last(self) -> NDArray[np.bool_]:
        """(n,) is the row the last turn of its rollout."""
        return self._index.last

    @property
    def num_rollouts(self) -> int:
        """Number of rollouts R."""
        return len(self._index.starts)

    @property
    def num_groups(self) -> int:
        """Number of groups G."""
        return int(self._index.rollout_group.max(initial=-1)) + 1

    def __len__(self) -> int:
        return len(self._index.order)

    # --- new batches

    def select(self, rows: ArrayLike) -> TurnBatch:
        """Return the rows of a mask or of indices, in the order given. Only whole rollouts can be selected.

        Raises:
            BatchError: a mask of another length, an index out of range or twice, or a part of a rollout.
        """
        return changes.select(self, rows)

    def with_columns(self, columns: Mapping[str, Any] | None = None, /, **more: Any) -> TurnBatch:
        """Return the batch with columns added or replaced, one value a row in the rows' order.

        A new column `value` takes meta["value"] with it, which says of which return `collect` recorded the old one.
        """
        new = {**(columns or {}), **more}
        check_names({**self._columns, **new})
        try:
            read = {name: read_column(name, values) for name, values in new.items()}
        except ColumnFault as fault:
            raise located(fault, self._columns) from None
        keeps_order = read.keys().isdisjoint((*REQUIRED, *STATES))
        meta = self._meta
        if "value" in read and "value" in meta:
            meta = plain_meta({key: entry for key, entry in meta.items() if key != "value"})
        return self._of({**self._columns, **read}, meta, like=self if keeps_order else None)

    def without(self, *names: str) -> TurnBatch:
        """Return the batch without the named columns. Raises MissingColumn for one that is not there."""
        for name in names:
            if name in REQUIRED:
                raise BatchError(f"{name!r} cannot be left out: every record has {', '.join(REQUIRED)}")
            self[name]
        return self._of({name: values for name, values in self._columns.items() if name not in names}, self._meta)

    def with_meta(self, meta: Mapping[str, Any] | None = None, /, **more: Any) -> TurnBatch:
        """Return the batch with entries of `meta` added or replaced."""
        return self._of(self._columns, plain_meta({**self._meta, **(meta or {}), **more}))

    def reweight(self, spec: changes.Weights, *, strict: bool = True) -> TurnBatch:
        """Return the batch with turn_reward made from the raw components, and outcome_reward times spec.outcome.

        turn_reward = Σ_name weight(name)·component + spec.invalid on turns that were not valid; a name that
        spec.weights does not list weighs spec.default. The weights are noted in meta["rewards"]. Where rewards change,
        the columns that hold values of the old ones are left out: value, bootstrap_value and value_low, _high, _term.

        Args:
            spec: anything with `weights` (mapping), `default`, `outcome` and `invalid`, such as a RewardSpec.
            strict: refuse a weight whose name no row has; False for a batch in which a rare reward may never occur.

        Raises:
            MissingColumn: no `components`, or no `valid` where spec.invalid is not 0.
            BatchError: an unknown name, or outcomes that were weighted before (start from the original batch).
        """
        return changes.reweight(self, spec, strict=strict)

    @staticmethod
    def concat(batches: Iterable[TurnBatch], *, relabel: bool = False) -> TurnBatch:
        """Return one batch of the rows of all, one after the other; meta["env"] and meta["rewards"] are the same.

        Columns are the same too, but for those that are there by what happened to be played. Where one batch has tag,
        channel, subgoal or plan, the rows of the others get "" (plan: []). step_score, critique, switch, tool_result,
        safe, logprob, menu_logprobs, token_ids and token_logprobs are dropped unless all have them, and
        meta["partial"] lists them. A batch without rows fits whatever its columns.

        Entries of meta that are equal in all batches stay, the others are dropped.

        Args:
            batches: at least one.
            relabel: make every group id (number of the batch, group), so that equal ids in two batches stay apart.

        Raises:
            BatchError: no batch, differing columns, differing meta["env"] or meta["rewards"], or a rollout that is in
                two batches.
        """
        return changes.concat(list(batches), relabel=relabel)

    @classmethod
    def from_messages(cls, rollouts: Iterable[Any], meta: Mapping[str, Any] | None = None) -> TurnBatch:
        """Build from chat logs of other programs, one turn an assistant message.

        Groups are what `group` of the rollouts says; without it rollouts of equal `task` form one; without both those
        that open equally: with the same texts before the first assistant message. A group of one compares nothing.

        Args:
            rollouts: lists of chat messages (OpenAI, Anthropic, ShareGPT), or dicts with `messages` and any of group,
                trajectory, task, outcome, success and rewards; see `agentgym.batch.messages`.
            meta: of the batch.

        Raises:
            BatchError: no rollouts; naming rollout and message, what cannot be read or would be lost, such as images.
        """
        return cls(messages.columns_of(rollouts), meta)

    # --- files

    @classmethod
    def from_log(cls, path: str | PathLike[str], run: int | None = None) -> TurnBatch:
        """Return a run of a RolloutLog as the batch that `collect` returned; see `RolloutLog.batch`.

        Raises:
            LogError: the file is no log, has no such run, or several and none is named.
        """
        from agentgym.log import RolloutLog  # which builds on this module

        return RolloutLog(path).batch(run)

    def to_jsonl(self, path: str | PathLike[str]) -> None:
        """Write a header line and one JSON object a row; the file appears whole or not at all."""
        jsonl.write(self, path)

    @classmethod
    def from_jsonl(cls, path: str | PathLike[str]) -> TurnBatch:
        """Read what `to_jsonl` wrote. Raises BatchError naming the line that is torn or holds no valid row."""
        columns, meta = jsonl.read(path)
        with reading(path, first_line=2):
            return cls(columns, meta)

    def to_npz(self, path: str | PathLike[str]) -> None:
        """Write a compressed NumPy archive without pickles; the file appears whole or not at all."""
        npz.write(self, path)

    @classmethod
    def from_npz(cls, path: str | PathLike[str]) -> TurnBatch:
        """Read what `to_npz` wrote. Raises BatchError for a file that is no such archive, or damaged."""
        columns, meta = npz.read(path)
        with reading(path):
            return cls(columns, meta)

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Write a Parquet file (extra `parquet`); the file appears whole or not at all."""
        parquet.write(self, path)

    @classmethod
    def from_parquet(cls, path: str | PathLike[str]) -> TurnBatch:
        """Read what `to_parquet` wrote (extra `parquet`). Raises BatchError for a file that is none, or damaged."""
        columns, meta = parquet.read(path)
        with reading(path):
            return cls(columns, meta)

    # --- out

    def row(self, number: int) -> dict[str, Any]:
        """Return one row as a fresh dict of plain Python values."""
        return {name: values[0] for name, values in self._lists(np.array([range(len(self))[number]])).items()}

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one dict of plain Python values a row; `from_rows` takes them back."""
        lists = self._lists(None)
        return [dict(zip(lists, values, strict=True)) for values in zip(*lists.values(), strict=True)]

    def _lists(self, rows: Ints | None) -> dict[str, list[Any]]:
        lists = {}
        for name, values in self._columns.items():
            part = (values if rows is None else take(values, rows)).tolist()
            lists[name] = list(map(list, part)) if COLUMNS[name].kind == "strs" else part
        return lists

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TurnBatch):
            return NotImplemented
        same = self.columns == other.columns and self._meta == other._meta
        return same and all(equal(values, other._columns[name]) for name, values in self._columns.items())

    __hash__ = None  # type: ignore[assignment]

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"a TurnBatch is frozen: use batch.with_columns({name}=…)")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a TurnBatch is frozen: use batch.without({name!r})")

    def __reduce__(self) -> tuple[Any, ...]:
        return TurnBatch, (self._columns, dict(self._meta))

    def __repr__(self) -> str:
        env = self._meta.get("env")
        world = f" of {env['id']}" if isinstance(env, dict) and "id" in env else ""
        counts = (
            f"{len(self)} turns, {self.num_rollouts} rollouts, {self.num_groups} groups, {len(self._columns)} columns"
        )
        return f"TurnBatch({counts}{world})"
