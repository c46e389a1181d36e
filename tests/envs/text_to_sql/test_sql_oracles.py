"""Verdicts of the official scorers on 1,809 pairs of queries, and ours; where they part, why.

The pairs and the databases are read from the folder that AGENTGYM_REFERENCE names. The rules, and every deviation, have
cases of their own in test_sql_scorers.py.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentgym.envs.text_to_sql.engine import BUDGET, Engine, open_engine
from agentgym.envs.text_to_sql.scorers import Gold, is_right, make_gold

PLACE = os.environ.get("AGENTGYM_REFERENCE", "")
pytestmark = pytest.mark.skipif(not PLACE, reason="AGENTGYM_REFERENCE names no folder with recorded verdicts")
COLUMN = {"spider": "spider", "spider_keep_distinct": "spider_keep_distinct", "bird": "bird", "defog": "defog_repaired"}

# Verdicts that are not theirs: (scorer, flag) → ours. Numbers as in docs/sql-scorers.md.
DEVIATIONS = {
    ("spider", "no_statement_equals_empty_gold"): False,  # 1
    ("spider_keep_distinct", "no_statement_equals_empty_gold"): False,
    ("bird", "no_statement_equals_empty_gold"): False,
    ("spider", "spider_scores_first_statement_only"): False,  # 2
    ("spider", "spider_int_float_sort"): True,  # 4
    ("spider_keep_distinct", "spider_int_float_sort"): True,
}
# Pairs without a verdict, because the program crashed.
CRASHES = {("spider", "spider_raises_IndexError"): False}


@pytest.fixture(scope="module")
def pairs() -> list[dict[str, Any]]:
    lines = Path(PLACE, "oracles", "sql", "pairs.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def engines() -> Iterator[Any]:
    """Engines of the databases, by name and by whether accepted queries run on them."""
    opened: dict[tuple[str, bool], Engine] = {}

    def engine(name: str, gold: bool) -> Engine:
        key = (name, gold)
        if key not in opened:
            file = Path(PLACE, "data", "defog", f"{name}.sqlite")
            opened[key] = open_engine(file, budget=10 * BUDGET + gold)
        return opened[key]

    yield engine
    for made in opened.values():
        made.close()


@pytest.fixture(scope="module")
def verdicts(pairs: list[dict[str, Any]], engines: Any) -> list[dict[str, bool]]:
    out, golds = [], dict[tuple[str, str, str, str], Gold]()
    for pair in pairs:
        key = (pair["db"], pair["gold"], pair["question"], pair["category"])
        if key not in golds:
            # Spider and BIRD give no verdict on several accepted queries, which semicolons part.
            queries = [query for query in pair["gold"].split(";") if query.strip()]
            golds[key] = make_gold(queries, engines(pair["db"], True), question=key[2], category=key[3])
        engine = engines(pair["db"], False)
        result = engine.run(pair["pred"])
        out.append({scorer: is_right(scorer, golds[key], pair["pred"], result, engine) for scorer in COLUMN})
    return out


@pytest.mark.parametrize("scorer", COLUMN)
def test_every_verdict_is_theirs_or_a_documented_deviation(
    scorer: str, pairs: list[dict[str, Any]], verdicts: list[dict[str, bool]]
) -> None:
    judged = 0
    for number, (pair, ours) in enumerate(zip(pairs, verdicts, strict=True)):
        wanted = pair[COLUMN[scorer]]
        for flag in pair["flags"]:
            wanted = DEVIATIONS.get((scorer, flag), wanted)
            if wanted is None:
                wanted = CRASHES.get((scorer, flag))
        if wanted is not None:
            judged += 1
            assert ours[scorer] is wanted, f"pair {number} ({pair['note']}, {pair['flags']}): {pair['pred']!r}"
    several = sum(pair["spider"] is None and "spider_raises_IndexError" not in pair["flags"] for pair in pairs)
    assert judged == len(pairs) - (0 if scorer == "defog" else several)


def test_deviations_are_as_many_as_the_page_says(pairs: list[dict[str, Any]], verdicts: list[dict[str, bool]]) -> None:
    parted = Counter(
        (scorer, flag)
        for pair, ours in zip(pairs, verdicts, strict=True)
        for scorer in COLUMN
        for flag in pair["flags"]
        if pair[COLUMN[scorer]] is not None and pair[COLUMN[scorer]] is not ours[scorer]
    )
    assert {key: count for key, count in parted.items() if key in DEVIATIONS} == {
        ("spider", "no_statement_equals_empty_gold"): 33,
        ("spider_keep_distinct", "no_statement_equals_empty_gold"): 63,
        ("bird", "no_statement_equals_empty_gold"): 63,
        ("spider", "spider_scores_first_statement_only"): 45,
        ("spider", "spider_int_float_sort"): 9,
        ("spider_keep_distinct", "spider_int_float_sort"): 9,
    }
    # Defog's own verdict, before the fault of shapes is mended.
    assert sum(pair["defog"] is not ours["defog"] for pair, ours in zip(pairs, verdicts, strict=True)) == 70


def test_no_verdict_of_defog_hangs_on_columns_of_one_name(
    pairs: list[dict[str, Any]], verdicts: list[dict[str, bool]]
) -> None:
    """Their program crashes at these 72; none holds the right rows, so ours are wrong by their content."""
    flagged = [
        ours for pair, ours in zip(pairs, verdicts, strict=True) if "defog_crash_on_equal_column_names" in pair["flags"]
    ]
    assert len(flagged) == 72 and not any(ours["defog"] for ours in flagged)


CHEATS = ("empty text", "blanks only", "semicolon only", "comment only", "two statements", "error: markdown fence")


def test_no_cheat_scores(pairs: list[dict[str, Any]], verdicts: list[dict[str, bool]]) -> None:
    tried = Counter[str]()
    for pair, ours in zip(pairs, verdicts, strict=True):
        cheat = pair["note"].rpartition("; ")[2]
        if cheat in CHEATS:
            tried[cheat] += 1
            assert not any(ours.values()), pair
    assert min(tried[cheat] for cheat in CHEATS) >= 20
