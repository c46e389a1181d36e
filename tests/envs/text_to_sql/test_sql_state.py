"""States: sets of facts; what counts in their hashes, and what does not."""

from __future__ import annotations

import copy
import pickle
from dataclasses import fields, replace

import pytest
import sql_cases

from agentgym.digest import decode, encode
from agentgym.envs.text_to_sql.state import DEFAULT, Fact, Question, Rules, SqlState
from agentgym.envs.text_to_sql.tasks import question_of


def question(name: str = "north", rules: Rules = DEFAULT, **more: object) -> Question:
    return question_of(sql_cases.task(name, **more), rules)


def fact(query: str = "q", digest: str = "d", score: float = 0.5, head: str = "(1)", said: str = "Q") -> Fact:
    return Fact(query, digest, 2, head, score, said)


def test_a_state_does_not_depend_on_the_order_or_the_number_of_times() -> None:
    start = SqlState(question())
    one = start.look("room").learn(fact("a")).look("course").learn(fact("b"))
    other = start.learn(fact("b")).learn(fact("a")).learn(fact("b")).look("course").look("room").look("course")
    assert one == other
    assert one.canonical() == other.canonical() and one.anchor() == other.anchor()


def test_what_is_known_already_leaves_the_very_state() -> None:
    state = SqlState(question()).look("room").learn(fact())
    assert state.look("room") is state
    assert state.learn(fact()) is state
    assert state.learn(fact(said="spelled otherwise")) is state


def test_every_part_counts_in_the_hash() -> None:
    state = SqlState(question()).look("room").learn(fact())
    others = [
        SqlState(question("eldest")).look("room").learn(fact()),
        SqlState(question()).learn(fact()),
        SqlState(question()).look("room"),
        state.look("club"),
        state.learn(fact("other")),
        state.answered("q"),
        SqlState(question()).look("room").learn(fact(digest="e")),
        SqlState(question()).look("room").learn(fact(score=0.25)),
    ]
    assert len({each.canonical() for each in [state, *others]}) == len(others) + 1


def test_the_anchor_knows_nothing_of_golds_and_scores() -> None:
    """Two tasks that read alike and have other golds are one to the agent, and two to the world."""
    one, other = question(), question(gold="SELECT title FROM course")
    seen, same = SqlState(one).learn(fact(score=0.0)), SqlState(other).learn(fact(score=1.0))
    assert seen.anchor() == same.anchor()
    assert seen.canonical() != same.canonical()
    assert SqlState(one).anchor() != SqlState(question("eldest")).anchor()
    assert seen.anchor() != SqlState(one).learn(fact("other", score=0.0)).anchor()


def test_what_cannot_be_told_apart_by_joining_texts_is_apart() -> None:
    """The names "a" and "b" are not the name "a\\0b", and no name is an answer."""
    start = SqlState(question())
    texts = [start.look("a").look("b"), start.look("a b"), start.answered("a").look("b"), start.answered("b").look("a")]
    texts += [start.answered("' \0room"), start.answered("' ").look("room")]
    assert len({state.canonical() for state in texts}) == len({state.anchor() for state in texts}) == 6


@pytest.mark.parametrize(
    "rules", [replace(DEFAULT, **{name: value}) for name, value in
              {"scorer": "bird", "clock": "2020-01-01 00:00:00", "budget": 1_000_000, "max_rows": 500}.items()]
)  # fmt: skip
def test_rules_are_part_of_a_question(rules: Rules) -> None:
    assert question(rules=rules).key != question().key
    assert question(rules=rules) != question()


def test_a_question_is_its_content_not_its_task_or_path(tmp_path: object) -> None:
    copied = sql_cases.folder().parent / f"{sql_cases.folder().name}-copy.sqlite"
    try:
        copied.write_bytes((sql_cases.folder() / "school.sqlite").read_bytes())
        moved = replace(question(), path=str(copied), task="other")
    finally:
        copied.unlink()
    assert moved == question() and hash(moved) == hash(question())
    assert replace(question(), content="0" * 32) != question()
    assert replace(question(), gold_rows="0" * 32) != question()
    for name in ("golds", "misses"):
        assert replace(question(), **{name: ("SELECT 1",)}) != question()
    assert question() != "north"


def test_the_best_score_is_the_potential() -> None:
    state = SqlState(question())
    assert state.best == 0.0
    state = state.learn(fact("a", score=0.2)).learn(fact("b", score=0.8)).learn(fact("c", score=0.5))
    assert state.best == 0.8


def test_large_databases_are_known_table_by_table_and_small_ones_at_once() -> None:
    school, shop = SqlState(question("north")), SqlState(question("lund"))
    assert not school.question.whole and shop.question.whole  # 7 tables and 3
    assert not school.knows("room") and school.look("room").knows("room") and not school.look("room").knows("club")
    assert shop.knows("customer") and shop.looked == ()


def test_tables_are_found_in_any_case() -> None:
    assert question().table("ROOM") is question().table("room") is not None
    assert question().table("rooms") is None


def test_states_pack_copy_and_pickle() -> None:
    state = SqlState(question()).look("room").learn(fact()).learn(fact("b", score=1.0)).answered("b")
    task, *rest = decode(encode(state.pack()))
    assert task == "north"
    assert SqlState.unpack(state.question, rest) == state
    for twin in (copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert twin == state and twin.canonical() == state.canonical() and twin.anchor() == state.anchor()
    assert copy.deepcopy(state).question is state.question  # it never changes


def test_facts_are_equal_by_what_they_say() -> None:
    assert fact() == fact(said="otherwise", head="(2)") and hash(fact()) == hash(fact(said="otherwise"))
    assert fact() != fact(score=0.1) and fact() != "q"
    assert [field.name for field in fields(Rules)] == ["scorer", "engine", "clock", "budget", "max_rows"]
