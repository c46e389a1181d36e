"""Every statement of the hostile list comes to what it must, and the file is the same afterwards."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from sql_hostile import LISTED, make_database

from agentgym.envs.text_to_sql.engine import Engine, open_engine


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return open_engine(make_database(tmp_path_factory.mktemp("hostile") / "h.sqlite"))


@pytest.mark.parametrize(
    ("number", "query", "kind"), [pytest.param(*case, id=f"{case[0]}-{case[1]:.20}") for case in LISTED]
)
def test_a_statement_of_the_list(engine: Engine, number: int, query: str, kind: str) -> None:
    before = hashlib.sha256(Path(engine.path).read_bytes()).digest()
    result = engine.run(query)
    assert result.kind == kind, result.message
    assert bool(result.message) == (kind not in ("rows", "sql_plan"))
    assert not result.rows or kind in ("rows", "sql_plan")
    assert engine.run(query) == result
    assert hashlib.sha256(Path(engine.path).read_bytes()).digest() == before
    assert [file.name for file in Path(engine.path).parent.iterdir()] == ["h.sqlite"]
