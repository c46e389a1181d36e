"""All Hypothesis strategies, in one place."""

from typing import Any

import hypothesis.strategies as st
import numpy as np

from agentgym.batch import COLUMNS, TurnBatch
from tests.agentgym.credit_cases import rows_of

REQUIRED = ("group", "trajectory", "turn")
floats = st.floats(allow_nan=False, allow_infinity=False)
ints = st.integers(-(2**63), 2**63 - 1)
texts = st.one_of(
    st.text(st.characters(), max_size=8),  # lone surrogates among them
    st.sampled_from(
        ["", "solved", "\ud83d\ude00", "\ude00\ud83d", "😀", "a\u2028b\r\n\x00", '{"$tuple": [1]}', "$utf8"]
    ),
)
ids = st.one_of(
    texts,
    st.integers(),
    st.tuples(texts, st.integers()),
    st.tuples(),
    st.tuples(st.tuples(st.booleans(), floats), st.binary(max_size=3)),
)


def _sized(strategy: st.SearchStrategy[Any], size: int) -> st.SearchStrategy[list[Any]]:
    return st.lists(strategy, min_size=size, max_size=size)


@st.composite
def matrices(draw: st.DrawFn, rows: int | None = None, columns: int | None = None) -> list[list[float]]:
    """Draw a matrix, of the given sides where they are given; without rows it has no columns."""
    rows = draw(st.integers(0, 3)) if rows is None else rows
    columns = draw(st.integers(0, 3)) if columns is None else columns
    return draw(_sized(_sized(floats, columns), rows))


CELLS: dict[str, st.SearchStrategy[Any]] = {
    "id": ids,
    "int": ints,
    "float": floats,
    "bool": st.booleans(),
    "str": texts,
    "strs": st.lists(texts, max_size=3),
    "dict": st.dictionaries(st.one_of(st.sampled_from(["progress", "format"]), texts), floats, max_size=3),
    "ints": st.lists(ints, max_size=4),
    "floats": st.lists(floats, max_size=4),
    "bools": st.lists(st.booleans(), max_size=4),
    "matrix": matrices(),
}


@st.composite
def rollouts(draw: st.DrawFn, max_rollouts: int = 5, max_turns: int = 4) -> list[dict[str, Any]]:
    """Draw the rows of ragged rollouts with their required columns, in any order."""
    keys = draw(st.lists(st.tuples(st.integers(0, 2), st.sampled_from("xyz")), max_size=max_rollouts, unique=True))
    names = draw(st.lists(ids, min_size=3, max_size=3, unique=True))
    rows = [
        {"group": names[group], "trajectory": member, "turn": turn}
        for group, member in keys
        for turn in range(draw(st.integers(1, max_turns)))
    ]
    return draw(st.permutations(rows))


@st.composite
def turn_rows(draw: st.DrawFn, columns: st.SearchStrategy[list[str]] | None = None) -> list[dict[str, Any]]:
    """Draw rows that make a valid TurnBatch, with any set of columns (or the drawn ones)."""
    rows = draw(rollouts())
    optional = [name for name in COLUMNS if name not in REQUIRED]
    chosen = draw(st.lists(st.sampled_from(optional), unique=True) if columns is None else columns)
    last = {(row["group"], row["trajectory"]): -1 for row in rows}
    for row in rows:
        key = row["group"], row["trajectory"]
        last[key] = max(last[key], row["turn"])
    success = {key: draw(st.booleans()) for key in last}
    for row in rows:
        _fill(
            draw,
            row,
            chosen,
            success[row["group"], row["trajectory"]],
            last[row["group"], row["trajectory"]] == row["turn"],
        )
    return rows


def _fill(draw: st.DrawFn, row: dict[str, Any], chosen: list[str], success: bool, last: bool) -> None:
    tokens, menu, rubrics, plan, gold = (draw(st.integers(0, 3)) for _ in range(5))
    ended = draw(st.sampled_from([(True, False), (False, True), (False, False)])) if last else (False, False)
    bound: dict[str, st.SearchStrategy[Any]] = {
        "success": st.just(success),
        "terminated": st.just(ended[0]),
        "truncated": st.just(ended[1]),
        "outcome_reward": floats if last else st.just(0.0),
        "tokens": st.just(tokens),
        "step_score": st.floats(0.0, 1.0),
        **{
            name: _sized(CELLS[COLUMNS[name].kind[:-1]], tokens)
            for name in ("token_ids", "token_logprobs", "teacher_logprobs", "token_mask")
        },
        "menu": _sized(texts, menu),
        "menu_logprobs": _sized(floats, menu),
        "menu_hindsight_logprobs": matrices(columns=menu),
        "rubric_scores": _sized(floats, rubrics),
        "rubric_relevance": matrices(rows=rubrics, columns=tokens),
        "plan": _sized(texts, plan),
        "gold_plan": _sized(texts, gold),
        "plan_similarity": matrices(rows=plan, columns=gold),
    }
    for name in chosen:
        row[name] = draw(bound.get(name, CELLS[COLUMNS[name].kind]))


def paid_rows(
    max_groups: int = 3, max_rollouts: int = 4, max_turns: int = 5
) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Draw rows with every column that estimators read: the ragged shape, and a seed for the contents."""
    lengths = st.lists(st.integers(1, max_turns), min_size=1, max_size=max_rollouts)
    shapes = st.lists(lengths, min_size=1, max_size=max_groups)
    return st.builds(lambda shape, seed: rows_of(np.random.default_rng(seed), shape), shapes, st.integers(0, 2**32 - 1))


def paid_batches(**limits: int) -> st.SearchStrategy[TurnBatch]:
    """Draw the same as a TurnBatch; rollouts stay together and turns in order."""
    return paid_rows(**limits).map(TurnBatch.from_rows)


# ---- the contract: plain values, actions ---------------------------------------------------------------------------

plain_atoms = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    floats,
    st.text(st.characters(), max_size=8),
    st.binary(max_size=8),
)
plain_keys = st.one_of(st.booleans(), st.integers(-99, 99), st.text(max_size=4), st.tuples(st.integers(), st.text()))


def _nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(plain_keys, inner, max_size=4),
        st.sets(plain_keys, max_size=4),
        st.frozensets(plain_keys, max_size=4),
    )


plain_values = st.recursive(plain_atoms, _nested, max_leaves=12)
"""Everything that the canonical encoding takes but enums and dataclasses."""

json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**63), 2**63 - 1), floats, st.text(max_size=6)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)),
    max_leaves=8,
)
tool_arguments = st.dictionaries(st.text(max_size=6), json_values, max_size=4)

table_changes = st.lists(
    st.tuples(st.sampled_from(["set", "remove"]), st.sampled_from("abcdef"), st.integers(0, 3)), max_size=25
)
"""Changes of a table of single letters: (what, key, value)."""

think_text = st.lists(st.sampled_from(["<think>", "</think>", "think>", "<", "/", " ", "a", "ü"]), max_size=20).map(
    "".join
)
