"""EmoBench: how answers are read and scored."""

import json

import pytest

from agentgym.envs.emotional_support.questions.emobench import Choices, report
from agentgym.turn import InvalidAction

EU = Choices("EU", "en", "cues", "Ann laughs.", "Ann", (("Rage", "Mirth", "Fear"), ("Cold", "It fell oddly")), (1, 1))
EA = Choices("EA", "zh", "Self", "小王迟到了。", "小王", (("躲起来", "道歉", "大喊"),), (1,), "Action")


def test_what_is_asked() -> None:
    assert EU.text.split("\n") == [
        "Ann laughs.", "", "Question 1: What does Ann feel in the end?", "A) Rage", "B) Mirth", "C) Fear", "",
        "Question 2: Why does Ann feel so?", "A) Cold", "B) It fell oddly", "",
        "Answer with one JSON object and nothing else, with the letter of one choice for each question: "
        '{"answer_q1": "A", "answer_q2": "A"}',
    ]  # fmt: skip
    assert EA.text.split("\n") == [
        "小王迟到了。", "", "对小王来说，最有效的行动是什么？", "A) 躲起来", "B) 道歉", "C) 大喊", "",
        '只用一个 JSON 对象作答，每个问题填写一个选项的字母：{"answer": "A"}',
    ]  # fmt: skip
    strange = Choices("EA", "en", "Self", "{x} %s", "{subject}", (("a", "b"),), (0,), "Response")
    assert "What is the most effective response for {subject}?" in strange.text  # braces are only characters


@pytest.mark.parametrize(
    ("answer", "metrics"),
    [
        ({"answer_q1": "B", "answer_q2": "B"}, {"correct": 1.0, "emotion": 1.0, "cause": 1.0}),
        ({"answer_q1": "B", "answer_q2": "A"}, {"correct": 0.0, "emotion": 1.0, "cause": 0.0}),
        ({"answer_q1": "A", "answer_q2": "B"}, {"correct": 0.0, "emotion": 0.0, "cause": 1.0}),
        ({"answer_q1": "b", "answer_q2": "B"}, {"correct": 0.0, "emotion": 0.0, "cause": 1.0}),  # letters as they are
        ({"answer_q1": "B) Mirth", "answer_q2": "B"}, {"correct": 0.0, "emotion": 0.0, "cause": 1.0}),
        ({"answer_q1": ["B"], "answer_q2": 1}, {"correct": 0.0, "emotion": 0.0, "cause": 0.0}),
        ({"answer_q1": "ABC", "answer_q2": "AB"}, {"correct": 0.0, "emotion": 0.0, "cause": 0.0}),
    ],
)
def test_understanding_needs_the_emotion_and_its_cause(answer, metrics) -> None:
    assert EU.grade(EU.read(json.dumps(answer))) == (metrics["correct"], metrics)


@pytest.mark.parametrize(
    "text",
    [
        '{"answer": "B"}',
        ' {"reasoning": "He is sorry.", "answer": "B"} ',
        'Here it is:\n```json\n{"answer": "B"}\n```\nand not ```json {"answer": "A"}```',
        '{"answer": "A", "answer": "B"}',  # of two the last, as JSON is read
    ],
)
def test_application_is_one_letter(text) -> None:
    assert EA.grade(EA.read(text)) == (1.0, {"correct": 1.0})
    assert EA.grade(EA.read(text.replace("B", "C"))) == (0.0, {"correct": 0.0})


@pytest.mark.parametrize(
    "text",
    [
        "B", '"B"', "[]", '{"answer_q1": "B"}', "I say {\"answer\": \"B\"}", '```json\n{"answer": "B"}', "{" * 5_000,
        "[" * 100_000, '{"answer": ' + "9" * 9_000 + "}", "```json```", "null",
    ],
    ids=lambda text: text[:12],
)  # fmt: skip
def test_what_is_no_answer(text) -> None:
    with pytest.raises(InvalidAction, match=r'write one JSON object such as \{"answer": "A"\}'):
        EA.read(text)


def test_the_menu_holds_every_answer_once() -> None:
    assert len(set(EU.choices())) == 6 and len(set(EA.choices())) == 3
    for asked in (EU, EA):
        graded = {entry: asked.grade(asked.read(entry))[0] for entry in asked.choices()}
        assert [entry for entry, score in graded.items() if score == 1.0] == [asked.gold()]
        assert len({len(entry) for entry in graded}) == 1


def test_what_is_reported_of_a_run() -> None:
    answers = [("Self", True), ("Others", False), ("Self", False), ("Self", True)]
    assert report(answers) == {"Others": 0.0, "Self": 2 / 3, "Overall": 0.5}
    assert report([]) == {"Overall": 0.0}
