"""Episodes scored by the presets, each number derived by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentgym.envs.wiki_search.presets import (
    LONGEST_THOUGHT,
    PRESETS,
    SearchTurn,
    judge_answer,
    judge_call,
    judge_think,
    mt_grpo_messages,
    rewarded,
    slate,
)
from agentgym.score import mt_grpo_rewards, slate_reward

QUESTION = "Where was the designer of the Analytical Engine born?"
ANSWERS = ["London", "City of London"]
ENGINE = SearchTurn(
    "search",
    "Analytical Engine designer",
    thought="I must find the designer of the Analytical Engine first.",
    message='<reasoning>Find the designer.</reasoning>\n<tool>{"name": "search"}</tool>',
    result="Analytical Engine: designed by Charles Babbage",
    titles=("Analytical Engine",),
    evidence=1,
)
BABBAGE = SearchTurn(
    "search",
    "Charles Babbage birthplace",
    thought="The designer is Charles Babbage; now his birthplace.",
    message='<reasoning>Babbage.</reasoning>\n<tool>{"name": "search"}</tool>',
    result="Charles Babbage: born in London",
    titles=("Charles Babbage",),
    evidence=1,
)
LONDON = SearchTurn(
    "answer",
    "London",
    thought="Charles Babbage was born in London.",
    message="<reasoning>So London.</reasoning>\n<answer>London</answer>",
)
GOOD = (ENGINE, BABBAGE, LONDON)


def total(scored: tuple[dict[str, float], ...]) -> list[float]:
    return [sum(rewards.values()) for rewards in scored]


@pytest.mark.parametrize(
    ("preset", "answer", "outcome"),
    [
        ("em", "The London.", 1.0),
        ("em", "Greater London", 0.0),
        ("f1", "Greater London", 2 / 3),  # one word of two, and all of one: 2·1/(2+1)
        ("f1_hotpot", "yes", 0.0),
        ("f1_squad2", "Greater London", 2 / 3),
        ("sub_em", "Greater London", 1.0),
    ],
)
def test_scores_of_the_answer_alone(preset: str, answer: str, outcome: float) -> None:
    scored = rewarded(preset, (ENGINE, replace(LONDON, text=answer)), QUESTION, ANSWERS)
    assert scored.outcome == pytest.approx(outcome) and scored.turns == ({}, {})


@pytest.mark.parametrize("preset", PRESETS)
def test_without_an_answer_nothing_is_right(preset: str) -> None:
    said = rewarded(preset, (replace(ENGINE, message=""),), QUESTION, ANSWERS).outcome
    # MT-GRPO pays 0.2 · 0.2 for any message at all
    assert said == pytest.approx(0.04 if preset == "mt_grpo" else 0.0)
    assert rewarded(preset, (), QUESTION, ANSWERS).outcome == 0.0
    assert preset == "mt_grpo" or rewarded(preset, GOOD, QUESTION, []).outcome == 0.0


def test_an_unknown_preset_is_named() -> None:
    with pytest.raises(ValueError, match=r"unknown preset 'slat'; did you mean 'slate'\?"):
        rewarded("slat", GOOD, QUESTION, ANSWERS)


# ---- MT-GRPO -----------------------------------------------------------------------------------------------------


def test_mt_grpo_pays_the_first_call_and_the_outcome() -> None:
    scored = rewarded("mt_grpo", GOOD, QUESTION, ANSWERS)
    # Two calls of two succeeded: 0.2. The first result does not say London.
    assert scored.turns == ({"tool_execution": 0.2, "answer_in_result": 0.0}, {}, {})
    # 0.5 present + 1 exact + format 0.2 · (0.4 + 0.2 + 0.2 + 0.2) + xml 0.2 · 1, every tag once in every message
    assert scored.outcome == pytest.approx(0.5 + 1 + 0.2 + 0.2)


def test_mt_grpo_after_a_failed_call() -> None:
    failed = replace(ENGINE, failed=True, result="no such tool; London")
    scored = rewarded("mt_grpo", (failed, BABBAGE, LONDON), QUESTION, ANSWERS)
    # One call of two succeeded; an alias stands in the first result, which is all that the published rubric looks at.
    assert scored.turns[0] == pytest.approx({"tool_execution": 0.1, "answer_in_result": 0.5})


def test_mt_grpo_is_the_shared_rubric_over_the_dialogue() -> None:
    for turns in (GOOD, GOOD[:2], GOOD[2:], (replace(ENGINE, kind="invalid"), LONDON)):
        scored, shared = (
            rewarded("mt_grpo", turns, QUESTION, ANSWERS),
            mt_grpo_rewards(mt_grpo_messages(turns), ANSWERS),
        )
        assert scored.outcome == pytest.approx(shared["outcome"])
        calls = [turn for turn in turns if turn.kind == "search"]
        assert sum(total(scored.turns)) == pytest.approx(shared["turn"] if calls else 0.0)


def test_a_result_cannot_close_its_tag() -> None:
    messages = mt_grpo_messages(
        [replace(ENGINE, result="a</result>London"), replace(ENGINE, failed=True, result="bad")]
    )
    assert messages[1]["content"] == "<result>a&lt;/result>London</result>"
    assert messages[3]["content"] == "<result>Error: bad</result>"
    assert mt_grpo_rewards(messages, ANSWERS)["answer_in_result"] == 0.5


# ---- SLATE -------------------------------------------------------------------------------------------------------


def test_slate_of_a_good_episode() -> None:
    scored = rewarded("slate", GOOD, QUESTION, ANSWERS)
    assert scored.outcome == 1.0
    assert scored.turns[:2] == ({"think": 1.0, "query": 1.0}, {"think": 1.0, "query": 1.0})
    # Answered on turn 3 of a budget of 4: 0.1 · (4 − 3) / 4
    assert scored.turns[2] == pytest.approx({"think": 1.0, "answer": 1.0, "early": 0.025})


def test_a_turn_of_slate_is_worth_what_the_shared_reward_says() -> None:
    turns = (*GOOD[:2], BABBAGE, replace(LONDON, text="Greater London"))
    scored = slate(turns, QUESTION, ANSWERS, bonus=0.3, budget=2)
    kinds = ["search", "search", "search", "answer"]
    judged = [(1, 1), (1, 1), (-1, -1), (1, 0)]  # the third thinks and asks what the second did
    wanted = [
        slate_reward(think, act, kind, place, bonus=0.3, budget=2)
        for place, ((think, act), kind) in enumerate(zip(judged, kinds, strict=True), 1)
    ]
    assert total(scored) == pytest.approx(wanted)
    assert wanted[-1] == pytest.approx(1 + 0 + 0.3 * (2 - 4) / 2)


@pytest.mark.parametrize(
    ("changed", "judged"),
    [
        ({}, 1),
        ({"thought": " "}, -1),
        ({"kind": "invalid"}, -1),
        ({"thought": "DESIGNER: charles-babbage"}, 1),  # two of three words of the query, one of the question
        ({"thought": "Charles Babbage."}, 0),  # two of three words of the query, but none of what is known
        ({"thought": "I think about the Engine."}, 0),  # of what is known, but no word of the query
        ({"thought": "Of the designer I know nothing, so Charles?"}, 0),  # one word of three
        ({"thought": "designer Charles Babbage " + "and so on " * 49}, 1),  # 3 + 147 words
        ({"thought": "designer Charles Babbage x " + "and so on " * 49}, 0),  # 151 words
    ],
)
def test_rules_for_thoughts(changed: dict[str, str], judged: int) -> None:
    assert LONGEST_THOUGHT == 150
    assert judge_think(replace(BABBAGE, **changed), [ENGINE], [QUESTION]) == judged


def test_a_thought_that_comes_again_is_none() -> None:
    again = replace(BABBAGE, thought=ENGINE.thought.upper() + "!")
    assert judge_think(again, [ENGINE], [QUESTION]) == -1


def test_titles_that_were_shown_are_known() -> None:
    turn = SearchTurn("search", "Babbage birthplace", thought="Babbage has a birthplace.")
    shown = replace(ENGINE, titles=("Charles Babbage",))
    assert slate((ENGINE, turn), QUESTION, ANSWERS)[1]["think"] == 0.0
    assert slate((shown, turn), QUESTION, ANSWERS)[1]["think"] == 1.0


def test_a_thought_may_lead_to_no() -> None:
    turn = SearchTurn("answer", "no", thought="The engine was not built, so no.")
    assert judge_think(turn, [], ["Was the Analytical Engine built?"]) == 1


@pytest.mark.parametrize(
    ("changed", "judged"),
    [
        ({}, 1),
        ({"evidence": 0}, 0),
        ({"failed": True}, -1),
        ({"kind": "invalid"}, -1),
        ({"text": "?!"}, -1),
        ({"text": "The designer: analytical engine"}, -1),  # the words of the query before
        ({"text": "The designer: analytical engine", "kind": "lookup"}, 1),  # but of another tool
        ({"result": "\n"}, -1),
    ],
)
def test_rules_for_calls(changed: dict[str, object], judged: int) -> None:
    assert judge_call(replace(BABBAGE, **changed), [ENGINE]) == judged  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("answer", "answers", "judged"),
    [
        ("the city of london", ANSWERS, 1),
        ("Greater London", ANSWERS, 0),
        ("Paris", ANSWERS, -1),
        ("", ANSWERS, -1),
        ("Paris", [], 0),
        ("The", ["A"], 1),  # nothing is left of both, which is equal
    ],
)
def test_rules_for_answers(answer: str, answers: list[str], judged: int) -> None:
    assert judge_answer(answer, answers) == judged


# ---- Whatever a model writes -------------------------------------------------------------------------------------

WILD = [
    "",
    "\ud800",
    "</result>" * 50,
    "<tool>" * 50,
    "\x00",
    "a" * 100_000,
    "the " * 30_000,
    "𝟙 ‮ ﷽",
    "<answer></answer>",
]


@pytest.mark.parametrize("preset", PRESETS)
def test_no_text_breaks_a_preset(preset: str) -> None:
    wild = [SearchTurn(kind, text, text, text, text) for text in WILD for kind in ("search", "invalid", "answer")]
    scored = rewarded(preset, wild, QUESTION, ANSWERS)
    assert len(scored.turns) == len(wild) and 0.0 <= scored.outcome <= 1.9
    assert all(-2.0 <= sum(rewards.values()) <= 2.1 or preset != "slate" for rewards in scored.turns[:4])


def test_repeating_a_query_never_pays() -> None:
    # By slate each repetition costs: the same thought and the same query again are −1 each.
    turns = (ENGINE, *[replace(ENGINE, evidence=0)] * 3)
    assert total(slate(turns, QUESTION, ANSWERS)) == [2.0, -2.0, -2.0, -2.0]


def test_an_answer_that_lists_everything_is_not_right() -> None:
    listed = "Paris, London, Rome, Berlin"
    assert judge_answer(listed, ANSWERS) == 0
    assert rewarded("em", (replace(LONDON, text=listed),), QUESTION, ANSWERS).outcome == 0.0
    # 1 of 4 words, all of «london»: 2·1/(4+1)
    assert rewarded("f1", (replace(LONDON, text=listed),), QUESTION, ANSWERS).outcome == pytest.approx(0.4)
