"""How an entry of a file of official tasks is read, and what its gold actions come to.

A task's data, plain JSON:

    domain          airline, retail or telecom
    content         digest of the domain's database, which the task was checked with
    scenario        reason_for_call, known_info, unknown_info, task_instructions, persona, ticket; "" where absent
    prepare         initialization actions: [side, name, arguments]
    gold            gold actions: {side, name, arguments, compare}; compare: names of the arguments that count, or null
    communicate     texts that the agent must say
    nl_assertions   statements about the talk, for a judge
    env_assertions  what must hold at the end: [side, name, arguments, expected]
    basis           what the reward is the product of: DB, ENV_ASSERTION, COMMUNICATE, ACTION, NL_ASSERTION
    start, end      digests of the database when the task begins, and after its gold actions
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.official.domains import Official
from agentgym.envs.customer_service.official.telecom_setup import ACTIONS, ASSERTIONS, holds, prepare
from agentgym.envs.customer_service.official.toolkit import ACCIDENTS, Refusal
from agentgym.envs.customer_service.official.values import Invalid, Model, flag, keyed, listed, maybe, one_of, text
from agentgym.errors import unknown

BASES: Final = ("DB", "ENV_ASSERTION", "COMMUNICATE", "ACTION", "NL_ASSERTION")
OLD_BASIS: Final = ["DB", "COMMUNICATE"]
"""What the reward is made of where a task does not say, as in the older schema."""

_SIDE: Final = one_of("assistant", "user")
_OBJECT: Final = keyed(lambda value: value)
_TEXT: Final = maybe(text)


def _texts(value: Any) -> list[str]:
    return [] if value is None else listed(text)(value)


def _none_or(inner: Any) -> Any:
    return lambda value: [] if value is None else listed(inner)(value)


_ACTION: Final = Model(
    "action",
    {"name": text, "arguments": _OBJECT, "requestor": _SIDE, "compare_args": maybe(listed(text))},
    {"requestor": "assistant", "compare_args": None},
)
_CALL: Final = Model("call", {"env_type": _SIDE, "func_name": text, "arguments": _OBJECT})
_ASSERTION: Final = Model(
    "assertion",
    {"env_type": _SIDE, "func_name": text, "arguments": _OBJECT, "assert_value": flag},
    {"assert_value": True},
)
_CRITERIA: Final = Model(
    "evaluation_criteria",
    {
        "actions": _none_or(_ACTION),
        "communicate_info": _texts,
        "nl_assertions": _texts,
        "env_assertions": _none_or(_ASSERTION),
        "reward_basis": maybe(listed(one_of(*BASES))),
    },
    {"actions": [], "communicate_info": [], "nl_assertions": [], "env_assertions": [], "reward_basis": None},
)
_STARTS: Final = ("initialization_data", "initialization_actions", "message_history")
_INSTRUCTIONS: Final = ("reason_for_call", "known_info", "unknown_info", "task_instructions")


class Unplayable(ValueError):
    """An entry that cannot be played; the message says what is wrong with it."""


@dataclass
class Entry:
    """A task as it was read.

    Attributes:
        id: of the task in its file.
        data: see the module; without content, start and end before `check`.
        wrong: what is wrong with it although it plays.
    """

    id: str
    data: dict[str, Any]
    wrong: list[str] = field(default_factory=list)


def read_entry(domain: str, entry: Any) -> Entry:
    """Return an entry of a file of tasks. Raises Unplayable: it is not what a task is."""
    if type(entry) is not dict:
        raise Unplayable(f"it is {entry!r:.60}, no object")
    name = entry.get("id")
    if type(name) is not str or not name:
        raise Unplayable(f"its id is {name!r:.60}, no text")
    criteria = entry.get("evaluation_criteria")
    if criteria is None:
        raise Unplayable("it has no evaluation_criteria, so nothing can be right")
    try:
        read = _CRITERIA(criteria)
        data = {
            "domain": domain,
            "scenario": _scenario(entry),
            "prepare": _start(entry.get("initial_state")),
            "gold": [_gold(action) for action in read["actions"]],
            "communicate": read["communicate_info"],
            "nl_assertions": read["nl_assertions"],
            "env_assertions": [
                [one["env_type"], one["func_name"], one["arguments"], one["assert_value"]]
                for one in read["env_assertions"]
            ],
            "basis": OLD_BASIS if read["reward_basis"] is None else read["reward_basis"],
        }
    except Invalid as error:
        raise Unplayable(str(error)) from None
    return Entry(name, data)


def _gold(action: Mapping[str, Any]) -> dict[str, Any]:
    side, compare = action["requestor"], action["compare_args"]
    return {"side": side, "name": action["name"], "arguments": action["arguments"], "compare": compare}


def _scenario(entry: Mapping[str, Any]) -> dict[str, str]:
    given = entry.get("user_scenario")
    scenario = given if type(given) is dict else {}
    instructions = scenario.get("instructions")
    told: dict[str, Any] = dict.fromkeys(_INSTRUCTIONS, "")
    if type(instructions) is str:
        told["task_instructions"] = instructions
    elif type(instructions) is dict:
        told = {name: instructions.get(name) for name in _INSTRUCTIONS}
    if not any(told.values()):
        raise Unplayable("it tells the customer nothing (user_scenario.instructions)")
    made = {**told, "persona": scenario.get("persona"), "ticket": entry.get("ticket")}
    return {name: _TEXT(value) or "" for name, value in made.items()}


def _start(state: Any) -> list[list[Any]]:
    """Return the initialization actions; Unplayable for a start that these domains do not have."""
    if state is None:
        return []
    if type(state) is not dict or state.keys() - set(_STARTS):
        raise Unplayable(f"its initial_state has other keys than {', '.join(_STARTS)}")
    for name in ("initialization_data", "message_history"):
        if state.get(name):
            raise Unplayable(f"its initial_state has {name}, which no task of these domains has")
    calls = _none_or(_CALL)(state.get("initialization_actions"))
    return [[call["env_type"], call["func_name"], call["arguments"]] for call in calls]


def check_entry(entry: Entry, database: Database, official: Official) -> None:
    """Play the gold actions of a task; add content, start and end to its data, and what is wrong with it.

    Raises:
        Unplayable: it cannot be prepared, or names a tool, an action or an assertion that is not there.
    """
    data = entry.data
    _known(data, official)
    start = begin(database, data["prepare"])
    end = start
    for number, action in enumerate(data["gold"]):
        found = official.call(end, action["name"], action["arguments"], action["side"])
        if found.error:
            entry.wrong.append(
                f"its gold action {number}, {action['name']}, fails ({found.text.removeprefix('Error: ')})"
            )
        end = found.database
    for side, name, arguments, expected in data["env_assertions"]:
        try:
            if holds(end, side, name, arguments) is not expected:
                entry.wrong.append(f"after its gold actions {name} does not hold")
        except ACCIDENTS as error:
            raise Unplayable(f"its assertion {name} fails ({type(error).__name__}: {error})") from error
    data.update(content=database.digest, start=start.digest, end=end.digest)


def begin(database: Database, actions: Sequence[Sequence[Any]]) -> Database:
    """Return the database as a task finds it. Raises Unplayable: an initialization action fails."""
    for side, name, arguments in actions:
        try:
            database = prepare(database, side, name, arguments)
        except (Refusal, *ACCIDENTS) as error:
            raise Unplayable(f"its initialization action {name} fails ({type(error).__name__}: {error})") from error
    return database


def _known(data: Mapping[str, Any], official: Official) -> None:
    """Raise Unplayable for a name that is not there."""
    for action in data["gold"]:
        kit = official.tools if action["side"] == "assistant" else official.user_tools
        tools = kit.tools if kit is not None else {}
        if action["name"] not in tools:
            raise Unplayable(unknown("tool", action["name"], tools, f"of the {action['side']} in a gold action"))
    telecom = official.name == "telecom"
    for what, calls, table in (
        ("initialization action", [call[:2] for call in data["prepare"]], ACTIONS),
        ("assertion", [call[:2] for call in data["env_assertions"]], ASSERTIONS),
    ):
        names = {name for _, name in table} if telecom else set()
        for side, name in calls:
            if not telecom or (side, name) not in table:
                raise Unplayable(unknown(what, name, sorted(names), f"of the {side}"))
