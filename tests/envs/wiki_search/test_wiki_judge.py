"""SLATE's rewards by a judge of one's own: what it sees, what it decides, and how it fails."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from wiki_small import corpus, world

from agentgym.envs.wiki_search.presets import SearchTurn
from agentgym.envs.wiki_search.slate_judge import judged, scene
from agentgym.errors import InfraError
from agentgym.user import Item, Scene
from tests.llm_server import serving

PLAYED = (
    "<think>Who designed it?</think> <search>Orla Bridge designed by</search>",
    "<think>Mara Venn was born in Oldhaven.</think><answer>Oldhaven</answer>",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return corpus(tmp_path_factory.mktemp("corpus"))


class Grumpy:
    """Finds thoughts bad and everything else half good, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[Scene, tuple[str, ...]]] = []

    def levels(self, scene: Scene, items: Sequence[Item]) -> Mapping[str, int]:
        self.asked.append((scene, tuple(item.name for item in items)))
        return {item.name: -1 if item.name == "think" else 0 for item in items}


class Silent:
    def levels(self, scene: Scene, items: Sequence[Item]) -> Mapping[str, int]:
        raise InfraError("no answer", "judge_error")


def played(env: Any, *actions: str) -> list[dict[str, Any]]:
    env.reset(seed=0, options={"task": "designer"})
    return [dict(env.step(action)[-1]) for action in actions]


def test_a_judge_decides_think_query_and_answer_and_the_rule_early(folder: Path) -> None:
    judge = Grumpy()
    first, last = played(world(folder, scoring="slate", judge=judge), *PLAYED)
    assert first["components"] == {"think": -1.0, "query": 0.0}
    assert last["components"] == {"think": -1.0, "answer": 0.0, "early": 0.05} and last["outcome_reward"] == 1.0
    assert [names for _, names in judge.asked] == [("think", "query"), ("think", "answer")]


def test_a_judge_sees_question_answers_thoughts_calls_and_results(folder: Path) -> None:
    judge = Grumpy()
    played(world(folder, scoring="slate", judge=judge), *PLAYED)
    (first, _), (last, _) = judge.asked
    assert "does not know: Oldhaven." in first.card and "What the last call showed:" in first.card
    assert "Mara Venn" in first.card  # on the page of the bridge
    assert first.messages == (("assistant", "Thought: Who designed it?\nsearch: Orla Bridge designed by"),)
    assert [role for role, _ in last.messages] == ["assistant", "user", "assistant"]
    assert last.messages[2][1] == "Thought: Mara Venn was born in Oldhaven.\nanswer: Oldhaven"
    assert "What the last call showed" not in last.card


def test_nobody_is_asked_about_an_answer_where_none_is_accepted() -> None:
    judge = Grumpy()
    turns = [SearchTurn("answer", "Orla")]
    # A right answer is worth 0 where none is accepted, in the first of four turns 0.1 · (4 − 1) / 4 = 0.075.
    assert judged(judge, turns, "Where?", ()) == {"think": -1.0, "answer": 0.0, "early": pytest.approx(0.075)}
    assert judge.asked[0][1] == ("think",) and "Accepted" not in judge.asked[0][0].card


def test_long_results_are_cut() -> None:
    turns = [SearchTurn("search", "a", result="x" * 9000), SearchTurn("open", "b", result="y" * 9000)]
    shown = scene(turns, "Where?", ["there"])
    assert shown.card.count("y") < 2100 and len(shown.messages[1][1]) == 2000


def test_a_judge_that_fails_ends_the_episode_as_an_infra_error(folder: Path) -> None:
    env = world(folder, scoring="slate", judge=Silent())
    _, opened = env.reset(seed=0, options={"task": "designer"})
    _, reward, terminated, truncated, info = env.step(PLAYED[0])
    assert (reward, terminated, truncated, info["end_reason"]) == (0.0, False, True, "infra_error")
    assert info["end_detail"] == "judge_error: no answer" and info["state_hash"] == opened["state_hash"]
    assert info["tag"] == "infra" and info["components"] == {}


def test_a_model_judges_over_an_endpoint_and_from_its_cassette(folder: Path, tmp_path: Path) -> None:
    spec = {"model": "toy", "cassette": str(tmp_path / "judge.jsonl")}
    with serving(otherwise=lambda _: '{"think": 1, "query": -1, "answer": 1}') as server:
        wanted = played(world(folder, scoring="slate", judge={**spec, "endpoint": server.url}), *PLAYED)
    assert wanted[0]["components"] == {"think": 1.0, "query": -1.0}
    assert "Thought: Who designed it?" in json.loads(server.requests[0]["messages"][1]["content"])[0]["text"]
    assert played(world(folder, scoring="slate", judge=spec), *PLAYED) == wanted


def test_a_judge_without_slate_is_refused(folder: Path) -> None:
    with pytest.raises(ValueError, match="judge= rates turns under scoring='slate', not under 'em'"):
        world(folder, judge=Grumpy())
    with pytest.raises(TypeError, match="judge must be a judge with levels"):
        world(folder, scoring="slate", judge="toy")
