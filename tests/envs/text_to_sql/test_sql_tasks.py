"""Tasks and panels: what a task may hold, and what is said of one that is wrong."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sql_cases

from agentgym import Task, TaskPanel
from agentgym.envs.text_to_sql import tasks
from agentgym.envs.text_to_sql.env import TextToSQLEnv
from agentgym.envs.text_to_sql.state import DEFAULT
from agentgym.envs.text_to_sql.trial import gold_of


def refused(match: str, **more: Any) -> None:
    """Check that a task with this data is refused with such words, and that they name it."""
    with pytest.raises(ValueError, match=match) as caught:
        gold_of(tasks.question_of(sql_cases.task("lund", **more), DEFAULT))
    assert str(caught.value).startswith("task 'lund': ")


@pytest.mark.parametrize(
    "key, value, words",
    [
        ("database", "", "'database'"), ("database", None, "'database'"), ("question", "  ", "'question'"),
        ("question", 7, "'question'"), ("gold", "", "'gold'"), ("gold", [], "'gold'"), ("gold", ["a", 3], "'gold'"),
        ("gold", None, "'gold'"), ("evidence", None, "'evidence'"), ("category", 1, "'category'"),
        ("ordered", "yes", "'ordered'"), ("misses", "SELECT 1", "'misses'"), ("misses", [""], "'misses'"),
        ("misses", 5, "'misses'"), ("misses", None, "'misses'"), ("misses", {"SELECT 1": 2}, "'misses'"),
        ("goldd", "SELECT 1", "did you mean 'gold'"), ("gold_row", "", "did you mean 'gold_rows'"),
    ],
)  # fmt: skip
def test_wrong_entries_are_named(key: str, value: Any, words: str) -> None:
    refused(words, **{key: value})


def test_a_missing_database_is_named() -> None:
    refused("nowhere.sqlite", database="nowhere.sqlite")


def test_a_broken_database_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(b"no database at all" * 100)
    refused("broken.sqlite", database=str(broken))


def test_a_database_of_other_content_is_refused() -> None:
    content = tasks.question_of(sql_cases.task("north"), DEFAULT).content
    refused("holds other content", content=content)
    right = tasks.question_of(sql_cases.task("lund"), DEFAULT).content
    assert tasks.question_of(sql_cases.task("lund", content=right), DEFAULT).content == right


def test_a_gold_that_does_not_run_is_refused() -> None:
    refused("does not run: sql_error, no such table: nowhere", gold="SELECT 1 FROM nowhere")
    refused("does not run: sql_denied", gold="DELETE FROM customer")
    six = ", ".join(f"customer AS c{number}" for number in range(6))  # 5^6 = 15,625 rows
    refused("does not run: sql_limit", gold=["SELECT 1", f"SELECT 1 FROM {six}"])


def test_rows_other_than_those_of_the_task_are_refused() -> None:
    right = gold_of(tasks.question_of(sql_cases.task("lund"), DEFAULT)).hash
    assert gold_of(tasks.question_of(sql_cases.task("lund", gold_rows=right), DEFAULT)).hash == right
    refused("have the hash", gold_rows="0" * 32)


def test_what_is_left_out_is_empty() -> None:
    question = tasks.question_of(sql_cases.task("dear", ordered=sql_cases.OUT, misses=sql_cases.OUT), DEFAULT)
    assert (question.evidence, question.category, question.gold_rows, question.misses) == ("", "", "", ())
    assert question.golds == ("SELECT COUNT(*) FROM product WHERE price > 40",) and question.ordered is False
    several = tasks.question_of(sql_cases.task("dear", gold=["SELECT 2", "SELECT 3"]), DEFAULT)
    assert several.golds == ("SELECT 2", "SELECT 3")
    assert (question.task, question.database, question.dialect) == ("dear", "shop", "sqlite")


def test_a_panel_is_its_tasks_and_rules() -> None:
    own = [sql_cases.task("lund"), sql_cases.task("dear")]
    panel = tasks.ruled(own, DEFAULT)
    assert panel.hash == tasks.ruled(TaskPanel("TextToSQLEnv", {"train": own}), DEFAULT).hash
    others = [replace(DEFAULT, budget=1), replace(DEFAULT, max_rows=1), replace(DEFAULT, scorer="bird")]
    hashes = {tasks.ruled(own, rules).hash for rules in others} | {tasks.ruled(own[:1], DEFAULT).hash}
    assert len(hashes | {panel.hash}) == 5
    assert panel.hash != TaskPanel("TextToSQLEnv", {"train": own}).hash
    twin = pickle.loads(pickle.dumps(panel))
    assert (twin.hash, twin.rules, twin.task("dear")) == (panel.hash, DEFAULT, own[1])
    assert copy.deepcopy(panel) is panel


def test_a_pinned_database_counts_by_content_not_by_path() -> None:
    content = tasks.question_of(sql_cases.task("lund"), DEFAULT).content
    here = sql_cases.task("lund", content=content)
    there = sql_cases.task("lund", content=content, database="/elsewhere/shop.sqlite")
    assert tasks.ruled([here], DEFAULT).hash == tasks.ruled([there], DEFAULT).hash
    unpinned = sql_cases.task("lund", database="/elsewhere/shop.sqlite")
    assert tasks.ruled([unpinned], DEFAULT).hash != tasks.ruled([sql_cases.task("lund")], DEFAULT).hash


def test_the_base_hash_is_of_all_databases(tmp_path: Path) -> None:
    one, both = sql_cases.world("lund", "dear"), sql_cases.world("lund", "north")
    assert one.base_hash == sql_cases.world("lamps").base_hash != both.base_hash
    content = tasks.question_of(sql_cases.task("lund"), DEFAULT).content
    absent = Task("x", {**sql_cases.task("lund").data, "database": "/nowhere.sqlite", "content": content})
    assert TextToSQLEnv(tasks=[absent]).base_hash == one.base_hash  # it says what it holds; checked when played
    assert TextToSQLEnv(tasks=[Task("x", {"database": "/nowhere.sqlite"})]).base_hash not in (one.base_hash, "")


@pytest.mark.parametrize(
    "database, name", [("/a/b/shop.sqlite", "shop"), ("shop.db", "shop"), ("postgresql://u@h:1/base?x=/y.z", "base")]
)
def test_a_database_has_a_name(database: str, name: str) -> None:
    assert tasks.place(database) == (database, name)


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"scorer": "strickt"}, "did you mean 'strict'"), ({"engine": "sqlit"}, "did you mean 'sqlite'"),
        ({"budget": 0}, "budget must be"), ({"budget": 1.5}, "budget must be"), ({"max_rows": True}, "max_rows must"),
        ({"clock": "yesterday"}, "clock must be"), ({"clock": "2025-02-30 00:00:00"}, "clock must be"),
        ({"panel": "all"}, "tasks= and panel="), ({"data": "spider"}, "tasks= and data="),
        ({"max_turns": 0}, "max_turns"), ({"signals": ("critic",)}, "did you mean 'critique'"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_named(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        sql_cases.world(**arguments)


def test_other_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="did you mean 'hard'"):
        TextToSQLEnv(panel="hart")
    with pytest.raises(ValueError, match="data= and data_dir="):
        TextToSQLEnv(data="spider", data_dir="/tmp")
    with pytest.raises(TypeError, match="did you mean 'scorer'"):
        sql_cases.world(scorers="strict")


@pytest.mark.parametrize("value", [5, [], {}, [1], b"x", 2.5, True, {"a": 1}, set()])
def test_values_of_another_type_are_named_with_their_argument(value: Any) -> None:
    for name, words in (
        ("data", "data must be the name of a data set, not "),
        ("data_dir", "data_dir must be the path of a folder with a data set's files, not "),
        ("engine", "unknown engine "), ("scorer", "unknown scorer "), ("panel", "unknown panel "),
        ("clock", "clock must be a time such as "),
    ):  # fmt: skip
        with pytest.raises((TypeError, ValueError), match=words):
            TextToSQLEnv(**{name: value})
    with pytest.raises((TypeError, ValueError), match=r"tasks must be|not a Task|holds no task"):
        TextToSQLEnv(tasks=value)
    if value != 5:
        for name in ("budget", "max_rows"):
            with pytest.raises(ValueError, match=f"{name} must be an int of at least 1, not "):
                TextToSQLEnv(**{name: value})
