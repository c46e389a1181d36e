"""What turns and answers are worth under each scoring, and the signals beside the rewards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from wiki_small import corpus, world

from agentgym import Task, ToolCall
from agentgym.envs.wiki_search import rewards
from agentgym.envs.wiki_search.env import WikiSearchEnv
from agentgym.envs.wiki_search.presets import rewarded


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return corpus(tmp_path_factory.mktemp("corpus"))


def played(env: WikiSearchEnv, task: str, *actions: str | ToolCall) -> list[dict[str, Any]]:
    env.reset(seed=0, options={"task": task})
    return [dict(env.step(action)[-1]) for action in actions]


def test_progress_is_the_rise_of_the_evidence_and_sums_to_one(folder: Path) -> None:
    """Four gold pages: Norrland, Oldhaven, Ines Tarn, Brenford; a page that is none of them, and one seen before."""
    env = world(folder, reward="dense")
    opens = [f"<open>{title}</open>" for title in ("Norrland", "Orla", "Norrland", "Oldhaven", "Ines Tarn", "Brenford")]
    infos = played(env, "mayor", *opens, "<answer>Orla Bridge</answer>")
    assert [info["components"].get("progress", 0.0) for info in infos] == [0.25, 0, 0, 0.25, 0.25, 0.25, 0]
    assert [info["metrics"]["new_gold"] for info in infos] == [1, 0, 0, 1, 1, 1, 0]
    assert sum(info["turn_reward"] for info in infos) == infos[-1]["outcome_reward"] == 1.0
    assert [info["step_score"] for info in infos][-1] == 1.0


def test_critique_says_whether_a_turn_helped(folder: Path) -> None:
    env = world(folder, signals=("critique",))
    infos = played(
        env, "mayor",
        "<open>Norrland</open>", "<open>Orla</open>", "<open>Orla</open>", "<search>zzzz</search>", "<open>zzzz</open>",
        "hello", "<plan>Go on</plan>", "<lookup>river</lookup>", "<lookup>zzzz</lookup>", "<answer>Orla</answer>",
    )  # fmt: skip
    assert [info["critique"] for info in infos] == [1, 0, -1, -1, -1, -1, 0, 0, -1, -1]
    assert [info["tag"] for info in infos] == [
        "open", "open", "duplicate", "empty", "missing", "invalid", "plan", "lookup", "missing", "wrong",
    ]  # fmt: skip


def test_novelty_compares_a_query_with_the_earlier_ones(folder: Path) -> None:
    """{orla, bridge}: first, 1; {bridge, orla}: the same, 0; {orla, river}: 1 of 3 words in common, ⅔."""
    env = world(folder, signals=("novelty",))
    queries = ("Orla bridge", "the bridge of Orla", "Orla river")
    infos = played(env, "mayor", *(f"<search>{query}</search>" for query in queries), "<open>Orla</open>")
    assert [info["metrics"].get("novelty") for info in infos] == [1.0, 0.0, pytest.approx(2 / 3), None]
    assert len({info["state_hash"] for info in infos}) == 4  # the same passages after other queries


def test_hops_resolved_and_the_step_that_is_worked_at(folder: Path) -> None:
    """Coming across the page of a later step resolves nothing until the earlier ones are."""
    env = world(folder, signals=("hops",))
    titles = ("Ines Tarn", "Norrland", "Oldhaven", "Brenford")
    infos = played(env, "mayor", *(f"<open>{title}</open>" for title in titles), "<answer>x</answer>")
    assert [info["metrics"]["hops_resolved"] for info in infos] == [0, 1, 3, 4, 4]
    assert [info["subgoal"] for info in infos] == ["step 1", "step 1", "step 2", "step 4", "answer"]
    assert [info["switch"] for info in infos] == [True, False, True, True, True]


def test_a_restored_moment_knows_what_was_pursued(folder: Path) -> None:
    env = world(folder, signals=("hops",))
    played(env, "mayor", "<open>Norrland</open>")
    moment = env.snapshot()
    env.step("<open>Oldhaven</open>")
    first = env.step("<search>x</search>")[-1]
    env.restore(moment)
    env.step("<open>Oldhaven</open>")
    assert env.step("<search>x</search>")[-1] == first and first["switch"]


CALL = '<reasoning>Find it.</reasoning>\n<tool>{"name": "search", "args": {"query": "Orla Bridge designed by"}}</tool>'


def test_mt_grpo_pays_the_first_call_and_the_end(folder: Path) -> None:
    """One call that succeeds, 0.2, and whose result says Oldhaven, 0.5. The outcome: 0.5 + 1 for the answer, 0.2 for
    messages in perfect form (0.4 · 2/2 + 0.2 + 0.2 + 0.2 each), 0.2 for tags that occur once each."""
    env = world(folder, scoring="mt_grpo")
    first, last = played(env, "designer", CALL, "<reasoning>So.</reasoning>\n<answer>Oldhaven</answer>")
    assert first["components"] == {"tool_execution": 0.2, "answer_in_result": 0.5} and first["turn_reward"] == 0.7
    assert last["components"] == {} and last["outcome_reward"] == pytest.approx(1.9) and last["success"]


def test_mt_grpo_is_worth_what_the_preset_says_however_it_is_played(folder: Path) -> None:
    """Calls in typed form are written in the dialect; the rewards of turns add up to the preset's."""
    env = world(folder, scoring="mt_grpo")
    infos = played(
        env, "designer",
        ToolCall("open", {"title": "Orla Bridge"}), "no call at all", CALL, "<plan>Answer</plan>",
        '<tool>{"name": "lookup", "args": {"text": "iron"}}</tool>', "<answer>Sallow</answer>",
    )  # fmt: skip
    question = env.state.question
    wanted = rewarded("mt_grpo", env.state.turns, question.text, question.answers)
    for name in ("tool_execution", "answer_in_result"):
        paid = sum(info["components"].get(name, 0.0) for info in infos)
        assert paid == pytest.approx(sum(turn.get(name, 0.0) for turn in wanted.turns))
    assert infos[-1]["outcome_reward"] == wanted.outcome and not infos[-1]["success"]
    assert [turn.kind for turn in env.state.turns] == ["open", "search", "plan", "lookup", "answer"]
    assert env.state.turns[0].message == '<tool>\n{"name": "open", "args": {"title": "Orla Bridge"}}\n</tool>'


def test_mt_grpo_pays_no_plan_for_what_the_world_says_to_it(folder: Path) -> None:
    """The answer is 12, and «Your plan of 12 steps is noted» says so; the first result is that of the call after it,
    which succeeds, 0.2, and says nothing of 12."""
    asked = Task("n", {"question": "How many?", "answers": ["12"]})
    env = world(folder, scoring="mt_grpo", tasks=[asked])
    call = '<tool>{"name": "open", "args": {"title": "Mercury (planet)"}}</tool>'
    noted, first = played(env, "n", "<plan>" + "go\n" * 12 + "</plan>", call)
    assert noted["messages"][-1]["content"] == "Your plan of 12 steps is noted. Go on." and noted["components"] == {}
    assert first["components"] == {"tool_execution": 0.2}


def test_mt_grpo_pays_for_form_when_turns_run_out(folder: Path) -> None:
    """Form 0.2 and tags 0.2 of one perfect message; no answer."""
    env = world(folder, scoring="mt_grpo", max_turns=1)
    info = played(env, "designer", CALL)[-1]
    assert info["end_reason"] == "turn_limit" and info["outcome_reward"] == pytest.approx(0.4)


def test_mt_grpo_reads_its_own_dialect_unless_told_otherwise(folder: Path) -> None:
    assert world(folder, scoring="mt_grpo")._codec is world(folder, codec="mt_grpo")._codec
    assert world(folder, scoring="mt_grpo", codec="hermes")._codec is world(folder, codec="hermes")._codec


def test_slate_judges_every_turn(folder: Path) -> None:
    """Both thoughts hold the words of what follows and one of what is known: +1. The query shows new gold: +1, the
    answer is right: +1, early 0.1 · (4 − 2) / 4 = 0.05."""
    env = world(folder, scoring="slate")
    first, last = played(
        env, "designer",
        "<think>I look for the Orla Bridge and who designed it.</think> <search>Orla Bridge designed by</search>",
        "<think>Mara Venn was born in Oldhaven.</think><answer>Oldhaven</answer>",
    )  # fmt: skip
    assert first["components"] == {"think": 1.0, "query": 1.0} and first["turn_reward"] == 2.0
    assert last["components"] == {"think": 1.0, "answer": 1.0, "early": 0.05} and last["outcome_reward"] == 1.0


def test_slate_minds_repeated_and_empty_queries(folder: Path) -> None:
    env = world(folder, scoring="slate")
    infos = played(env, "designer", *["<search>zzzz</search>"] * 2, "<open>Orla</open>", "<open>Orla Bridge</open>")
    assert [info["components"] for info in infos] == [
        {"think": -1.0, "query": -1.0}, {"think": -1.0, "query": -1.0}, {"think": -1.0, "query": 0.0},
        {"think": -1.0, "query": 1.0},
    ]  # fmt: skip


def test_refused_messages_are_neither_paid_nor_remembered(folder: Path) -> None:
    for scoring in rewards.REMEMBERING:
        env = world(folder, scoring=scoring)
        (info,) = played(env, "designer", "just words")
        assert not info["valid"] and info["components"] == {} and env.state.turns == ()


@pytest.mark.parametrize("scoring", ["em", "f1", "f1_hotpot", "f1_squad2", "sub_em", "slate"])
def test_no_answer_is_worth_nothing(folder: Path, scoring: str) -> None:
    env = world(folder, scoring=scoring, max_turns=1)
    info = played(env, "designer", "<search>Oldhaven</search>")[-1]
    assert (info["outcome_reward"], info["success"], info["end_reason"]) == (0.0, False, "turn_limit")


def test_tasks_without_gold_play_too(folder: Path) -> None:
    env = world(folder, tasks=[Task("bare", {"question": "Who?", "answers": ["Mara Venn"]})], signals=("potential",))
    infos = played(env, "bare", "<search>Mara</search>", "<answer>Mara Venn</answer>")
    assert [(info["potential"], info["components"]) for info in infos] == [(0.0, {}), (0.0, {})]
    assert infos[-1]["success"]


@pytest.mark.parametrize(
    ("message", "thought"),
    [
        ("<think>a b</think> c <search>d</search> e", "a b c"),
        ("<reasoning>a <search>x</search></reasoning><tool>{}</tool>", "a <search>x</search>"),
        ("Thought: a b\nAction: search\nAction Input: d", "a b"),
        ("Thought: a\nFinal Answer: d", "a"),
        ("<search>d</search>", ""),
        ("a b", "a b"),
        ("a</think><answer>d</answer>", "a"),
        ("<think>a", "a"),
        ("", ""),
    ],
)
def test_what_was_thought_stands_before_the_call(message: str, thought: str) -> None:
    assert rewards.thought(message) == thought


def test_reading_thoughts_takes_linear_time() -> None:
    from linear import ratios

    for piece in ("<think>", "</think>", "<think>a</think>", "<search>", "Thought: ", "\n\t \t", "<reasoning>a"):
        found = ratios(rewards.thought, lambda n, piece=piece: piece * n, size=5_000, times=3)
        assert min(found) <= 15, (piece, found)
