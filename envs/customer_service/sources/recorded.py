"""Files of recorded runs: tau-bench's trajectories and tau2's results, read into one shape.

tau-bench writes a list of runs, each with its task: {task_id, reward, info: {task: {actions, outputs}, reward_info},
traj: messages in OpenAI's shape, trial}. tau2 writes an object: {info: {environment_info: {domain_name}}, tasks,
simulations: [{task_id, trial, reward_info: {reward}, termination_reason, messages}]}, in whose messages a call is
{id, name, arguments} and the customer may call tools too.

Source: https://github.com/sierra-research/tau-bench, historical_trajectories;
https://github.com/sierra-research/tau2-bench, src/tau2/data_model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from agentgym.envs.customer_service.official.domains import officials
from agentgym.envs.customer_service.official.grading import Call
from agentgym.envs.customer_service.sources.entries import Unplayable, read_entry
from agentgym.errors import unknown

STOP: Final = "###STOP###"
"""How the customers of tau-bench end a talk."""
HANDED_OVER: Final = "transfer_to_human_agents"
"""The call that ends a run of tau-bench."""
_OVER: Final = ("user_stop", "agent_stop")
"""What ends a run of tau2 so that it is graded."""


class Unreadable(ValueError):
    """A file of recorded runs that is none, or a run that cannot be read; the message names it and what is wrong."""


@dataclass(frozen=True, slots=True)
class Said:
    """One message of a run.

    Attributes:
        role: system, user, assistant or tool.
        text: what was said, or what a tool answered.
        calls: (id, call) of each tool call.
        answers: id of the call that a tool's message answers.
        private: it belongs to the customer's own tools, so the agent does not see it.
    """

    role: str
    text: str
    calls: tuple[tuple[str, Call], ...] = ()
    answers: str = ""
    private: bool = False

    def message(self) -> dict[str, Any]:
        """Return the message in OpenAI's shape."""
        made: dict[str, Any] = {"role": self.role, "content": self.text}
        if self.role == "assistant" and self.calls:
            made["tool_calls"] = [
                {
                    "id": key,
                    "type": "function",
                    "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
                }
                for key, call in self.calls
            ]
        if self.role == "tool":
            made["tool_call_id"] = self.answers
        return made


@dataclass(frozen=True, slots=True)
class Run:
    """A recorded run.

    Attributes:
        kind: tau-bench or tau2, whose tools it called.
        domain: retail, airline or telecom.
        task: id of the task in its file.
        trial: which attempt at it.
        data: of the task, as `sources.entries` describes it, without content, start and end.
        said: its messages.
        reward: as recorded; None where it is not.
        over: whether it came to an end that is graded; others get 0.
    """

    kind: str
    domain: str
    task: str
    trial: int
    data: Mapping[str, Any]
    said: tuple[Said, ...]
    reward: float | None
    over: bool


def runs_of(held: Any) -> list[Run]:
    """Return the runs of a file of tau-bench or tau2, which holds this JSON.

    Raises:
        Unreadable: it is neither, or one of its runs is not what a run is.
    """
    if isinstance(held, list) and held and all(isinstance(run, Mapping) and "traj" in run for run in held):
        return [_first_version(number, run) for number, run in enumerate(held)]
    if isinstance(held, Mapping) and isinstance(held.get("simulations"), list) and isinstance(held.get("tasks"), list):
        return list(_second_version(held))
    raise Unreadable(
        "no recorded runs: tau-bench's are a list whose entries have a `traj`, tau2's an object with `tasks` and "
        "`simulations`"
    )


def _first_version(number: int, run: Mapping[str, Any]) -> Run:
    where = f"run {number}"
    task = _entry(run, ("info", "task"), where)
    gold = [
        {"side": "assistant", "name": str(action.get("name")), "arguments": action.get("kwargs", {}), "compare": None}
        for action in _list(task, "actions", where)
    ]
    said = tuple(_message(where, place, message) for place, message in enumerate(_list(run, "traj", where)))
    domain = _domain_of(where, [call.name for one in said for _, call in one.calls] + [one["name"] for one in gold])
    data = {
        "domain": domain, "prepare": [], "gold": gold, "communicate": [str(text) for text in task.get("outputs", ())],
        "nl_assertions": [], "env_assertions": [], "basis": ["DB", "COMMUNICATE"],
    }  # fmt: skip
    over = any(STOP in one.text for one in said[-1:] if one.role == "user") or any(
        call.name == HANDED_OVER for one in said[-2:] for _, call in one.calls
    )
    return Run(
        "tau-bench", domain, str(run.get("task_id", number)), _whole(run.get("trial")), data, said,
        _number(run.get("reward")), over,
    )  # fmt: skip


def _domain_of(where: str, names: Sequence[str]) -> str:
    """Return the domain of tau-bench that has the tools that were called."""
    kits = {name: officials("tau-bench")[name].tools.tools for name in ("airline", "retail")}
    count = {name: sum(called in kit for called in names) for name, kit in kits.items()}
    if not any(count.values()):
        raise Unreadable(f"{where}: it calls no tool of {' or '.join(kits)}, so nothing tells its domain")
    return max(count, key=lambda name: count[name])


def _second_version(held: Mapping[str, Any]) -> Sequence[Run]:
    domain = _entry(held, ("info", "environment_info"), "the file").get("domain_name")
    known = officials("tau2")
    if domain not in known:
        raise Unreadable(unknown("domain", str(domain), known, "in info.environment_info.domain_name"))
    tasks = {str(task.get("id")): task for task in held["tasks"] if isinstance(task, Mapping)}
    made = []
    for number, run in enumerate(held["simulations"]):
        where = f"simulation {number}"
        if not isinstance(run, Mapping) or str(run.get("task_id")) not in tasks:
            raise Unreadable(f"{where}: it is of no task of the file")
        try:
            data = read_entry(str(domain), tasks[str(run["task_id"])]).data
        except Unplayable as error:
            raise Unreadable(f"{where}, task {run['task_id']}: {error}") from None
        said = tuple(_message(where, place, message) for place, message in enumerate(_list(run, "messages", where)))
        rewarded = run.get("reward_info")
        reward = _number(rewarded.get("reward")) if isinstance(rewarded, Mapping) else None
        over = run.get("termination_reason") in _OVER
        made.append(Run("tau2", str(domain), str(run["task_id"]), _whole(run.get("trial")), data, said, reward, over))
    return made


def _message(where: str, place: int, message: Any) -> Said:
    at = f"{where}, message {place}"
    role = message.get("role") if isinstance(message, Mapping) else None
    if role not in ("system", "user", "assistant", "tool"):
        raise Unreadable(f"{at}: a message has the role system, user, assistant or tool, not {role!r:.40}")
    text = message.get("content")
    calls = tuple(_call(at, role, call) for call in message.get("tool_calls") or ())
    if text is not None and not isinstance(text, str):
        raise Unreadable(f"{at}: its content is {text!r:.40}, no text")
    answers = str(message.get("tool_call_id") or message.get("id") or "") if role == "tool" else ""
    own = message.get("requestor") == "user" if role == "tool" else role == "user" and bool(calls) and not text
    return Said(role, text or "", calls, answers, own)


def _call(at: str, role: str, call: Any) -> tuple[str, Call]:
    inner = call.get("function", call) if isinstance(call, Mapping) else {}
    arguments = inner.get("arguments")
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except (ValueError, RecursionError):
            arguments = {"": arguments}  # which no tool takes
    if not isinstance(inner.get("name"), str) or not isinstance(arguments, dict):
        raise Unreadable(f"{at}: a call needs a name and arguments, not {call!r:.60}")
    return str(call.get("id", "")), Call("user" if role == "user" else "assistant", inner["name"], arguments)


def _entry(held: Mapping[str, Any], path: Sequence[str], where: str) -> Mapping[str, Any]:
    found: Any = held
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    if not isinstance(found, Mapping):
        raise Unreadable(f"{where}: {'.'.join(path)} is missing")
    return found


def _list(held: Mapping[str, Any], name: str, where: str) -> list[Any]:
    found = held.get(name)
    if not isinstance(found, list):
        raise Unreadable(f"{where}: {name} is no list")
    return found


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _whole(value: Any) -> int:
    return value if type(value) is int else 0
