"""What Spider's scorer does to the text of a query: DISTINCT goes and operators are joined, where they are meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym.envs.text_to_sql.distinct import with_operators_joined, without_distinct
from tests import linear


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("SELECT DISTINCT a, count(Distinct b)", "SELECT  a, count( b)"),
        ("SELECT 'DISTINCT', \"distinct\", [distinct], `distinct`", None),
        ("SELECT 'it''s DISTINCT' -- DISTINCT\n/* DISTINCT */", None),
        ("SELECT a IS DISTINCT FROM b, a IS NOT DISTINCT FROM b", None),
        ("SELECT distinct_id, is_distinct FROM t", None),
        ("SELECT 'open DISTINCT", None),
        ("SELECT /* open DISTINCT", None),
        ("", None),
    ],
)
def test_distinct_goes_where_it_is_a_keyword(query: str, wanted: str | None) -> None:
    assert without_distinct(query) == (query if wanted is None else wanted)


def test_operators_are_joined_outside_texts() -> None:
    joined = with_operators_joined("a > = 1 AND b < = 2 AND c ! = '! =' AND \"> =\" >  = 3 -- > =")
    assert joined == "a >= 1 AND b <= 2 AND c != '! =' AND \"> =\" >  = 3 -- > ="


@given(st.text(alphabet="'\"`[]-/*\n distinctIS>=!x;", max_size=60))
def test_what_is_rewritten_loses_nothing_else(query: str) -> None:
    left = without_distinct(query)
    assert "".join(left.split()) in ("".join(query.split()), left.replace(" ", "").replace("\n", "")) and len(
        left
    ) <= len(query)
    assert len(with_operators_joined(query)) <= len(query)


@pytest.mark.parametrize("piece", ["'", '"', "/*", "-", "DISTINCT ", "''", "> ", "["])
def test_rewriting_takes_linear_time(piece: str) -> None:
    assert min(linear.ratios(without_distinct, lambda size: piece * size, 20_000)) <= 15
