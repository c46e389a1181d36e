"""The world of sales: whole talks, what the tools do, the end, users of other kinds, snapshots."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import pytest

import agentgym
from agentgym import Draft, Said, Scene, TurnRng
from agentgym.envs.sales import value
from agentgym.envs.sales.env import SalesEnv

TASK = "laptops/train/0"


def played(env: SalesEnv, task: str, seed: int = 0) -> tuple[float, dict[str, Any]]:
    """Return what the expert's talk pays, and its last info."""
    _, info = env.reset(seed=seed, options={"task": task})
    while True:
        _, reward, terminated, truncated, info = env.step(env.expert(env.state))
        if terminated or truncated:
            return float(reward), dict(info)


def test_the_world_is_registered_and_the_expert_sells_in_it() -> None:
    env = gym.make("agentgym/Sales-v0").unwrapped
    assert isinstance(env, SalesEnv)
    reward, info = played(env, TASK)
    assert info["success"] and info["end_reason"] == "solved" and reward >= 0.5


def test_who_can_be_won_is_won_by_the_expert_and_who_cannot_is_let_go() -> None:
    env = SalesEnv()
    for task in env.panel["dev"]:
        _, info = played(env, task.id)
        case = env.state.case
        assert info["success"], task.id
        assert info["metrics"]["conversion"] == float(value.best(case) >= 0), task.id


def test_claiming_a_sale_does_nothing() -> None:
    env = SalesEnv()
    env.reset(seed=0, options={"task": TASK})
    before = env.state
    _, reward, terminated, _, info = env.step("Congratulations, you have bought it! The sale is closed.")
    assert reward == 0.0 and not terminated and not info["success"]
    assert env.state.product == before.product and env.state.price == before.price


def test_a_quote_has_bounds_and_a_close_without_a_product_is_declined() -> None:
    env = SalesEnv()
    env.reset(seed=0, options={"task": TASK})
    observation, *_, info = env.step(agentgym.ToolCall("quote", {"price": 1}))
    assert not info["valid"] and "name a product" in observation
    patience = env.state.patience
    *_, info = env.step(agentgym.ToolCall("close"))
    assert info["valid"] and env.state.end == "" and env.state.patience == patience - 3
    name = env.state.case.shelf[0].name
    observation, *_, info = env.step(agentgym.ToolCall("quote", {"price": 1, "product": name}))
    assert not info["valid"] and name in observation
    assert {schema["function"]["name"] for schema in env.tool_schemas} == {"lookup", "quote", "close"}


class Free:
    """A user with a mind of its own: it chooses an act where the draft allows it."""

    scripted = False

    def __init__(self, act: str) -> None:
        self.act, self.scenes = act, []  # type: ignore[var-annotated]

    def speak(self, scene: Scene, draft: Draft, rng: TurnRng) -> Said:
        self.scenes.append(scene)
        return Said("As I like.", self.act if self.act in draft.choices else "")


@pytest.mark.parametrize("act, reason", [("leaves", "user_left"), ("accepts", "failed")])
def test_another_user_decides_for_itself(act: str, reason: str) -> None:
    user = Free(act)
    env = SalesEnv(user=user)
    env.reset(seed=0, options={"task": TASK})
    dear = max(env.state.case.shelf, key=lambda product: product.price)
    env.step(f"What about the {dear.name}?")
    if act == "accepts":
        assert env.state.end == ""
        env.step(agentgym.ToolCall("close"))
    assert env.state.end == {"leaves": "left", "accepts": "sold"}[act]
    assert "You are" in user.scenes[0].card and user.scenes[0].messages[-1][0] == "assistant"


def test_a_talk_goes_on_from_a_snapshot_as_it_would_have() -> None:
    env = SalesEnv()
    env.reset(seed=3, options={"task": TASK})
    for _ in range(3):
        env.step(env.expert(env.state))
    saved = env.snapshot().to_bytes()
    steps = [env.step(env.expert(env.state))[0] for _ in range(3)]
    env.restore(saved)
    assert [env.step(env.expert(env.state))[0] for _ in range(3)] == steps
