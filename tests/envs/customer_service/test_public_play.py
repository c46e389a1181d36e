"""Public tasks in the world: scripts made of the tasks' texts, official tools and grading, from end to end."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import tau_folders

from agentgym import ToolCall
from agentgym.envs.customer_service.env import CustomerServiceEnv
from agentgym.envs.customer_service.sources.scripts import first_person

REFERENCE = os.environ.get("AGENTGYM_REFERENCE", "")
SETS = (
    ("tau2-bench", "retail", 114), ("tau2-bench", "airline", 50), ("tau2-bench", "telecom", 20),
    ("tau-bench", "airline", 50),
)  # fmt: skip


def solved(env: CustomerServiceEnv, task: str) -> tuple[str, float, str]:
    """Let the expert play a task; return how it ended."""
    _, info = env.reset(seed=0, options={"task": task})
    while not info["end_reason"]:
        _, reward, _, _, info = env.step(info["expert"])
    return info["end_reason"], reward, info["end_detail"]


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tau_folders.tau2(tmp_path / "tau2-bench"))


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("You want your money back. You are angry.", "I want my money back. I am angry."),
        ("you name is Ann; you'd like an offer for you", "My name is Ann; I'd like an offer for me"),
        (
            "If the agent tells you that you're late, you were told so.",
            "If the agent tells me that I'm late, I was told so.",
        ),
    ],
)
def test_instructions_are_said_in_the_first_person(told: str, said: str) -> None:
    assert first_person(told) == said


def test_a_public_task_plays_with_the_official_tools(folder: str) -> None:
    env = CustomerServiceEnv(data_dir=folder, domain="retail", signals=("expert",))
    assert solved(env, "retail/0") == ("solved", 1.0, "")
    observation, info = env.reset(seed=0, options={"task": "retail/0"})
    assert "I want help." in observation and "Be kind" in info["messages"][0]["content"]
    observation, *_, info = env.step(ToolCall("get_order_details", {"order_id": "#none"}))
    assert observation == "Error: Order not found" and info["valid"] and info["tag"] == "error"
    observation, *_, info = env.step(ToolCall("cancel_pending_order", {"order_id": "#1", "reason": "no longer needed"}))
    assert info["tag"] == "gold" and info["violations"]


def test_domains_of_a_set(folder: str) -> None:
    assert CustomerServiceEnv(data_dir=folder).domain.name in ("airline", "retail", "telecom")
    with pytest.raises(ValueError, match="unknown domain 'bank'"):
        CustomerServiceEnv(data_dir=folder, domain="bank")
    with pytest.raises(ValueError, match="leave one out"):
        CustomerServiceEnv(data_dir=folder, tasks=[])


@pytest.mark.skipif(not REFERENCE, reason="AGENTGYM_REFERENCE names no folder with public data sets")
@pytest.mark.parametrize(("name", "domain", "count"), SETS)
def test_the_expert_reaches_the_recorded_end_of_every_public_task(name: str, domain: str, count: int) -> None:
    env: Any = CustomerServiceEnv(data_dir=f"{REFERENCE}/data/{name}", domain=domain, signals=("expert",))
    tasks = [task.id for split in env.panel for task in env.panel[split]]
    ends = {task: solved(env, task) for task in tasks}
    assert len(tasks) == count
    assert {task: end for task, end in ends.items() if end[:2] != ("solved", 1.0)} == {}
    judged = sum(bool(end[2]) for end in ends.values())
    needed = sum(
        bool(task.data["nl_assertions"]) and "NL_ASSERTION" in task.data["basis"]
        for split in env.panel
        for task in env.panel[split]
    )
    assert judged == needed
