"""Public data, played: from a folder or by name, with the set's own scorer, and with files that changed meanwhile."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agentgym import data
from agentgym.envs.text_to_sql.env import TextToSQLEnv
from agentgym.envs.text_to_sql.sources import USAGE

PLACE = os.environ.get("AGENTGYM_REFERENCE", "")
LEGS = {"db_id": "zoo", "question": "Which legs are there?", "query": "SELECT DISTINCT legs FROM animal"}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTGYM_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def spider(tmp_path: Path) -> Path:
    folder = tmp_path / "spider"
    (folder / "database/zoo").mkdir(parents=True)
    with closing(sqlite3.connect(folder / "database/zoo/zoo.sqlite")) as made:
        made.executescript(
            "CREATE TABLE animal (name, legs); INSERT INTO animal VALUES ('ant', 6), ('bee', 6), ('cat', 4);"
        )
    (folder / "tables.json").write_text("[]")
    (folder / "dev.json").write_text(json.dumps([LEGS]))
    return folder


def answered(world: TextToSQLEnv, task: str, query: str) -> bool:
    world.reset(seed=0, options={"task": task})
    return bool(world.step(f"<solution>{query}</solution>")[4]["success"])


def test_a_set_is_played_by_name_or_from_its_folder_by_its_own_rule(spider: Path) -> None:
    data.add("spider", spider, "mine")
    worlds = [TextToSQLEnv(data="mine"), TextToSQLEnv(data_dir=str(spider))]
    assert worlds[0].panel.hash == worlds[1].panel.hash and worlds[0].panel.name == "spider"
    for world in worlds:
        assert answered(world, "dev-0", "SELECT legs FROM animal")  # DISTINCT is not asked for by Spider's rule
        assert not answered(world, "dev-0", "SELECT name FROM animal")
    strict = TextToSQLEnv(data="mine", scorer="strict")
    assert not answered(strict, "dev-0", "SELECT legs FROM animal")
    assert answered(strict, "dev-0", "SELECT legs FROM animal GROUP BY legs")
    assert strict.panel.hash != worlds[0].panel.hash


def test_a_database_that_changed_or_went_is_an_error_of_the_caller(spider: Path) -> None:
    data.add("spider", spider)
    file = spider / "database/zoo/zoo.sqlite"
    with closing(sqlite3.connect(file)) as made:
        made.executescript("DELETE FROM animal")
    said = (
        r"zoo\.sqlite, needed by task 'dev-0', has changed since it was checked: put the old one back, or run agentgym"
    )
    with pytest.raises(ValueError, match=said):
        TextToSQLEnv(data="spider").reset(seed=0)
    file.unlink()
    with pytest.raises(ValueError, match=r"zoo\.sqlite, needed by task 'dev-0', cannot be read"):
        TextToSQLEnv(data="spider").reset(seed=0)


@pytest.mark.skipif(not PLACE, reason="AGENTGYM_REFERENCE names no folder with public data")
@pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.slow)])
def test_the_expert_solves_defog(step: int) -> None:
    world = TextToSQLEnv(data_dir=str(Path(PLACE, "data", "defog")), signals=("expert",))
    assert (len(world.panel["test"]), world.panel.name) == (314, "defog") and USAGE["defog"].scorer == "defog"
    for task in world.panel["test"][::step]:
        _, info = world.reset(seed=0, options={"task": task.id})
        over = False
        while not over:
            *_, terminated, truncated, info = world.step(info["expert"])
            over = terminated or truncated
        assert info["success"], task.id
