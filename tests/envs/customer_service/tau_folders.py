"""Folders of our own in the layouts of tau2-bench and tau-bench, made of the small domains of the other helpers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import tau_airfield
import tau_phone
import tau_shop

READ = {"name": "get_order_details", "arguments": {"order_id": "#1"}}
CANCEL = {"name": "cancel_pending_order", "arguments": {"order_id": "#1", "reason": "no longer needed"}}
AWAY = {"name": "cancel_reservation", "arguments": {"reservation_id": "R1"}}
USER_INFO = {"env_type": "user", "func_name": "set_user_info", "arguments": {"name": "Ada", "phone_number": "072"}}
DATA_OFF = {"env_type": "user", "func_name": "turn_data_off", "arguments": {}}
DATA_WORKS = {"env_type": "user", "func_name": "assert_mobile_data_status", "arguments": {"expected_status": True}}


def task(number: str, *actions: dict[str, Any], **criteria: Any) -> dict[str, Any]:
    """An entry of a file of tasks."""
    told = {"reason_for_call": "You want help.", "known_info": "You are Ada.", "task_instructions": ""}
    return {
        "id": number,
        "user_scenario": {"persona": None, "instructions": told},
        "initial_state": None,
        "evaluation_criteria": {"actions": list(actions), **criteria},
    }


def on_phone(number: str, *starts: dict[str, Any], **criteria: Any) -> dict[str, Any]:
    """An entry of telecom's file."""
    asked = {"reward_basis": ["ENV_ASSERTION"], "env_assertions": [DATA_WORKS], **criteria}
    return {**task(number, **asked), "initial_state": {"initialization_actions": [USER_INFO, *starts]}}


def write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")


def toml(value: Any) -> str:
    """A value as inline TOML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


def tau2(folder: Path) -> Path:
    """tau2-bench with two domains whole and airline's tasks alone."""
    write(folder / "retail/db.json", tau_shop.RAW)
    write(folder / "retail/policy.md", "# Be kind\n")
    write(folder / "retail/tasks.json", [task("0", READ, CANCEL), task("1", reward_basis=["DB"])])
    write(folder / "retail/split_tasks.json", {"base": ["0", "1"], "train": ["0"], "test": ["1"]})
    write(folder / "airline/policy.md", "# Fly")
    write(folder / "airline/tasks.json", [task("0", AWAY)])
    write(folder / "telecom/db.toml", "".join(f"{name} = {toml(rows)}\n" for name, rows in tau_phone.RAW.items()))
    write(folder / "telecom/user_db.toml", f"device = {toml({'app_statuses': tau_phone.APPS})}\n")
    write(folder / "telecom/main_policy.md", "# Phones\n")
    write(folder / "telecom/tech_support_manual.md", "# Manual\n")
    toggle = {"name": "toggle_data", "arguments": {}, "requestor": "user"}
    write(folder / "telecom/tasks_small.json", [on_phone("off", DATA_OFF, actions=[toggle])])
    write(folder / "telecom/split_tasks.json", {"small": ["off"], "full": ["off"]})
    return folder


def tau_bench(folder: Path) -> Path:
    """tau-bench: airline's three tables, without user_id."""
    users = {
        key: {name: value for name, value in user.items() if name != "user_id"}
        for key, user in tau_airfield.RAW["users"].items()
    }
    for name, rows in {**tau_airfield.RAW, "users": users}.items():
        write(folder / f"airline/{name}.json", rows)
    return folder
