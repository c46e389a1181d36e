"""What turns and answers are worth: progress, critiques, the outcome, and the rewards of the published presets."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from agentgym.action import strip_blocks
from agentgym.envs.wiki_search.answers import SCORERS, score
from agentgym.envs.wiki_search.presets import SearchTurn, rewarded, slate
from agentgym.envs.wiki_search.state import SearchQuestion, SearchState
from agentgym.turn import EndReason, Outcome

REMEMBERING: Final = ("mt_grpo", "slate")
"""Presets that read all turns of an episode."""
IN_VAIN: Final = frozenset({"duplicate", "empty", "missing", "invalid", "wrong", "infra"})
"""Tags of turns that showed nothing new, or failed."""

_THOUGHT: Final = re.compile(r"<(think|reasoning)>(.*?)(?:</\1>|\Z)", re.DOTALL)
_CALL: Final = re.compile(
    r"<(?:search|open|lookup|answer|tool|tool_call)>|^[ \t]*+(?:Action|Final Answer):", re.MULTILINE
)
_LABEL: Final = re.compile(r"^[ \t]*+Thought:", re.MULTILINE)


def outcome(state: SearchState) -> Outcome:
    """Return how an episode ends with an answer.

    It is a success if the answer equals an accepted one (with sub_em: contains one); without accepted answers, if all
    gold pages were seen.
    """
    question = state.question
    right = is_right(state)
    reason = EndReason.SOLVED if right else EndReason.FAILED
    return Outcome(right, _worth(question, state), reason, "right" if right else "wrong")


def is_right(state: SearchState) -> bool:
    """Return whether an answered question is solved."""
    question = state.question
    if not question.answers:
        return state.recall == 1.0
    scorer = "sub_em" if question.rules.scoring == "sub_em" else "em"
    return score(scorer, state.answer, question.answers) == 1.0


def _worth(question: SearchQuestion, state: SearchState) -> float:
    if not question.answers:
        return state.recall
    if question.rules.scoring in SCORERS:
        return score(question.rules.scoring, state.answer, question.answers)
    return rewarded(question.rules.scoring, state.turns, question.text, question.answers).outcome


def timeout(state: SearchState) -> Outcome:
    """Return how an episode ends without an answer; mt_grpo pays for the form of what was written even so."""
    question, paid = state.question, 0.0
    if question.answers and question.rules.scoring in REMEMBERING:
        paid = rewarded(question.rules.scoring, state.turns, question.text, question.answers).outcome
    return Outcome(False, paid, EndReason.TURN_LIMIT)


def of_turn(before: SearchState, after: SearchState) -> Mapping[str, float]:
    """Return the named rewards of the turn between two states.

    Progress is the rise of the evidence recall. Under slate, a turn is paid what the judge says of it; under mt_grpo,
    what the turn changes in the sum of the two rewards of turns: the first call is paid for both, and a later call for
    what it does to the share of calls that succeed, so an episode's sum is that of the preset.
    """
    question = before.question
    if question.rules.scoring == "slate":
        return dict(slate(after.turns, question.text, question.answers)[-1])
    if question.rules.scoring == "mt_grpo":
        now, then = _of_turns(question, after.turns), _of_turns(question, before.turns)
        return {name: now[name] - then[name] for name in now if now[name] != then[name]}
    gained = after.recall - before.recall
    return {"progress": gained} if gained else {}


def _of_turns(question: SearchQuestion, turns: Sequence[SearchTurn]) -> dict[str, float]:
    found = {"tool_execution": 0.0, "answer_in_result": 0.0}
    for paid in rewarded("mt_grpo", turns, question.text, question.answers).turns:
        found.update(paid)  # one turn holds both
    return found


def critique(tag: str, before: SearchState, after: SearchState) -> float:
    """Return +1 for new evidence and a right answer, −1 for a turn in vain (IN_VAIN), else 0."""
    if after.gold != before.gold or tag == "right":
        return 1.0
    return -1.0 if tag in IN_VAIN else 0.0


def thought(message: str) -> str:
    """Return what an agent wrote before its call, reasoning and all, without the marks around it; linear time."""
    if "</think>" in message.partition("<think>")[0]:
        message = f"<think>{message}"  # chat templates may write the opening tag themselves
    inside = [match[2] for match in _THOUGHT.finditer(message)]
    outside = strip_blocks(strip_blocks(message, "think"), "reasoning")
    before = _LABEL.sub("", _CALL.split(outside, maxsplit=1)[0])
    return " ".join(" ".join([*inside, before]).split())
