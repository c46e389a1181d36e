"""The cassettes in tests/cassettes: what models said is said again, in worlds and out of them, without any model."""

import json
from typing import Any

import gymnasium
import pytest

import agentgym  # noqa: F401 — registers the worlds
from agentgym.errors import InfraError
from agentgym.llm import user_from
from agentgym.rng import TurnRng
from agentgym.user import Draft, Said, Scene
from tests.record_cassettes import FOLDER, PLAYS, REAL

REMEDY = "record it anew: python -m tests.record_cassettes"


def noted(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return found


def world(name: str) -> Any:
    user = {"model": "parrot", "cassette": str(FOLDER / f"{name}.jsonl")}
    made = {"split": PLAYS[name]["split"], "user": user}
    return gymnasium.make(PLAYS[name]["env"], disable_env_checker=True, **made).unwrapped


@pytest.mark.parametrize("name", PLAYS)
def test_a_world_plays_with_a_model_from_its_cassette(name: str) -> None:
    played, env = noted(name), world(name)
    observation, info = env.reset(seed=played["seed"], options={"task": played["task"]})
    assert observation == played["observations"][0], REMEDY
    for action, wanted in zip(played["actions"], played["observations"][1:], strict=True):
        observation, *_, info = env.step(action)
        assert observation == wanted, REMEDY
    assert {key: info[key] for key in ("end_reason", "success", "history_hash")} == {
        key: played[key] for key in ("end_reason", "success", "history_hash")
    }
    assert played["success"] is True  # the expert wins, whoever speaks


@pytest.mark.parametrize("name", PLAYS)
def test_the_models_words_are_what_is_said(name: str) -> None:
    """The same actions before the scripted user: the drafts are in the model's words, and are not all of them."""
    played = noted(name)
    env: Any = gymnasium.make(PLAYS[name]["env"], disable_env_checker=True, split=PLAYS[name]["split"]).unwrapped
    env.reset(seed=played["seed"], options={"task": played["task"]})
    drafts = [env.step(action)[0] for action in played["actions"]]
    pairs = [(draft, said) for draft, said in zip(drafts, played["observations"][1:], strict=True) if draft != said]
    assert len(pairs) >= 3 and all(said.endswith(draft) for draft, said in pairs)


@pytest.mark.parametrize("name", PLAYS)
def test_moments_of_a_cassettes_episode_go_on_the_same(name: str) -> None:
    played, env = noted(name), world(name)
    env.reset(seed=played["seed"], options={"task": played["task"]})
    half = len(played["actions"]) // 2
    for action in played["actions"][:half]:
        env.step(action)
    moment = env.snapshot().to_bytes()
    (fork,) = env.fork()
    other = world(name)
    other.restore(moment)
    rest = played["actions"][half:]
    ends = [[each.step(action) for action in rest] for each in (env, fork, other)]
    assert ends[0] == ends[1] == ends[2] and ends[0][-1][4]["history_hash"] == played["history_hash"]


def test_what_a_real_model_said_is_said_again() -> None:
    """Small models forget facts: what they say then is not taken, and a user that never keeps them fails."""
    real = noted("real")
    user = user_from({"model": real["model"], "cassette": str(FOLDER / "real.jsonl"), **REAL})
    for scene in real["scenes"]:
        card, messages = scene["scene"]
        text, act, facts, choices = scene["draft"]
        asked = Scene(card, tuple((role, said) for role, said in messages))
        draft, rng = Draft(text, act, tuple(facts), tuple(choices)), TurnRng(*scene["rng"])
        if "said" in scene:
            said = user.speak(asked, draft, rng)
            assert said == Said(*scene["said"])
            assert said.act in ("", *choices) and (said.act or all(fact in said.text for fact in facts))
        else:
            with pytest.raises(InfraError) as caught:
                user.speak(asked, draft, rng)
            assert str(caught.value) == scene["failed"] and caught.value.detail == "user_error"
    kinds = ["said" in scene for scene in real["scenes"]]
    assert any(kinds) and not all(kinds)
