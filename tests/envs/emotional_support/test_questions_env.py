"""The world of questions: its own, the two public sets, what is wrong in their files, and what a run reports."""

import json
import os
from pathlib import Path

import gymnasium
import pytest

from agentgym import RewardSpec, Task, data, validate_info
from agentgym.chance import random_success
from agentgym.data import SETS
from agentgym.envs.emotional_support.questions.env import EmotionQuestionsEnv, chance, own_panel, report
from agentgym.envs.emotional_support.questions.eq_bench import full_scale
from agentgym.errors import DataError, WorldError
from tests.envs.emotional_support.question_files import (
    ea_line,
    eq_item,
    eu_line,
    reference,
    write_emo,
    write_eq,
)


def played(env, answer):
    """Return the last info of an episode for every task, in their order."""
    infos = []
    for split in env.panel:
        for task in env.panel[split]:
            env.reset(seed=0, options={"task": task.id})
            infos.append(env.step(answer(env))[4])
    return infos


def expert(env):
    return env.expert(env.state)


def test_the_reference_gets_the_full_score_of_every_own_question() -> None:
    for revise in (False, True):
        env = EmotionQuestionsEnv(revise=revise, signals=("expert", "menu"), privileged=True)
        infos = played(env, expert)
        assert len(infos) == 40
        for info in infos:
            validate_info(info)
            assert info["success"] and info["outcome_reward"] == 1.0 and info["end_reason"] == "solved"
            assert set(info["metrics"]) >= {"score", "normalised"} or info["metrics"]["correct"] == 1.0


def test_nothing_said_scores_nothing_and_is_no_answer() -> None:
    for text in ("", "I do not know.", "Glad: 3", "{}"):
        for info in played(EmotionQuestionsEnv(max_turns=1), lambda _, text=text: text):
            assert (info["valid"], info["success"], info["outcome_reward"]) == (False, False, 0.0)
            assert info["end_reason"] == "turn_limit" and info["turn"] == 1


def test_what_cannot_be_read_may_be_mended() -> None:
    env = gymnasium.make("agentgym/EmotionQuestions-v0").unwrapped
    question, _ = env.reset(seed=0)
    shown, _, terminated, truncated, info = env.step("Very sad.")
    assert (terminated, truncated, info["valid"]) == (False, False, False)
    assert shown.startswith("no answer was found: write ")
    assert env.describe(env.state) == question
    assert env.step(env.expert(env.state))[1] == 1.0
    env.reset(seed=0)
    assert [env.step("Sad.")[3] for _ in range(5)] == [False] * 4 + [True]


def test_an_answer_of_half_worth_is_paid_and_is_no_success(tmp_path) -> None:
    env = EmotionQuestionsEnv(data_dir=str(write_eq(tmp_path, {"1": eq_item()})))
    assert (env.split, env.problems) == ("test", ())
    env.reset(seed=0)
    # the reference is 0, 6, 2, 7: off by 6, 6, 2 and 0, of which 2 counts 6.5 / (1 + e^2.4) = 0.54062
    _, reward, terminated, _, info = env.step("Glad: 6\nSad: 0\nCross: 4\nBored: 7")
    assert reward == pytest.approx((10 - 0.7477 * 12.54062) / 10, abs=1e-5)
    assert (terminated, info["success"], info["end_reason"]) == (True, False, "failed")
    assert info["metrics"]["score"] == pytest.approx(10 * reward)
    # of 17 in all: 3.529, 0, 2.353, 4.118 against 0, 4, 1, 5: off by 3.529 + 4 + 1.353 + 0.882
    assert info["metrics"]["normalised"] == pytest.approx(10 - 9.7647, abs=1e-4)
    env.reset(seed=0)
    assert env.step("Glad: 10\nSad: 0\nCross: 10\nBored: 0")[1] == pytest.approx(-1.31787)  # see the full scale by hand


def test_states_hold_question_and_answer_and_come_back_from_bytes() -> None:
    env, other = EmotionQuestionsEnv(split="EU-zh"), EmotionQuestionsEnv(split="EU-zh")
    _, before = env.reset(seed=3)
    start = env.snapshot().to_bytes()
    after = env.step(env.expert(env.state))[4]
    assert before["state_hash"] != after["state_hash"]
    other.restore(start)
    assert other.step(other.expert(other.state))[4] == after
    again = EmotionQuestionsEnv(split="EU-zh")
    again.restore(env.snapshot().to_bytes())
    assert again.state == env.state


def test_random_choice_succeeds_as_often_as_one_choice_of_a_menu_is_right() -> None:
    env = EmotionQuestionsEnv()
    assert env.panels()[0][1] == chance(own_panel()["eq"]) == 1 / 8
    found = random_success(EmotionQuestionsEnv(split="EA-en"), 40, split="EA-en")
    assert chance(own_panel()["EA-en"]) == 1 / 4
    assert found["success"] == pytest.approx(1 / 4, abs=0.07)  # 400 draws: three standard errors are 0.065


def test_own_letters_are_no_clue() -> None:
    env = EmotionQuestionsEnv()
    for split in ("EU-en", "EA-en"):
        rights = [tuple(task.data["right"]) for task in env.panel[split]]
        for position in zip(*rights, strict=True):
            assert max(map(position.count, position)) <= 4  # of 10, with four to six places


# ---- public sets -------------------------------------------------------------------------------------------------


def test_a_set_is_added_and_found_by_its_name(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("AGENTGYM_CACHE", str(tmp_path / "cache"))
    assert SETS["eq-bench"].world == SETS["emobench"].world == "agentgym/EmotionQuestions-v0"
    data.add("eq-bench", write_eq(tmp_path / "eq" / "data", {"7": eq_item()}).parent)  # as in its repository
    data.add(
        "emobench", write_emo(tmp_path / "emo", EU=[eu_line()], EA=[ea_line(), ea_line(language="zh")]), name="mine"
    )
    env = EmotionQuestionsEnv(data="eq-bench")
    assert [task.id for task in env.panel["test"]] == ["eq-7"]
    emo = EmotionQuestionsEnv(data="mine", split="EA-zh")
    assert {split: [task.id for task in emo.panel[split]] for split in emo.panel} == {
        "EU-en": ["EU-en-1"], "EA-en": ["EA-en-1"], "EA-zh": ["EA-zh-1"],
    }  # fmt: skip
    assert all(info["success"] for one in (env, emo) for info in played(one, expert))
    with pytest.raises(ValueError, match="leave one out"):
        EmotionQuestionsEnv(data="mine", tasks=[Task("t", {})])
    with pytest.raises(ValueError, match="not both"):
        EmotionQuestionsEnv(data="mine", data_dir=str(tmp_path))


BAD_EQ = {
    "prompt": ({"prompt": None}, "prompt is missing, empty or no text"),
    "no reference": ({"reference_answer_fullscale": None}, "reference_answer_fullscale is missing or no object"),
    "a list": ({"reference_answer": [1, 2]}, "reference_answer is missing or no object"),
    "too high": (
        {"reference_answer_fullscale": reference(0, 6, 2, 11)},
        "emotion4_score must be a number from 0 to 10",
    ),
    "half": ({"reference_answer_fullscale": reference(0, 6, 2, 7.5)}, "emotion4_score must be a number from 0 to 10"),
    "word": (
        {"reference_answer": reference(0, "six", 2, 7)},
        "emotion2_score must be a number from 0 to 10, not 'six'",
    ),
    "truth": ({"reference_answer": reference(0, True, 2, 7)}, "emotion2_score must be a number from 0 to 10, not True"),
    "nan": ({"reference_answer": reference(0, float("nan"), 2, 7)}, "emotion2_score must be a number"),
    "twice": (
        {"reference_answer": reference(0, 6, 2, 7, names=("Glad", "Sad", "Glad", "Bored"))},
        "emotion3 must be one word of its own, not 'Glad'",
    ),
    "two words": (
        {"reference_answer": reference(0, 6, 2, 7, names=("Very glad", "Sad", "a", "b"))},
        "one word of its own",
    ),
    "others": (
        {"reference_answer": reference(0, 6, 2, 7, names=("Glad", "Sad", "Cross", "Calm"))},
        "its two references name different emotions",
    ),
    "unasked": ({"prompt": "How does A feel?"}, "its prompt does not ask for 'Glad'"),
    "nothing": ({"reference_answer_fullscale": reference(0, 0, 0, 0)}, "its reference feels nothing"),
}


def test_bad_items_of_eq_bench_are_named_and_the_rest_plays(tmp_path) -> None:
    items = {
        "good": eq_item(),
        **{name: eq_item(**changes) for name, (changes, _) in BAD_EQ.items()},
        "text": "no object",
    }
    env = EmotionQuestionsEnv(data_dir=str(write_eq(tmp_path, items)))
    assert [task.id for task in env.panel["test"]] == ["eq-good"]
    assert [problem.item for problem in env.problems] == [f"question {name}" for name in (*BAD_EQ, "text")]
    for problem, (_, wrong) in zip(env.problems, BAD_EQ.values(), strict=False):
        assert wrong in problem.wrong
        assert problem.file == "eq_bench_v2_questions_171.json"
    assert "it must be an object, not str" in env.problems[-1].wrong


BAD_EMO = {
    "EU": {
        '{"qid": ': "it is no JSON",
        "[1]": "it must be an object, not list",
        json.dumps(eu_line(qid="2", language="fr")): "unknown language 'fr'",
        json.dumps(eu_line(qid="3", emotion_label="Joy")): "emotion_label is 'Joy', which is none of emotion_choices",
        json.dumps(
            eu_line(qid="4", cause_choices=["x"], cause_label="x")
        ): "cause_choices must hold 2 to 26 different texts",
        json.dumps(eu_line(qid="5", emotion_choices=["Mirth", "Mirth"])): "emotion_choices must hold 2 to 26 different",
        json.dumps(eu_line(qid="6", emotion_choices="Mirth")): "emotion_choices must be a list of texts",
        json.dumps(eu_line(qid="7", coarse_category=None)): "coarse_category is missing",
        json.dumps(eu_line()): "EU-en-1 was there before",
    },
    "EA": {
        json.dumps(ea_line(qid="2", **{"question type": "Thought"})): "unknown question type 'Thought'",
        json.dumps(ea_line(qid="3", label=7)): "label is missing, empty or no text",
        json.dumps(ea_line(qid=8)): "qid is missing, empty or no text",
        json.dumps(ea_line(qid="4", scenario=" ")): "scenario is missing, empty or no text",
    },
}


def test_bad_lines_of_emobench_are_named_and_the_rest_plays(tmp_path) -> None:
    folder = write_emo(tmp_path, EU=[eu_line(), "", *BAD_EMO["EU"]], EA=[ea_line(), *BAD_EMO["EA"]])
    env = EmotionQuestionsEnv(data_dir=str(folder))
    assert sorted(task.id for split in env.panel for task in env.panel[split]) == ["EA-en-1", "EU-en-1"]
    wrong = [(part, text) for part, lines in BAD_EMO.items() for text in lines.values()]
    assert len(env.problems) == len(wrong) == 13
    for problem, (part, text) in zip(env.problems, wrong, strict=True):
        assert text in problem.wrong and problem.file == f"{part}.jsonl"
    assert env.problems[0].item == "line 3"  # the second is empty
    assert data.read("emobench", folder).items == 15


@pytest.mark.parametrize(
    ("kind", "files", "message"),
    [
        ("eq-bench", {}, r"holds no eq_bench_v2_questions\*\.json"),
        ("eq-bench", {"eq_bench_v2_questions_171.json": "[]"}, "must be one JSON object"),
        ("eq-bench", {"eq_bench_v2_questions_171.json": "{"}, "is no JSON"),
        ("eq-bench", {"eq_bench_v2_questions_171.json": "\udcff"}, "is no JSON"),
        ("eq-bench", {"eq_bench_v2_questions_171.json": "{}"}, "none of 0 items of eq-bench plays"),
        ("emobench", {"XX.jsonl": "{}"}, "holds no EU.jsonl and no EA.jsonl"),
        ("emobench", {"EA.jsonl": "{}"}, "none of 1 items of emobench plays; the first problem: EA.jsonl, line 1"),
    ],
)
def test_files_that_cannot_be_used_are_named(tmp_path, kind, files, message) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8", "surrogateescape")
    with pytest.raises(DataError, match=message):
        data.read(kind, tmp_path)


def test_tasks_of_ones_own() -> None:
    task = own_panel()["EA-en"][0]
    env = EmotionQuestionsEnv(tasks=[Task("mine", task.data)], reward=RewardSpec({}, outcome=2.0))
    assert env.reset(seed=0)[0] == EmotionQuestionsEnv().reset(options={"task": task.id})[0]
    assert env.step(env.expert(env.state))[1] == 2.0
    with pytest.raises(WorldError, match="task 'mine' holds no question"):
        EmotionQuestionsEnv(tasks=[Task("mine", {"set": "emobench"})]).reset(seed=0)


# ---- reports -----------------------------------------------------------------------------------------------------


def test_a_run_is_reported_as_the_benchmarks_do(tmp_path) -> None:
    eq = EmotionQuestionsEnv(data_dir=str(write_eq(tmp_path / "eq", {"1": eq_item(), "2": eq_item(), "3": eq_item()})))
    answers = iter(["Glad: 0\nSad: 6\nCross: 2\nBored: 7", "Glad: 4\nSad: 6\nCross: 2\nBored: 7", "no idea"])
    # 10 and 7.57 (see the full scale by hand) of the two that can be read
    assert report(eq, played(eq, lambda _: next(answers))) == {
        "score": pytest.approx(87.85, abs=0.01),
        "parseable": 2.0,
    }
    lines = [eu_line(), eu_line(qid="2"), eu_line(qid="3", coarse_category="beliefs")]
    emo = EmotionQuestionsEnv(data_dir=str(write_emo(tmp_path / "emo", EU=lines, EA=[ea_line()])))
    infos = played(emo, lambda env: '{"answer_q1": "B", "answer_q2": "A"}' if env.state.question.part == "EU" else "?")
    assert report(emo, infos[:3]) == {"beliefs": 0.0, "cues": 0.0, "Overall": 0.0}
    right = played(emo, expert)
    assert report(emo, [right[0], infos[1], right[2]]) == {"beliefs": 1.0, "cues": 0.5, "Overall": pytest.approx(2 / 3)}
    with pytest.raises(ValueError, match="of one set, part and language, not of 2"):
        report(emo, right)
    with pytest.raises(ValueError, match="not of 0"):
        report(emo, [])


# ---- the real sets -----------------------------------------------------------------------------------------------


def real(name):
    folder = os.environ.get("AGENTGYM_REFERENCE")
    if not folder:
        pytest.skip("AGENTGYM_REFERENCE is unset: it names the folder of reference data")
    return str(Path(folder) / "data" / name)


def test_all_171_questions_of_eq_bench_play_and_chance_gets_nothing() -> None:
    env = EmotionQuestionsEnv(data_dir=real("eq-bench"))
    assert (len(env.panel["test"]), env.problems) == (171, ())
    infos = played(env, expert)
    assert report(env, infos) == {"score": 100.0, "parseable": 171.0}
    for task in env.panel["test"]:
        env.reset(options={"task": task.id})
        asked = env.describe(env.state)
        assert not any(text in asked for text in ("critique here", "critique your", "evised score", "First pass"))
    sums = dict.fromkeys(range(11), 0.0)
    for score in sums:
        infos = played(env, lambda env, s=score: "\n".join(f"{n}: {s or 1}" for n, _ in env.state.question.reference))
        sums[score] = report(env, infos)["score"]
    assert max(sums.values()) == sums[3] == pytest.approx(38.9, abs=0.05)  # what the page says of all emotions alike
    assert (sums[5], sums[10]) == (pytest.approx(26.9, abs=0.05), pytest.approx(-78.6, abs=0.05))
    # one emotion at a time, since differences add up: what a uniformly random intensity costs, against what it may
    costs = [
        10 - full_scale(((name, wanted),), ((name, float(score)),))
        for task in env.panel["test"]
        for name, wanted in task.data["reference"].items()
        for score in range(11)
    ]
    assert 100 - 10 * 4 * sum(costs) / len(costs) == pytest.approx(1.4, abs=0.05)
    revised = EmotionQuestionsEnv(data_dir=real("eq-bench"), revise=True)
    assert report(revised, played(revised, expert))["revised"] == 100.0


def test_all_800_lines_of_emobench_play() -> None:
    env = EmotionQuestionsEnv(data_dir=real("emobench"))
    assert {split: len(env.panel[split]) for split in env.panel} == dict.fromkeys(
        ("EU-en", "EU-zh", "EA-en", "EA-zh"), 200
    )
    assert env.problems == ()
    infos = played(env, expert)
    understood = report(env, infos[:200])
    assert understood["Overall"] == 1.0
    assert sorted(understood) == [
        "Overall", "complex_emotions", "emotional_cues", "personal_beliefs_and_experiences", "perspective_taking",
    ]  # fmt: skip
    assert report(env, infos[600:])["Overall"] == 1.0
