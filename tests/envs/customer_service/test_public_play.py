"""Public tasks in the world: scripts made of the tasks' texts, official tools and grading, from end to end."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import tau_folders

from agentgym import ToolCall
from agentgym.check import check
from agentgym.envs.customer_service.env import CustomerServiceEnv

REFERENCE = os.environ.get("AGENTGYM_REFERENCE", "")
SETS = (
    ("tau2-bench", "retail", 114), ("tau2-bench", "airline", 50), ("tau2-bench", "telecom", 20),
    ("tau2-bench-verified", "retail", 114), ("tau2-bench-verified", "airline", 50), ("tau-bench", "airline", 50),
)  # fmt: skip


def solved(env: CustomerServiceEnv, task: str) -> tuple[str, float, str]:
    """Let the expert play a task; return how it ended."""
    _, info = env.reset(seed=0, options={"task": task})
    while not info["end_reason"]:
        _, reward, _, _, info = env.step(info["expert"])
        assert not info.get("violations"), (task, info["turn"])
    return info["end_reason"], reward, info["end_detail"]


def said(env: CustomerServiceEnv, task: str, *actions: str | ToolCall) -> tuple[str, float]:
    """Play a task with these actions, the last of them until the talk ends; return how it ended."""
    _, info = env.reset(seed=0, options={"task": task})
    reward, left = 0.0, list(actions)
    while not info["end_reason"]:
        _, reward, _, _, info = env.step(left.pop(0) if len(left) > 1 else left[0])
    return info["end_reason"], reward


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tau_folders.tau2(tmp_path / "tau2-bench"))


def test_a_public_task_plays_with_the_official_tools(folder: str) -> None:
    env = CustomerServiceEnv(data_dir=folder, domain="retail", signals=("expert",))
    assert solved(env, "retail/0") == ("solved", 1.0, "")
    observation, info = env.reset(seed=0, options={"task": "retail/0"})
    assert "I want help." in observation and "Be kind" in info["messages"][0]["content"]
    observation, *_, info = env.step(ToolCall("get_order_details", {"order_id": "#none"}))
    assert observation == "Error: Order not found" and info["valid"] and info["tag"] == "error"
    observation, *_, info = env.step(ToolCall("cancel_pending_order", {"order_id": "#1", "reason": "no longer needed"}))
    assert info["tag"] == "gold" and info["violations"]


def test_a_task_that_nothing_solves_but_a_human_wants_to_be_handed_over(tmp_path: Path) -> None:
    away = {"name": "transfer_to_human_agents", "arguments": {"summary": "Ada wants the impossible."}}
    folder = tau_folders.tau2(tmp_path / "tau2-bench")
    tau_folders.write(folder / "retail/tasks.json", [tau_folders.task("0", {**away, "compare_args": []})])
    env = CustomerServiceEnv(data_dir=str(folder), domain="retail", signals=("expert",))
    assert solved(env, "retail/0") == ("solved", 1.0, "")
    assert said(env, "retail/0", "Blue skies.") == ("user_left", 0.0)
    assert said(env, "retail/0", "I'm sorry, but our policy does not allow that.") == ("failed", 0.0)
    handed = ToolCall("transfer_to_human_agents", {"summary": "In words of its own."})
    assert said(env, "retail/0", handed, "You are being transferred to a human agent.") == ("solved", 1.0)


def test_what_the_tools_refuse_is_to_be_refused(tmp_path: Path) -> None:
    late = {"name": "cancel_pending_order", "arguments": {"order_id": "#1", "reason": "too late"}}  # no such reason
    folder = tau_folders.tau2(tmp_path / "tau2-bench")
    tau_folders.write(folder / "retail/tasks.json", [tau_folders.task("0", late)])
    env = CustomerServiceEnv(data_dir=str(folder), domain="retail", signals=("expert",))
    assert solved(env, "retail/0") == ("solved", 1.0, "")
    assert said(env, "retail/0", "Blue skies.") == ("user_left", 0.0)
    assert env.state.case.sheet.customer == "ada"  # whose order it is


def test_a_public_set_keeps_the_contract(folder: str) -> None:
    rules = ("messages", "noop", "expert")
    report = check(CustomerServiceEnv, kwargs={"data_dir": folder, "domain": "retail"}, tasks=2, rules=rules)
    assert [result.status for result in report.results] == ["passed"] * (1 + len(rules)), str(report)


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
    assert not [task for task in tasks if said(env, task, "Blue skies.")[1]]
    assert {task: end for task, end in ends.items() if end[:2] != ("solved", 1.0)} == {}
    judged = sum(bool(end[2]) for end in ends.values())
    needed = sum(
        bool(task.data["nl_assertions"]) and "NL_ASSERTION" in task.data["basis"]
        for split in env.panel
        for task in env.panel[split]
    )
    assert judged == needed
