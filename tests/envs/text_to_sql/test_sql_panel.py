"""The shipped panel as it lies in the package: complete, consistent, and what its script makes."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agentgym.envs.text_to_sql.engine import open_engine
from agentgym.envs.text_to_sql.scorers import make_gold
from agentgym.envs.text_to_sql.shipped import bounds, families, make_panels, misses, panels, quality
from agentgym.envs.text_to_sql.shipped.families import NAMES
from agentgym.rng import TurnRng

SMALL = "permits"  # made anew in a few seconds
DRAWN = TurnRng(20, stream="looked at").shuffled(range(len(panels.entries())))[:40]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("databases")
    make_panels.write_database(families.load(SMALL), made / f"{SMALL}.sqlite")
    return made


@pytest.fixture(scope="module")
def fillings() -> Iterator[list[sqlite3.Connection]]:
    with make_panels.fillings(families.load(SMALL)) as made:
        yield made


def test_the_databases_are_small_files_without_a_journal() -> None:
    files = sorted((make_panels.DATA / "databases").iterdir())
    assert [file.name for file in files] == [f"{name}.sqlite" for name in NAMES]
    assert sum(file.stat().st_size for file in files) + make_panels.QUESTIONS.stat().st_size < 4_000_000
    for file in files:
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
            assert connection.execute("PRAGMA freelist_count").fetchone() == (0,)  # vacuumed
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


def test_every_entry_is_whole() -> None:
    found = panels.entries()
    assert len({entry["id"] for entry in found}) == len(found)
    for entry in found:
        assert set(entry) == {"id", "split", "unseen", *panels.ENTRIES}
        assert entry["database"] in NAMES and entry["id"].startswith(entry["database"] + "/")
        assert entry["difficulty"] in families.DIFFICULTIES
        assert entry["split"] in panels.SPLITS and entry["unseen"] in panels.SPLITS
        assert len(entry["gold"]) == 1 and 10 <= len(set(entry["misses"])) == len(entry["misses"]) <= 14


def test_a_panel_is_a_choice_of_tasks_in_their_splits() -> None:
    everything = panels.splits("all")
    sizes = {split: len(tasks) for split, tasks in everything.items()}
    total = sum(sizes.values())
    assert total == len(panels.entries()) >= 600
    # 60, 15 and 25 per cent, give or take what rounding small groups does
    assert abs(sizes["train"] / total - 0.60) < 0.02 and abs(sizes["test"] / total - 0.25) < 0.02
    levels = [panels.splits(level) for level in families.DIFFICULTIES]
    for split, tasks in everything.items():
        ids = [task.id for level in levels for task in level[split]]
        assert sorted(ids) == sorted(task.id for task in tasks)
        assert all(level[split] for level in levels)  # no panel lacks a split


def test_unseen_databases_occur_in_one_split() -> None:
    homes: dict[str, set[str]] = {}
    for split, tasks in panels.splits("unseen").items():
        for task in tasks:
            homes.setdefault(task.data["database"], set()).add(split)
    assert Counter(split for splits in homes.values() for split in splits) == {"train": 9, "dev": 1, "test": 3}
    assert all(len(splits) == 1 for splits in homes.values())


def test_an_unknown_panel_is_answered_with_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"unknown panel 'hrd' of text_to_sql; did you mean 'hard'\?"):
        panels.splits("hrd")


@pytest.mark.parametrize("number", DRAWN)
def test_content_and_results_are_those_of_the_files(number: int) -> None:
    entry = panels.entries()[number]
    engine = open_engine(panels.database_file(entry["database"]))
    assert entry["content"] == engine.content
    assert make_gold(entry["gold"], engine, ordered=entry["ordered"]).hash == entry["gold_rows"]
    right = engine.run(entry["gold"][0])
    assert right.rows and all(engine.run(query).ok for query in entry["misses"])


def test_the_script_makes_the_database_that_is_shipped(folder: Path) -> None:
    mine, theirs = open_engine(folder / f"{SMALL}.sqlite"), open_engine(panels.database_file(SMALL))
    assert mine.content == theirs.content
    assert mine.tables() == theirs.tables()


def test_the_script_asks_the_questions_that_are_shipped(fillings: list[sqlite3.Connection]) -> None:
    asked = {
        (one.id, one.question, one.evidence, one.gold) for one in make_panels.asked(families.load(SMALL), fillings)
    }
    mine = [entry for entry in panels.entries() if entry["database"] == SMALL]
    assert len(mine) >= 50
    # those that are asked and not shipped had too few misses, or a twin
    assert {(entry["id"], entry["question"], entry["evidence"], entry["gold"][0]) for entry in mine} <= asked
    assert len(asked) - len(mine) <= 5


def test_the_script_makes_the_misses_that_are_shipped(folder: Path, fillings: list[sqlite3.Connection]) -> None:
    tables = open_engine(folder / f"{SMALL}.sqlite").tables()
    values = misses.values_of(tables, fillings[0])
    for entry in [entry for entry in panels.entries() if entry["database"] == SMALL][::25]:
        question = families.Question(**{key: entry[key] for key in quality.COPIED}, gold=entry["gold"][0])
        assert misses.menu_misses(question, fillings, tables, values) == entry["misses"]


@pytest.mark.slow
def test_the_script_makes_all_that_is_shipped(capsys: pytest.CaptureFixture[str]) -> None:
    assert make_panels.main(["--check"]) == 0
    assert capsys.readouterr().err.endswith("the same\n")


# ---- quality --------------------------------------------------------------------------------------------------------


def some(number: int) -> list[dict[str, Any]]:
    """Return some questions about SMALL."""
    return [dict(entry) for entry in panels.entries() if entry["database"] == SMALL][:number]


def test_what_is_promised_of_golds_and_misses_holds_for_some(fillings: list[sqlite3.Connection]) -> None:
    rows = [*quality.of_golds(some(6), {SMALL: fillings}), *quality.of_misses(some(6), {SMALL: fillings})]
    held = {row.name: row.holds for row in rows}
    counted = [name for name in held if name.startswith("golds with") and "literal" not in name]
    assert len(counted) == 7 and not any(held[name] for name in counted)  # six golds are fewer than 25
    assert all(held[name] for name in held if name not in counted and "constructs" not in name), rows


def test_broken_entries_are_counted(fillings: list[sqlite3.Connection]) -> None:
    broken = some(4)
    broken[0]["gold"] = ["SELECT nothing"]
    broken[1]["question"] = "What?"
    broken[1]["evidence"] = ""
    broken[2]["misses"] = [broken[2]["gold"][0], *broken[2]["misses"][1:]]
    broken[3]["misses"] = broken[3]["misses"][:9]
    found = {row.name: row for row in quality.of_misses(broken[2:], {SMALL: fillings})}
    passing = found["near misses that fail, or could pass for the gold in a filling"]
    assert (passing.value, passing.holds) == (1, False)
    assert (found["fewest near misses of a question"].value, found["fewest near misses of a question"].holds) == (
        9,
        False,
    )
    with pytest.raises(sqlite3.Error):
        quality.of_golds(broken[:1], {SMALL: fillings})
    silent = {row.name: row for row in quality.of_golds(broken[1:2], {SMALL: fillings})}
    assert silent["golds with a literal that question and evidence do not say"].value == 1
    assert silent["golds that fail, give nothing, cut through a tie, read the clock or hang on chance"].value == 1


def test_copies_and_frames_are_counted() -> None:
    first, second, third = some(3)
    second["question"] = first["question"].upper()
    third["gold"] = [first["gold"][0].replace("SELECT", "select ")]
    schemas = {SMALL: open_engine(panels.database_file(SMALL)).tables()}
    found = {row.name: row for row in quality.of_copies([first, second, third], schemas)}
    assert found["questions asked twice"].value == 1 and not found["questions asked twice"].holds
    assert found["golds that occur twice"].value == 1
    framed = [{**first, "question": f"Who has {n} cats in {town}?"} for n, town in ((3, "Rome"), (40, "Ely"))]
    rows = {row.name: row.value for row in quality.of_questions([*framed, third])}
    assert rows["questions"] == 3
    assert rows["commonest wording but for names and numbers, per cent"] == 66.67  # two of three


def test_bounds_are_kept_or_broken() -> None:
    assert bounds.least("rows", 20_000, 20_000).holds and not bounds.least("rows", 19_999, 20_000).holds
    assert bounds.most("share", 3.0, 3).holds and not bounds.most("share", 3.01, 3).holds
    assert bounds.none("twice", 0).holds and not bounds.none("twice", 1).holds
    assert bounds.least("rows", 1, 20_000).bound == "at least 20,000"


@pytest.mark.slow
def test_every_promise_holds() -> None:
    broken = [row for row in quality.measure() if not row.holds]
    assert not broken, broken
