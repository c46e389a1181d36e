"""Published ways to reward an episode of searching, as functions of what was said and shown in it.

    em, f1, f1_hotpot, f1_squad2, sub_em   the score of the answer alone (`answers`)
    mt_grpo   two turn rewards, for the first call, and four terms of the outcome (`score.mt_grpo_rewards`)
    slate     every turn by a ternary judge of what it thought and did (`score.slate_reward`); the outcome is em

The judge of slate is a language model in the paper. The one here follows rules, so that it costs nothing and is the
same for everybody (`judge_think`, `judge_call`, `judge_answer`). Rules see words, not reasons: a thought that is a copy
of its query and a word of the question is praised.

Sources: Zeng et al. 2025, arXiv 2505.11821; SLATE, arXiv 2602.23440.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agentgym.envs.wiki_search.answers import SCORERS, normalize, score
from agentgym.envs.wiki_search.tokens import tokens
from agentgym.errors import unknown
from agentgym.score import added, mt_grpo_rewards, slate_reward

PRESETS: Final = (*SCORERS, "mt_grpo", "slate")
LONGEST_THOUGHT: Final = 150
"""Words beyond which a thought is no longer praised: who repeats all that was shown names every word of a query."""
_OUTCOME: Final = ("answer_present", "exact_match", "format", "xml")


@dataclass(frozen=True, slots=True)
class SearchTurn:
    """One turn of an episode.

    Attributes:
        kind: the tool that was called, "answer" for an answer, "invalid" for what is no action.
        text: its argument: the query, the title, the answer.
        thought: what was written before it.
        message: all that the agent wrote, tags and all; read by mt_grpo alone.
        result: what the world answered.
        failed: whether that is an error.
        titles: of the passages that were shown.
        evidence: how many gold pages were seen for the first time.
    """

    kind: str
    text: str
    thought: str = ""
    message: str = ""
    result: str = ""
    failed: bool = False
    titles: tuple[str, ...] = ()
    evidence: int = 0


@dataclass(frozen=True, slots=True)
class Scored:
    """What an episode is worth: named rewards of every turn, whose sum is the turn's, and the outcome."""

    turns: tuple[Mapping[str, float], ...]
    outcome: float


def rewarded(preset: str, turns: Sequence[SearchTurn], question: str, answers: Sequence[str]) -> Scored:
    """Return what an episode is worth by a preset.

    Args:
        preset: one of PRESETS.
        turns: in order; the last is the answer, if there was one.
        question: what is asked.
        answers: the accepted answers; without any, the answer is worth 0.

    Raises:
        ValueError: an unknown preset.
    """
    if preset not in PRESETS:
        raise ValueError(unknown("preset", preset, PRESETS))
    if preset == "mt_grpo":
        return _mt_grpo(turns, answers)
    if preset == "slate":
        return Scored(slate(turns, question, answers), _answered("em", turns, answers))
    return Scored(({},) * len(turns), _answered(preset, turns, answers))


def _answered(scorer: str, turns: Sequence[SearchTurn], answers: Sequence[str]) -> float:
    said = turns[-1] if turns else None
    return score(scorer, said.text, answers) if said is not None and said.kind == "answer" and answers else 0.0


# ---- MT-GRPO -----------------------------------------------------------------------------------------------------


def mt_grpo_messages(turns: Iterable[SearchTurn]) -> list[dict[str, str]]:
    """Return the dialogue as MT-GRPO's rewards read it: what the agent wrote, and each result in <result>.

    Results of failed calls begin with "Error"; none can close its tag before its end.
    """
    messages: list[dict[str, str]] = []
    for turn in turns:
        messages.append({"role": "assistant", "content": turn.message})
        if turn.kind not in ("answer", "plan"):  # what the world says to a plan is no tool's result
            said = turn.result.replace("</result>", "&lt;/result>")
            error = "Error: " if turn.failed and not said.startswith("Error") else ""
            messages.append({"role": "user", "content": f"<result>{error}{said}</result>"})
    return messages


def _mt_grpo(turns: Sequence[SearchTurn], answers: Sequence[str]) -> Scored:
    found = mt_grpo_rewards(mt_grpo_messages(turns), answers)
    calls = [place for place, turn in enumerate(turns) if turn.kind not in ("answer", "plan", "invalid")]
    paid: list[dict[str, float]] = [{} for _ in turns]
    if calls:  # both are about calls: without one they are 0
        paid[calls[0]] = {name: found[name] for name in ("tool_execution", "answer_in_result")}
    return Scored(tuple(paid), added(found[name] for name in _OUTCOME))


# ---- SLATE -------------------------------------------------------------------------------------------------------


def slate(
    turns: Sequence[SearchTurn], question: str, answers: Sequence[str], *, bonus: float = 0.1, budget: int = 4
) -> tuple[Mapping[str, float], ...]:
    """Return the rewards of each turn: think, then query or answer, each −1, 0 or +1, and early for an answer in time.

    Args:
        turns: in order.
        question: of the task.
        answers: of the task.
        bonus: λ of `score.slate_reward`, whose value a turn's sum is.
        budget: its B.
    """
    paid: list[Mapping[str, float]] = []
    for place, turn in enumerate(turns):
        before = turns[:place]
        known = [question, *(title for earlier in before for title in earlier.titles)]
        rewards = {"think": float(judge_think(turn, before, known))}
        if turn.kind == "answer":
            rewards["answer"] = float(judge_answer(turn.text, answers))
            rewards["early"] = slate_reward(0, 0, "answer", place + 1, bonus=bonus, budget=budget)
        else:
            rewards["query"] = float(judge_call(turn, before))
        paid.append(rewards)
    return tuple(paid)


def judge_think(turn: SearchTurn, before: Iterable[SearchTurn], known: Iterable[str]) -> int:
    """Judge a thought by rules.

    −1: it has no words, those of an earlier thought, or leads to no action. +1: it has at most LONGEST_THOUGHT words,
    among them at least half of those of the query, title or answer that follows, and one of what is known. 0: else.

    Args:
        turn: the thought and what followed it.
        before: the turns before.
        known: the question and the titles that were shown.
    """
    thought = _words(turn.thought)
    if not thought or turn.kind == "invalid" or any(_words(earlier.thought) == thought for earlier in before):
        return -1
    act, said = _words(turn.text), thought.union(normalize(turn.thought).split())
    leads = bool(act) and 2 * len(act & said) >= len(act)
    rests = any(not thought.isdisjoint(_words(text)) for text in known)
    return int(leads and rests and len(turn.thought.split()) <= LONGEST_THOUGHT)


def judge_call(turn: SearchTurn, before: Iterable[SearchTurn]) -> int:
    """Judge a query, or a call of another tool, by rules.

    −1: it failed, is no action, has no words, or those of an earlier call of the same tool, or it showed nothing.
    +1: it showed a gold page for the first time. 0: else.

    Args:
        turn: the call.
        before: the turns before.
    """
    asked = _words(turn.text)
    repeated = any(earlier.kind == turn.kind and _words(earlier.text) == asked for earlier in before)
    if turn.failed or turn.kind == "invalid" or not asked or repeated or not turn.result.strip():
        return -1
    return int(turn.evidence > 0)


def judge_answer(answer: str, answers: Sequence[str]) -> int:
    """Judge an answer: +1 exact match, 0 if it shares a word with an accepted one or there is none, else −1."""
    if not answers:
        return 0
    if score("em", answer, answers):
        return 1
    return 0 if score("f1_squad2", answer, answers) else -1


def _words(text: str) -> frozenset[str]:
    """Return the words of a text that carry meaning, or all of them if there is none, as in «no»."""
    return frozenset(tokens(text)) or frozenset(normalize(text).split())
