"""One group of four rollouts with every column that an estimator reads: the example of all pages.

A hall, a study with a key, a locked door; a cellar and a shaft, both of which end in a pit. *a* walks straight to the
goal, *b* finds it after two detours, *c* gets the key and then climbs down the shaft, *d* walks into the pit.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Any

from agentgym import TurnBatch

__all__ = ["WALKS", "group", "rows"]

WALKS = {
    "a": ("go to the study", "take the key", "open the door"),
    "b": ("go to the cellar", "go back up", "go to the study", "take the lamp", "take the key", "open the door"),
    "c": ("go to the study", "take the key", "climb down the shaft", "let go"),
    "d": ("go to the cellar", "walk on"),
}
SUCCESSFUL = ("a", "b")


@dataclass(frozen=True)
class Place:
    """A state: what the agent reads there, what it is after, moves to the goal (the potential is minus that), value."""

    text: str
    subgoal: str
    moves: int
    value: float


@dataclass(frozen=True)
class Move:
    """An action where it can be taken: its end, and what policy, hindsight, teacher, judge and rules say of it.

    `policy`, `hindsight` (success is known) and `teacher` are probabilities, `critique` is the judge's, `log_safe` the
    safety estimator's, `relevance` how much it matters for the two rubrics.
    """

    to: str
    policy: float
    hindsight: float
    teacher: float
    critique: int
    log_safe: float
    relevance: tuple[float, float] = (0.0, 0.0)
    reward: float = 0.0


PLACES = {
    "hall": Place("You are in the hall. A study, and stairs to the cellar.", "the key", 3, 0.9),
    "study": Place("You are in the study. A key and a lamp.", "the key", 2, 1.2),
    "door": Place("You stand at the door with the key. A shaft beside it.", "the door", 1, 0.7),
    "cellar": Place("You are in the cellar. It is dark.", "the cellar", 4, 0.5),
    "shaft": Place("You hang in the shaft. It is dark.", "the shaft", 2, 0.1),
    "goal": Place("", "", 0, 0.0),
    "pit": Place("", "", 5, 0.0),
}
MOVES = {
    ("hall", "go to the study"): Move("study", 0.6, 0.8, 0.9, 0, -0.02, (0.5, 0.5)),
    ("hall", "go to the cellar"): Move("cellar", 0.4, 0.2, 0.1, -1, -0.3, (0.0, 1.0)),
    ("study", "take the key"): Move("door", 0.8, 0.85, 0.95, 1, -0.02, (1.0, 0.0), reward=0.5),
    ("study", "take the lamp"): Move("study", 0.2, 0.15, 0.05, -1, -0.02, reward=-0.1),
    ("door", "open the door"): Move("goal", 0.7, 0.95, 0.97, 1, -0.02, (0.0, 0.5)),
    ("door", "climb down the shaft"): Move("shaft", 0.3, 0.05, 0.03, -1, -0.7, (0.0, 1.0)),
    ("cellar", "go back up"): Move("hall", 0.5, 0.95, 0.9, 0, -0.05, (0.0, 0.5)),
    ("cellar", "walk on"): Move("pit", 0.5, 0.05, 0.1, -1, -3.0, (0.0, 1.0)),
    ("shaft", "let go"): Move("pit", 0.9, 0.5, 0.4, -1, -3.0, (0.0, 1.0)),
    ("shaft", "climb back"): Move("door", 0.1, 0.5, 0.6, 0, -0.1, (0.0, 0.5)),
}
RUBRICS = {"a": (1.0, 1.0), "b": (1.0, 0.0), "c": (1.0, 0.0), "d": (0.0, 0.0)}
"""Did the rollout fetch the key; did it keep away from cellar and shaft."""
PLANS = {
    "a": [[0.9, 0.2, 0.1], [0.2, 0.9, 0.2], [0.1, 0.2, 0.9]],
    "b": [[0.3, 0.2, 0.1], [0.2, 0.4, 0.9]],
    "c": [[0.9, 0.2, 0.1], [0.2, 0.9, 0.1]],
    "d": [[0.2, 0.1, 0.3]],
}
"""How near each step of the plan that the first turn wrote is to the three steps of the reference plan."""
REVISIONS = {"a": [], "b": [], "c": [True, True], "d": [True, False]}
"""With *a* and with *b* as a reference, did the failed rollout succeed when it was played again."""


def rows() -> list[dict[str, Any]]:
    """The fifteen turns of the group, rollout by rollout, as rows for `TurnBatch.from_rows`."""
    made: list[dict[str, Any]] = []
    for rollout, actions in WALKS.items():
        state = "hall"
        for turn, action in enumerate(actions):
            previous = made[-1]["subgoal"] if turn else ""
            made.append(_row(rollout, turn, state, action, previous))
            state = made[-1]["next_state"]
    return made


def group() -> TurnBatch:
    """The example group."""
    return TurnBatch.from_rows(rows())


def _row(rollout: str, turn: int, state: str, action: str, previous: str) -> dict[str, Any]:
    place, move = PLACES[state], MOVES[state, action]
    last, success = turn == len(WALKS[rollout]) - 1, rollout in SUCCESSFUL
    return {
        "group": "example", "trajectory": rollout, "turn": turn,
        "state": state, "anchor": state, "next_state": move.to, "observation": place.text, "action": action,
        "turn_reward": move.reward, "outcome_reward": 1.0 if success and last else 0.0, "success": success,
        "components": {"key": max(move.reward, 0.0), "invalid": min(move.reward, 0.0)},
        "terminated": last, "truncated": False, "valid": move.to != state,
        "tool_result": action == "take the key", "kind": "act" if turn else "plan",
        "plan_similarity": [] if turn else PLANS[rollout],
        "potential": -float(place.moves), "next_potential": -float(PLACES[move.to].moves),
        "step_score": max(0.0, 1.0 - PLACES[move.to].moves / 4), "critique": float(move.critique),
        "subgoal": place.subgoal, "switch": place.subgoal != previous,
        "value": place.value, "value_low": place.value, "value_high": place.value, "value_term": place.value,
        "revision_ok": REVISIONS[rollout], "log_safe": move.log_safe,
        **_tokens(action, move), **_menu(state),
        "rubric_scores": list(RUBRICS[rollout]),
        "rubric_relevance": [[weight] * len(action.split()) for weight in move.relevance],
    }  # fmt: skip


def _tokens(action: str, move: Move) -> dict[str, Any]:
    """A word is a token, and all tokens of an action are equally likely."""
    n = len(action.split())
    return {
        "tokens": n, "logprob": log(move.policy) / n, "hindsight_logprob": log(move.hindsight) / n,
        "token_logprobs": [log(move.policy) / n] * n, "teacher_logprobs": [log(move.teacher) / n] * n,
        "token_mask": [True] * n,
    }  # fmt: skip


def _menu(state: str) -> dict[str, Any]:
    choices = {action: move for (place, action), move in MOVES.items() if place == state}
    return {
        "menu": list(choices),
        "menu_logprobs": [log(move.policy) for move in choices.values()],
        "menu_hindsight_logprobs": [[log(move.hindsight) for move in choices.values()]],
    }
