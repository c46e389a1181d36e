"""SAGE's seekers: read, refused without a speaker and a judge, played with both; what its recorded talks give."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from agentgym import Draft, Item, Said, Scene, TurnRng
from agentgym import data as store
from agentgym.envs.emotional_support import listen, sage
from agentgym.envs.emotional_support.env import ITEMS, EmotionalSupportEnv
from agentgym.errors import DataError

GOOD: dict[str, Any] = {"id": "a", "player": "玩家甲", "scene": "场景", "task": "目的", "first_talk": "我很难过。"}


def written(folder: Path, *profiles: Any) -> Path:
    (folder / sage.PROFILES).write_text("\n".join(json.dumps(one, ensure_ascii=False) for one in profiles), "utf-8")
    return folder


class Speaker:
    """A seeker that says what it was directed to, and keeps the cards."""

    scripted = False

    def __init__(self) -> None:
        self.cards: list[str] = []

    def speak(self, scene: Scene, draft: Draft, rng: TurnRng) -> Said:
        self.cards.append(scene.card)
        return Said(f"好 {draft.act} {draft.text}")


class Kind:
    """A judge to whom everything helps a little."""

    def levels(self, scene: Scene, items: Sequence[Item]) -> Mapping[str, int]:
        return {item.name: max(0, item.low + 1) if item.low == 0 else 0 for item in items}


def test_a_profile_is_played_by_a_speaker_and_a_judge(tmp_path: Path) -> None:
    speaker = Speaker()
    env = EmotionalSupportEnv(data_dir=written(tmp_path, GOOD), user=speaker, judge=Kind(), signals=("potential",))
    said, info = env.reset(seed=1)
    # C: 2 + 2 + 3, A: 2 + 4 + 3, P: 2 + 4 + 3, all of level 1
    assert (said, info["task"], env.state.position) == ("我很难过。", "sage-a", (-7, -9, -9))
    acts = []
    while not info["end_reason"]:
        answer, _, _, _, info = env.step("我在听。")
        acts.append(env.state.act)
        assert answer == f"好 {acts[-1]} {sage.DIRECTIONS[acts[-1]]}"
    # +1 on every axis a turn: one feels, four facts, hint, disclosure, the feeling behind it, and so on to the twelfth.
    assert acts[:8] == ["feels", "tells", "tells", "tells", "tells", "hints", "discloses", "deepens"]
    assert info["end_reason"] == "solved" and info["turn"] == 12
    assert all(part in speaker.cards[0] for part in ("玩家甲", "场景", "目的"))
    saved = env.snapshot().to_bytes()
    assert EmotionalSupportEnv(data_dir=tmp_path, user=speaker, judge=Kind()).restore(saved)[0] == answer


def test_every_act_of_a_judged_seeker_has_a_direction() -> None:
    judged = {"hurt", "thanks", "leaves", "waits", "resists", "tells", "feels", "hints", "discloses", "deepens", "owns"}
    assert judged | {"warms", "weighs", "decides", "settles", "agrees", "circles", "softens"} == set(sage.DIRECTIONS)
    assert set(listen.HURT.values()) & set(sage.DIRECTIONS) == {"hurt"}  # levels alone name no other blow


@pytest.mark.parametrize(
    "given, says",
    [
        ({}, "give user= and judge="),
        ({"user": Speaker()}, "give user= and judge="),
        ({"user": Speaker(), "judge": Kind(), "signals": ("menu",)}, "there is no menu"),
        ({"user": Speaker(), "judge": Kind(), "tasks": []}, "leave one out"),
    ],
)
def test_without_a_speaker_and_a_judge_they_are_refused(tmp_path: Path, given: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        EmotionalSupportEnv(data_dir=written(tmp_path, GOOD), **given)


def test_bad_profiles_are_named_and_good_ones_stay(tmp_path: Path) -> None:
    lacking = {**GOOD, "id": "b", "first_talk": " ", "task": 3}
    source = store.read(sage.KIND, written(tmp_path, GOOD, lacking, [1], {**GOOD}))
    assert [task.id for task in source.panel["test"]] == ["sage-a"]
    said = [str(problem) for problem in source.problems]
    for text, wrong in zip(said, ("line 2: it lacks the text task, first_talk", "line 3", "line 4"), strict=True):
        assert f"{sage.PROFILES}, {wrong}" in text


def test_a_folder_without_seekers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no simulator_profile_withfirsttalk"):
        store.read(sage.KIND, tmp_path)
    with pytest.raises(DataError, match="no seeker that plays"):
        store.read(sage.KIND, written(tmp_path, {}))


def test_changes_of_emotion_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    talk = {"history": [{"role": "user", "emotion-point": p} for p in (40, 45, 35, 40)] + [{"role": "assistant"}]}
    (tmp_path / "dialogues_x.jsonl").write_text(json.dumps(talk) + "\n" + json.dumps({"history": []}))
    assert sage.changes(tmp_path) == {5: 2, -10: 1}
    assert sage.main([str(tmp_path)]) == 0
    assert "3 changes, +0.00 on average, 33.3% of them for the worse" in capsys.readouterr().out
    (tmp_path / "dialogues_x.jsonl").write_text("{}")
    with pytest.raises(DataError, match="line 1 is no recorded talk"):
        sage.changes(tmp_path)
    with pytest.raises(DataError, match="holds no dialogues"):
        sage.changes(tmp_path / "none")


def test_the_reference_data_are_read_whole() -> None:
    if "AGENTGYM_REFERENCE" not in os.environ:
        pytest.skip("AGENTGYM_REFERENCE is unset: it names the folder of reference data")
    folder = Path(os.environ["AGENTGYM_REFERENCE"]) / "data" / "sage"
    source = store.read(sage.KIND, folder)
    assert len(source.panel["test"]) == 100 and not source.problems
    found = sage.changes(folder)
    assert sum(found.values()) == 856 and found[5] == 290 and found[-5] == 357
    env = EmotionalSupportEnv(data_dir=folder, user=Speaker(), judge=Kind())
    assert env.reset(seed=0)[0] and len(ITEMS) == 6
