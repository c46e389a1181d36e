"""SLATE's rewards of a turn by a judge of one's own, such as a language model, as in the paper (arXiv 2602.23440)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from agentgym.envs.wiki_search.presets import SearchTurn, slate
from agentgym.user import Item, Judge, Scene

THINK: Final = Item(
    "think",
    "Is its thought sound: does it rest on what is known so far, and lead to what was done then? "
    "1: yes; 0: in part, or it says little; -1: no, or there is no thought.",
    -1,
    1,
)
QUERY: Final = Item(
    "query",
    "Is its call useful: does it ask for something that is needed and not known yet, so that what was shown helps? "
    "1: yes; 0: in part; -1: no, it repeats an earlier one, failed or showed nothing of use.",
    -1,
    1,
)
ANSWER: Final = Item(
    "answer", "Is its answer right? 1: it means the same as an accepted one; 0: in part; -1: no.", -1, 1
)
_SHOWN: Final = 2000
"""Letters of a result that a judge is shown."""


def judged(judge: Judge, turns: Sequence[SearchTurn], question: str, answers: Sequence[str]) -> Mapping[str, float]:
    """Return the rewards of the last turn, under the names of `presets.slate`, whose early is by rule.

    Args:
        judge: rates the thought, and the call or the answer.
        turns: of the episode so far, in order.
        question: of the task.
        answers: that are accepted; without any, nobody is asked about the answer, which is worth 0.

    Raises:
        InfraError: the judge gave no such answer.
    """
    ruled, last = slate(turns, question, answers)[-1], turns[-1]
    if last.kind != "answer":
        items = [THINK, QUERY]
    else:
        items = [THINK, ANSWER] if answers else [THINK]
    levels = judge.levels(scene(turns, question, answers), items)
    return {**ruled, **{item.name: float(levels[item.name]) for item in items}}


def scene(turns: Sequence[SearchTurn], question: str, answers: Sequence[str]) -> Scene:
    """Return what a judge sees: the question, the accepted answers, and each turn's thought, call and result.

    Thoughts are shown, since they are what is judged; the last result stands in the card, so that the last message is
    what is rated.
    """
    card = [f"Somebody searches an encyclopedia to answer a question: {question}"]
    if answers:
        card.append(f"Accepted answers, which the searcher does not know: {'; '.join(answers)}.")
    if turns[-1].kind != "answer":
        card.append(f"What the last call showed: {turns[-1].result[:_SHOWN] or 'nothing'}")
    return Scene("\n".join(card), tuple(_messages(turns)))


def _messages(turns: Sequence[SearchTurn]) -> Iterator[tuple[str, str]]:
    for place, turn in enumerate(turns):
        if place:
            yield "user", turns[place - 1].result[:_SHOWN]
        yield "assistant", f"Thought: {turn.thought or 'none'}\n{turn.kind}: {turn.text}"
