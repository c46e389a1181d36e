"""The world: its tools, rewards, ends and signals, on two small databases."""

from __future__ import annotations

import copy
import pickle
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sql_cases

from agentgym import AgentEnv, Say, SnapshotError, ToolCall, validate_info
from agentgym.envs.text_to_sql import env as env_module
from agentgym.envs.text_to_sql import trial
from agentgym.envs.text_to_sql.engine import EngineFailure
from agentgym.envs.text_to_sql.env import TextToSQLEnv, bare
from agentgym.envs.text_to_sql.structure import COMPONENTS, SCORE

LUND = "SELECT name FROM customer WHERE city = 'Lund'"


def started(name: str = "lund", **kwargs: Any) -> AgentEnv[Any]:
    env = sql_cases.world(name, **kwargs)
    validate_info(env.reset(seed=0)[1])
    return env


def played(env: AgentEnv[Any], *actions: Any) -> list[tuple[str, float, bool, bool, Any]]:
    records = [env.step(action) for action in actions]
    for record in records:
        validate_info(record[4])
    return records


def test_a_whole_episode() -> None:
    env = started(signals=("critique",))
    looked, tried, answered = played(
        env, "<schema>customer</schema>", f"I try: <sql>{LUND}</sql>", f"<solution>{LUND};</solution>"
    )
    assert looked[0].split("\n")[0] == "customer: 5 rows"
    assert tried[0] == "name\nAda\nCy"
    assert answered[0] == "The answer is right."
    assert [record[1:4] for record in (looked, tried, answered)] == [
        (0.0, False, False), (0.0, False, False), (1.0, True, False),
    ]  # fmt: skip
    infos = [record[4] for record in (looked, tried, answered)]
    assert [info["tag"] for info in infos] == ["schema", "ok", "right"]
    assert [info["step_score"] for info in infos] == [0.0, 1.0, 1.0]
    assert [info["components"] for info in infos] == [{}, {"progress": 1.0}, {"progress": 0.0}]
    assert [info["critique"] for info in infos] == [0.0, 1.0, 0.0]
    assert [info["tool_result"] for info in infos] == [True, True, True]
    assert infos[1]["metrics"] == {"csmr": 1.0, "rows": 2.0, "tables": 1.0}
    assert (infos[2]["success"], infos[2]["end_reason"], infos[2]["end_detail"]) == (True, "solved", "right")


@pytest.mark.parametrize(
    "answer, detail",
    [
        ("SELECT name FROM customer WHERE city = 'Oslo'", "wrong"), ("SELECT nam FROM customer", "no_such_column"),
        ("DELETE FROM customer", "sql_denied"), ("", "sql_empty"), ("-- nothing", "sql_empty"), ("/**/;", "sql_empty"),
        (f"{LUND}; DROP TABLE customer", "several_statements"), (f"EXPLAIN {LUND}", "sql_plan"),
    ],
)  # fmt: skip
def test_any_submission_that_is_not_right_fails(answer: str, detail: str) -> None:
    ((observation, reward, terminated, _, info),) = played(started(), f"<submit>{answer}</submit>")
    assert (reward, terminated, info["end_reason"], info["end_detail"]) == (0.0, True, "failed", detail)
    assert info["valid"] and observation.startswith("The answer is wrong.")


@pytest.mark.parametrize("nothing", ["", " ", "-- a comment", ";"])
def test_nothing_never_equals_a_result_without_rows(nothing: str) -> None:
    env = TextToSQLEnv(tasks=[sql_cases.task("lund", gold="SELECT name FROM customer WHERE city = 'Rome'")])
    env.reset(seed=0)
    assert played(env, ToolCall("submit", {"query": nothing}))[0][1] == 0.0
    env.reset(seed=0)
    assert played(env, "<submit>SELECT name FROM customer WHERE city = 'Reykjavik'</submit>")[0][1] == 1.0


def test_errors_leave_the_state_and_say_what_to_do() -> None:
    env = started()
    before = env.state
    for query, tag, said in (
        (
            "SELECT nam FROM customer",
            "no_such_column",
            "no such column: nam; schema(table) shows the columns of a table",
        ),
        ("SELECT * FROM sqlite_master", "sql_denied", "the schema tool shows tables"),
        ("SELECT 1 FROM nowhere", "no_such_table", "the schema tool lists the tables"),
    ):
        ((observation, _, _, _, info),) = played(env, f"<sql>{query}</sql>")
        assert said in observation
        assert (info["tag"], info["step_score"], info["valid"], info["tool_result"]) == (tag, 0.0, True, False)
        assert env.state is before


def test_a_turn_that_cannot_be_done_scores_nothing() -> None:
    env = started(signals=("critique",))
    played(env, f"<sql>{LUND}</sql>")
    for action in (
        "hello",
        "<schema>customers</schema>",
        "<schema><b>x</b></schema>",
        "<sql>",
        ToolCall("sql", {}),
        "",
    ):
        ((*_, info),) = played(env, action)
        assert (info["valid"], info["tag"], info["step_score"], info["critique"]) == (False, "invalid", 0.0, -1.0)
    env = started()
    assert "did you mean 'customer'?" in played(env, "<schema>customers</schema>")[0][0]
    told = "there is no table of this name; the schema tool lists the tables"
    for name in ("customer, item", "<b>x</b>"):
        assert played(env, f"<schema>{name}</schema>")[0][0] == told
    assert "<b>" not in played(env, "<schema><b>x</b></schema>")[0][0]


def test_turns_without_a_query_keep_the_best_score() -> None:
    env = started()
    scores = [
        record[4]["step_score"]
        for record in played(
            env, "<schema></schema>", f"<sql>{LUND}</sql>", "<schema>product</schema>", "<schema></schema>"
        )
    ]
    assert scores == [0.0, 1.0, 1.0, 1.0]
    assert env.potential(env.state) == 1.0


def test_progress_telescopes_and_cannot_be_farmed() -> None:
    """The one column matches half of two: 0.8 · 1 / 2 = 0.4; then all of it; then nothing more."""
    env = started("lamps")
    half = "SELECT c.name FROM customer AS c JOIN purchase AS p USING (customer_id) WHERE p.product_id = 1"
    whole = sql_cases.GOLDS["lamps"][2]
    records = played(env, *[f"<sql>{query}</sql>" for query in (half, half, whole, half, whole)])
    assert [record[4]["components"]["progress"] for record in records] == pytest.approx([0.4, 0.0, 0.6, 0.0, 0.0])
    assert [record[4]["step_score"] for record in records] == pytest.approx([0.4, 0.4, 1.0, 0.4, 1.0])
    assert [record[4]["tag"] for record in records] == ["ok", "duplicate", "ok", "duplicate", "duplicate"]


def test_two_spellings_lead_to_one_state() -> None:
    one, other = started("lamps"), started("lamps")
    played(one, "<sql>SELECT name FROM customer WHERE city = 'Lund' AND customer_id > 1</sql>")
    played(other, "<sql>select C.NAME from Customer as c\nwhere 1 < c.customer_id and (c.city == 'Lund') -- so</sql>")
    assert one._current_info()["state_hash"] == other._current_info()["state_hash"]
    assert one.state == other.state
    assert (
        played(other, "<sql>SELECT name FROM customer WHERE city = 'Lund' AND customer_id > 1</sql>")[0][4]["tag"]
        == "duplicate"
    )


def test_the_order_of_rows_counts_where_the_task_says_so() -> None:
    for name, wrong_order in (
        ("eldest", "SELECT name FROM student ORDER BY name"),
        ("lund", f"{LUND} ORDER BY name DESC"),
    ):
        (record,) = played(started(name), f"<submit>{wrong_order}</submit>")
        assert record[1] == (0.0 if name == "eldest" else 1.0)


@pytest.mark.parametrize(
    "scorer, query, right",
    [
        ("strict", "SELECT name FROM customer WHERE city = 'Lund' UNION ALL SELECT 'Cy'", False),
        ("bird", "SELECT name FROM customer WHERE city = 'Lund' UNION ALL SELECT 'Cy'", True),
        ("strict", "SELECT name, city FROM customer WHERE city = 'Lund'", False),
        ("defog", "SELECT name, city FROM customer WHERE city = 'Lund'", True),
    ],
)
def test_scorers_judge(scorer: str, query: str, right: bool) -> None:
    assert played(started(scorer=scorer), f"<submit>{query}</submit>")[0][1] == float(right)


def test_a_scorer_may_be_more_forgiving_than_the_database() -> None:
    """Spider's rule reads `> =` as `>=`, which SQLite refuses: right, though no result was shown."""
    ((observation, reward, _, _, info),) = played(
        started("dear", scorer="spider"), "<submit>SELECT COUNT(*) FROM product WHERE price > = 45</submit>"
    )
    assert (observation, reward, info["tag"], info["step_score"]) == ("The answer is right.", 1.0, "right", 0.0)
    assert info["end_detail"] == "right"


def test_any_accepted_gold_is_right() -> None:
    for answer in (LUND, "SELECT UPPER(name) FROM customer WHERE city = 'Lund'"):
        env = TextToSQLEnv(tasks=[sql_cases.task("lund", gold=[LUND, f"SELECT UPPER(name) FROM ({LUND})"])])
        env.reset(seed=0)
        ((_, reward, _, _, info),) = played(env, f"<submit>{answer}</submit>")
        assert (reward, info["step_score"]) == (1.0, 1.0)


@pytest.mark.parametrize("codec", ["tags", "hermes", "react", "search_r1", "mt_grpo"])
def test_the_expert_speaks_every_dialect(codec: str) -> None:
    env = started("north", codec=codec, signals=("expert", "menu"))
    info: Any = env._current_info()
    for _ in range(9):
        assert info["expert"] in info["menu"]
        *_, info = env.step(info["expert"])
        if info["end_reason"]:
            break
    assert info["success"]


def test_instructions_say_that_text_alone_does_nothing() -> None:
    for codec in ("tags", "react"):
        env = started(codec=codec)
        assert env.instructions.endswith("\n\nEvery turn needs a call here: text alone is an invalid action.")
        assert played(env, "SELECT name FROM customer")[0][4]["valid"] is False
    assert started(codec=lambda text, tools: Say(text)).instructions == ""


def test_solution_stands_for_submit_in_tags_alone() -> None:
    assert played(started(), f"<think><solution>no</solution></think><solution>{LUND}</solution>")[0][1] == 1.0
    assert "one call a turn" in played(started(), f"<solution>{LUND}</solution><submit>{LUND}</submit>")[0][0]
    assert not played(started(codec="hermes"), f"<solution>{LUND}</solution>")[0][4]["valid"]


@pytest.mark.parametrize(
    "text, query",
    [
        ("SELECT 1", "SELECT 1"), ("```sql\nSELECT 1\n```", "SELECT 1"), ("```SELECT 1```", "SELECT 1"),
        ("  ```sqlite\nSELECT 1;\n```  ", "SELECT 1;"), ("```", "```"), ("``````", ""), ("", ""),
        ("```SQL\nSELECT 1\n```", "SELECT 1"), ("```sqlite3\nSELECT 1```", "SELECT 1"),
        ("```PostgreSQL\nSELECT 1```", "SELECT 1"),
    ],
)  # fmt: skip
def test_a_fence_around_a_query_is_removed(text: str, query: str) -> None:
    assert bare(text) == query


def test_a_failure_of_the_engine_is_no_fault_of_the_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> Any:
        raise EngineFailure("the disk is gone")

    parts = {"<sql>SELECT 1</sql>": "tried", "<submit>1</submit>": "judged", "<schema>customer</schema>": "looked_at"}
    for action, name in parts.items():
        env = started()
        with monkeypatch.context() as patch:
            patch.setattr(env_module, name, fails)
            ((_, reward, terminated, truncated, info),) = played(env, action)
        assert (reward, terminated, truncated) == (0.0, False, True)
        assert (info["end_reason"], info["end_detail"], info["tag"]) == ("infra_error", "the disk is gone", "infra")


def test_a_failure_is_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    env = started()
    question = env.state.question
    with monkeypatch.context() as patch:
        patch.setattr(trial, "_run", lambda *_: (_ for _ in ()).throw(EngineFailure("no")))
        with pytest.raises(EngineFailure):
            trial.tried(question, "SELECT 12345")
    assert trial.tried(question, "SELECT 12345").tag == "ok"


def test_a_database_that_changes_or_vanishes_fails_the_episode(tmp_path: Path) -> None:
    """Golds were run on what the file held: what another file answers is neither right nor wrong."""
    place = tmp_path / "shop.sqlite"
    shutil.copyfile(sql_cases.folder() / "shop.sqlite", place)
    asked = sql_cases.task("lund", database=str(place))
    env = TextToSQLEnv(tasks=[asked])
    for change in ("DELETE FROM customer WHERE city = 'Lund'", ""):
        before, _ = env.reset(seed=0)
        if change:
            with closing(sqlite3.connect(place)) as connection, connection:
                connection.execute(change)
        else:
            place.unlink()
        ((_, reward, terminated, truncated, info),) = played(env, f"<submit>{LUND} AND 1</submit>")
        assert (reward, terminated, truncated, info["end_reason"]) == (0.0, False, True, "infra_error")
        if change:
            after, _ = env.reset(seed=0)
            assert "customer(customer_id integer key, name text, city text): 5 rows" in before
            assert "customer(customer_id integer key, name text, city text): 3 rows" in after  # two of five lived there
    with pytest.raises(ValueError, match=r"^task 'lund': cannot open the database"):
        env.reset(seed=0)


def test_structure_says_which_clauses_are_those_of_the_gold() -> None:
    env = started(signals=("structure",))
    ((*_, info),) = played(env, "<sql>SELECT name FROM customer WHERE city = 'Oslo'</sql>")
    found = {name: value for name, value in info["metrics"].items() if name.startswith("structure_")}
    assert set(found) == {f"structure_{name}" for name in (*COMPONENTS, SCORE)}
    assert found["structure_select"] == 1.0 and found["structure_where"] == 1.0  # values do not count
    ((*_, info),) = played(env, "<sql>SELECT name FROM customer WHERE customer_id = 3</sql>")
    assert info["metrics"]["structure_where"] == 0.0 and 0.0 < info["metrics"]["structure_score"] < 1.0
    assert not any(name.startswith("structure_") for name in played(started(), f"<sql>{LUND}</sql>")[0][4]["metrics"])


def test_golds_are_privileged() -> None:
    env = started(privileged=True)
    assert env._current_info()["privileged"] == (
        '{"gold": ["SELECT name FROM customer WHERE city = \'Lund\'"], "result": ["name\\nAda\\nCy"]}'
    )
    assert "privileged" not in started()._current_info()


def test_moments_travel_as_bytes() -> None:
    env = started("north", signals=("menu", "expert", "describe", "potential"))
    played(env, "<schema>room</schema>", "<sql>SELECT building FROM room</sql>")
    moment = env.snapshot().to_bytes()
    straight = played(env, f"<submit>{sql_cases.GOLDS['north'][2]}</submit>")
    other = sql_cases.world("north", signals=("menu", "expert", "describe", "potential"))
    other.restore(moment)
    assert played(other, f"<submit>{sql_cases.GOLDS['north'][2]}</submit>") == straight
    for kwargs in ({"budget": 1_000_000}, {"scorer": "bird"}):
        with pytest.raises(SnapshotError, match="panel"):
            sql_cases.world("north", **kwargs).restore(moment)


def test_copies_go_on_alike() -> None:
    env = started("north", signals=("menu", "describe"))
    played(env, "<schema>room</schema>", "<sql>SELECT building FROM room</sql>")
    twins = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env), env.copy(), *env.fork(2)]
    straight = played(env, "<sql>SELECT seats FROM room</sql>", "<submit>SELECT 1</submit>")
    for twin in twins:
        assert played(twin, "<sql>SELECT seats FROM room</sql>", "<submit>SELECT 1</submit>") == straight


def test_a_small_database_says_its_columns_at_once_and_a_large_one_when_asked() -> None:
    env = sql_cases.world("lund", "north")
    small, large = (env.reset(seed=0, options={"task": name})[0] for name in ("lund", "north"))
    assert "customer(customer_id integer key" in small
    assert "building" not in large.split("\n\n")[1] and "room: 3 rows" in large
    assert played(env, "<schema></schema>")[0][0] == large.split("\n\n")[1]
    assert "building text: 'north', 'south'" in played(env, '<schema>"Room"</schema>')[0][0]


def test_the_budget_is_a_rule_of_the_world() -> None:
    """Five to the sixth rows are 15,625: more steps than the small budget, few for the usual one."""
    heavy = "SELECT COUNT(*) FROM " + ", ".join(f"customer AS c{number}" for number in range(6))
    assert played(started(budget=10_000), f"<sql>{heavy}</sql>")[0][4]["tag"] == "sql_budget"
    assert played(started(), f"<sql>{heavy}</sql>")[0][0] == "COUNT(*)\n   15625"


def test_the_clock_is_frozen() -> None:
    assert played(started(), "<sql>SELECT date('now')</sql>")[0][0].endswith("2025-01-30")
    assert played(started(clock="1999-12-31 23:00:00"), "<sql>SELECT date('now')</sql>")[0][0].endswith("1999-12-31")


def test_other_engines_play_the_same_world(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    path = str(tmp_path / "school.duckdb")
    with duckdb.connect(path) as connection:
        connection.execute(sql_cases.SCHOOL)
    tasks = [sql_cases.task(name, database=path) for name in ("north", "eldest")]
    env = TextToSQLEnv(tasks=tasks, engine="duckdb", signals=("expert", "menu"))
    for task in tasks:
        observation, info = env.reset(seed=0, options={"task": task.id})
        assert "DuckDB" in info["messages"][0]["content"] and "room: 3 rows" in observation
        for _ in range(6):
            assert info["expert"] in info["menu"]
            *_, info = env.step(info["expert"])
            if info["end_reason"]:
                break
        assert info["success"]
