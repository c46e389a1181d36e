"""The menu: what it offers, how few states it leads to, and that nothing marks the right query."""

from __future__ import annotations

from collections import Counter

import pytest
import sql_cases

from agentgym import TurnRng
from agentgym.envs.text_to_sql import menu, trial
from agentgym.envs.text_to_sql.canonical import canonical
from agentgym.envs.text_to_sql.env import TextToSQLEnv
from agentgym.envs.text_to_sql.near_misses import near_misses
from agentgym.envs.text_to_sql.state import DEFAULT, SqlState
from agentgym.envs.text_to_sql.tasks import question_of

NORTH = sql_cases.GOLDS["north"][2]


def start(name: str, **more: object) -> SqlState:
    return SqlState(question_of(sql_cases.task(name, **more), DEFAULT))


def offered(state: SqlState) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {"schema": [], "sql": [], "submit": []}
    for name, argument in menu.entries(state):
        found[name].append(argument)
    return found


def test_a_large_database_is_explored_first() -> None:
    """The gold needs course and room; of its four misses two read one table, one both, and one club as well."""
    state = start("north")
    first = offered(state)
    assert first["sql"] == first["submit"] == []
    assert len(first["schema"]) == menu.TABLES and {"course", "room", "club"} <= set(first["schema"])
    course = offered(state.look("course"))
    assert course["submit"] == ["SELECT title FROM course"]
    assert "course" not in course["schema"] and len(course["schema"]) == menu.TABLES - 1
    both = offered(state.look("course").look("room"))
    assert set(both["submit"]) == {
        NORTH, NORTH.replace("north", "south"), "SELECT title FROM course", "SELECT building FROM room",
    }  # fmt: skip
    assert "SELECT DISTINCT building FROM room ORDER BY building LIMIT 20" in both["sql"]
    assert set(both["submit"]) < set(both["sql"])
    assert len(offered(state.look("course").look("room").look("club"))["submit"]) == 5


def test_a_small_database_is_open_at_once() -> None:
    found = offered(start("lund"))
    assert found["schema"] == []
    assert set(found["submit"]) == {sql_cases.GOLDS["lund"][2], *sql_cases.MISSES["lund"]}


def test_two_queries_may_be_tried() -> None:
    env = sql_cases.world("lund")
    env.reset(seed=0)
    every = offered(env.state)["sql"]
    env.step(f"<sql>{every[0]}</sql>")
    assert offered(env.state)["sql"] == every[1:]  # what has run is not offered again
    env.step("<sql>SELECT nothing</sql>")
    assert len(offered(env.state)["sql"]) == len(every) - 1  # one that failed does not count
    env.step("<sql>SELECT 1</sql>")
    assert offered(env.state)["sql"] == []
    assert len(offered(env.state)["submit"]) == 5


@pytest.mark.parametrize("name", sql_cases.GOLDS)
def test_one_submission_is_right_and_every_query_runs(name: str) -> None:
    env = sql_cases.world(name)
    env.reset(seed=0)
    state = env.state
    for table in offered(state)["schema"]:
        state = state.look(table)
    found = offered(state)
    turns = {query: env.apply(state, f"<submit>{query}</submit>", TurnRng(0))[0] for query in found["submit"]}
    assert sum(turn.outcome.success for turn in turns.values() if turn.outcome) == 1
    for query in found["sql"]:
        assert env.apply(state, f"<sql>{query}</sql>", TurnRng(0))[0].tag in ("ok", "empty_result")


@pytest.mark.parametrize("name", sql_cases.GOLDS)
def test_a_task_has_few_states(name: str) -> None:
    env = sql_cases.world(name)
    env.reset(seed=0)
    seen, rim = {env.state.canonical()}, [env.state]
    while rim:
        state = rim.pop()
        for entry in env.menu(state):
            turn, valid, _ = env.apply(state, entry, TurnRng(0))
            assert valid
            if turn.outcome is None and turn.state.canonical() not in seen:
                seen.add(turn.state.canonical())
                rim.append(turn.state)
    assert 10 < len(seen) <= 2000


def test_equal_states_have_equal_menus() -> None:
    one, other = start("north"), start("north")
    assert one is not other
    assert [*menu.entries(one.look("room").look("club"))] == [*menu.entries(other.look("club").look("room"))]


def test_wrong_misses_are_left_out() -> None:
    """Those that fail, that are right, and that are the gold or another miss again."""
    gold = sql_cases.GOLDS["lund"][2]
    misses = ["SELECT nam FROM customer", f"{gold} AND 1", "select name from customer where city = 'Lund'",
              "SELECT 'Cy' UNION ALL SELECT 'Ada'", "SELECT 1", "select  1", "SELECT 2"]  # fmt: skip
    found = offered(start("lund", misses=misses))["submit"]
    assert found == sorted([gold, "SELECT 1", "SELECT 2"])


def test_under_another_scorer_other_misses_are_wrong() -> None:
    """Ada twice is wrong where repeated rows count, and right for BIRD."""
    twice = "SELECT name FROM customer WHERE city = 'Lund' UNION ALL SELECT 'Ada'"
    for scorer, shown in (("strict", True), ("bird", False)):
        env = TextToSQLEnv(tasks=[sql_cases.task("lund", misses=[twice, "SELECT 1"])], scorer=scorer)
        env.reset(seed=0)
        assert (twice in offered(env.state)["submit"]) is shown


def test_probes_are_among_others() -> None:
    """The gold compares the city; the other text columns of the tables that the candidates read are asked for too."""
    both = [f"SELECT DISTINCT {name} FROM customer ORDER BY {name} LIMIT 20" for name in ("city", "name")]
    assert [query for query in offered(start("lund"))["sql"] if "DISTINCT" in query] == both
    more = offered(start("lund", misses=["SELECT bought_on, title, colour FROM purchase, product"]))["sql"]
    assert len([query for query in more if "DISTINCT" in query]) == menu.PROBES and both[0] in more


def test_misses_are_made_where_a_task_has_none() -> None:
    for name in ("lamps", "ungraded"):
        state = start(name, misses=sql_cases.OUT)
        question, gold = state.question, sql_cases.GOLDS[name][2]
        found = [query for query, _ in menu.offer_of(question).candidates]
        assert len(found) == menu.CANDIDATES and gold in found
        assert [query for query in found if trial.judged(question, query)] == [gold]
        assert all(trial.runs(question, query) for query in found)


def test_the_pool_holds_misses_and_misses_of_misses() -> None:
    """Where all were misses of the gold, it would be the one that all the others resemble."""
    question = start("lamps").question
    gold = sql_cases.GOLDS["lamps"][2]
    near = {
        canonical(query, "sqlite", question.tables)
        for query, _ in near_misses(gold, question.tables, TurnRng(1), limit=500)
    }
    found = [*menu.pool(gold, question.tables, "sqlite", TurnRng(0))]
    forms = [canonical(query, "sqlite", question.tables) for query in found]
    assert len(forms) == len(set(forms)) and canonical(gold, "sqlite", question.tables) not in forms
    assert len([form for form in forms[:20] if form in near]) >= 5
    assert len([form for form in forms[:20] if form not in near]) >= 5


# ---- which misses stand beside the gold -----------------------------------------------------------------------------

COLUMNS = ("name", "city", "price", "colour", "title", "amount", "born", "seats")
ASKED = "What are the name and the city of each customer?"


def drawn(rng: TurnRng) -> str:
    """Return a query of a size and of words that vary."""
    shown = ", ".join(rng.choice(COLUMNS) for _ in range(rng.integers(1, 4)))
    filters = " AND ".join(f"{rng.choice(COLUMNS)} = '{rng.choice(COLUMNS)}'" for _ in range(rng.integers(3)))
    return f"SELECT {shown} FROM {rng.choice(('customer', 'room'))}" + (f" WHERE {filters}" if filters else "")


def test_the_gold_has_no_rank_of_its_own() -> None:
    """Each of 13 ranks has a share of 78 tasks, 6: the lowest and the highest at most 1.5 times as many."""
    ranks: dict[str, list[float]] = {}
    for seed in range(78):
        rng = TurnRng(seed, stream="misses")
        gold, *pool = dict.fromkeys(drawn(rng) for _ in range(36))
        misses = menu.chosen(gold, pool, ASKED, rng)
        assert len(set(misses)) == menu.CANDIDATES - 1 and gold not in misses and set(misses) <= set(pool)
        for name, measures in menu._features([gold, *misses], ASKED).items():
            for number, measure in enumerate(measures):
                ranks.setdefault(f"{name} {number}", []).append(menu._rank(measure(range(1, menu.CANDIDATES))))
    for name, found in ranks.items():
        lowest, highest = sum(rank <= 0.5 for rank in found), sum(rank >= menu.CANDIDATES - 1.5 for rank in found)
        assert max(lowest, highest) <= 9, (name, lowest, highest)
        thirds = Counter(int(rank / 4.34) for rank in found)  # ranks go from 0 to 12
        assert min(thirds.values()) >= 13, (name, thirds)  # of 26 each, if even


def test_a_rank_counts_ties_half() -> None:
    assert menu._rank([3.0, 1.0, 3.0, 5.0, 2.0]) == 2.5
    assert menu._rank([1.0]) == 0.0


def test_few_misses_are_all_taken() -> None:
    assert sorted(menu.chosen("SELECT 0", ["SELECT 1", "SELECT 2"], "", TurnRng(0))) == ["SELECT 1", "SELECT 2"]


def test_the_same_draws_choose_the_same_misses() -> None:
    pool = [drawn(TurnRng(seed, stream="pool")) for seed in range(40)]
    pool = [query for query in dict.fromkeys(pool) if query != "SELECT 0"]
    one, other = (menu.chosen("SELECT 0", pool, ASKED, TurnRng(5)) for _ in range(2))
    assert one == other != menu.chosen("SELECT 0", pool, ASKED, TurnRng(6))
