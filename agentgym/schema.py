"""The info record as a JSON Schema, for those who read records without Python; every key with its meaning.

`python -m agentgym.schema docs/turn-info.schema.json` writes the published file; a test holds the two equal.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from agentgym.turn import ALWAYS, ROLES, SCHEMA, SOMETIMES, EndReason

ABOUT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "schema": "version of this schema",
        "env_id": "id of the world",
        "panel": "name of the panel of tasks",
        "task": "id of the task",
        "seed": "seed of the episode",
        "branch": "branch of the draws: 0 as played, others in continuations",
        "turn": "turns taken so far",
        "messages": "what is new, as chat messages; on reset they begin with the system text, where there is one",
        "valid": "could the action be done",
        "error": 'what was wrong with the action, "" where it was valid',
        "action": 'the action as the text of a JSON object, "" on reset',
        "kind": 'kind of the action: say, tool, invalid or the world\'s own word; "" on reset',
        "components": "the named rewards of the turn, raw",
        "turn_reward": "their sum under the world's own weights",
        "outcome_reward": "reward of the whole episode, unweighted; 0 before the end",
        "success": "was the task solved; false before the end",
        "end_reason": 'why the episode ended, "" while it runs',
        "end_detail": "the end in words",
        "state_hash": "hash of the state: everything that decides its futures",
        "anchor_hash": "hash of what the agent can tell apart",
        "history_hash": "hash of everything said and seen so far",
        "metrics": "numbers for logs",
        "tools": "schemas of the tools, on reset in worlds with tools",
        "tag": "class of the turn, for reward calibration",
        "step_score": "score of the work so far in [0, 1]",
        "critique": "-1, 0 or +1: did the turn help",
        "channel": "which of several critiques it is",
        "subgoal": "subgoal pursued",
        "switch": "did a new subgoal begin with this turn",
        "tool_result": "did the environment answer the action with a tool result",
        "violations": "rules that the turn broke",
        "rubrics": "score of the rollout so far under each rubric that the turn is about",
        "plan": "plan stated in the turn, item by item",
        "safe": "did the turn keep the rules",
        "menu": "actions on offer now, the right one among them; by signal, while the episode runs",
        "potential": "a number that rises towards success; by signal",
        "expert": "what a policy that solves the task would do now; by signal, while the episode runs",
        "describe": "what an agent would read if it looked now; by signal",
        "privileged": "what an agent must never see, as JSON text; with privileged=True",
    }
)
"""What each key of info means."""

_TYPES: Final[Mapping[type, Mapping[str, Any]]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1},
    float: {"type": "number"},
    dict: {"type": "object", "additionalProperties": {"type": "number"}},
    list: {"type": "array", "items": {"type": "string"}},
}
_COUNT = {"type": "integer", "minimum": 0, "maximum": 2**63 - 1}
_HASH = {"type": "string", "pattern": "^[0-9a-f]{32}$", "minLength": 32, "maxLength": 32}
_MESSAGE = {
    "type": "object",
    "required": ["role", "content"],
    "properties": {"role": {"enum": sorted(ROLES)}, "content": {"type": "string"}},
}
_SPECIAL: Final[Mapping[str, Mapping[str, Any]]] = {
    "schema": {"type": "integer", "const": SCHEMA},
    **dict.fromkeys(("seed", "branch", "turn"), _COUNT),
    **dict.fromkeys(("state_hash", "anchor_hash", "history_hash"), _HASH),
    "messages": {"type": "array", "items": _MESSAGE},
    "tools": {"type": "array", "items": {"type": "object"}},
    "action": {"type": "string", "pattern": r"^(\{[^\n]*\})?$(?!\n)"},  # some readers' $ matches before a last \n, too
    "end_reason": {"type": "string", "enum": ["", *(reason.value for reason in EndReason)]},
}
_STORY: Final = [
    {  # nothing is decided before the end
        "if": {"properties": {"end_reason": {"const": ""}}},
        "then": {
            "properties": {"success": {"const": False}, "outcome_reward": {"const": 0}, "end_detail": {"const": ""}}
        },
    },
    {  # an error is the reason of an action that was not valid
        "if": {"properties": {"valid": {"const": True}}},
        "then": {"properties": {"error": {"const": ""}}},
        "else": {"properties": {"error": {"minLength": 1}}},
    },
]


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of the info record, with the meaning of every key.

    It says what `agentgym.validate_info` checks, as far as JSON can: JSON does not tell the integer 1 from the float
    1.0, and a pattern cannot tell whether the text of `action` is a JSON object to its last brace.
    """
    kinds = {**ALWAYS, **SOMETIMES}
    properties = {key: {**_SPECIAL.get(key, _TYPES[kinds[key]]), "description": ABOUT[key]} for key in kinds}
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "TurnInfo",
        "description": "The info record that an agentgym world returns from reset and from every step.",
        "type": "object",
        "properties": properties,
        "required": list(ALWAYS),
        "additionalProperties": False,
        "allOf": _STORY,
    }
    copied: dict[str, Any] = json.loads(json.dumps(schema))
    return copied


def schema_text() -> str:
    """Return the schema as the text of `docs/turn-info.schema.json`."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(schema_text(), "utf-8")
