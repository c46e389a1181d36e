"""Published reward functions that worlds and estimators share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from math import comb
from operator import add
from typing import Any

__all__ = ["ColumnSets", "csmr", "mt_grpo_rewards", "pass_hat_k", "slate_reward", "soft_match"]

_FIELD_SETS = (("reasoning",), ("tool", "answer"))
_TAGS = ("reasoning", "tool", "answer")


def added(numbers: Iterable[Any]) -> Any:
    """Return the sum of numbers, added from left to right: to the bit the same under every Python.

    `sum` corrects its rounding from Python 3.12 on, so what worlds make of sums of floats would follow the interpreter.
    """
    return reduce(add, numbers, 0)


def mt_grpo_rewards(messages: Sequence[Mapping[str, Any]], aliases: Sequence[str]) -> dict[str, float]:
    """Score a tool dialogue as the MT-GRPO trainer does: two rewards for its turns, four for its outcome.

    The agent writes <reasoning>, then <tool> or <answer>; the environment answers a call with <result>.

    turn = tool_execution + answer_in_result:
        tool_execution: 0.2 · successful / attempted calls; an attempt is an assistant message with a complete tool
        pair, a success one that the next message answers inside a result by text that does not start with "Error".
        answer_in_result: 0.5 if an alias occurs in the first result, whatever its case.
    outcome = answer_present + exact_match + format + xml:
        answer_present: 0.5 if an alias occurs in the answer (the last complete pair). exact_match: 1 if one equals it,
        both lower-cased and stripped.
        format: 0.2 · mean over assistant messages of 0.4 · (field sets with a complete pair, of {reasoning} and {tool,
        answer}) / 2, + 0.2 always, + 0.2 if it starts with <reasoning>, + 0.2 if it ends with </tool> or </answer>.
        xml: 0.2 · mean over assistant messages of the mean of 1 - |count - 1| over the opening and the closing form of
        every tag that occurs (0 without tags), at least 0.

    Source: Zeng et al. 2025, arXiv 2505.11821, and its released rubric, whose format reward pays 0.2 · 0.2 for any
    message at all; kept, because published numbers contain it.

    Args:
        messages: chat messages with `role` and `content`, in order; content that is no text counts as empty.
        aliases: the accepted answers; empty ones are ignored.

    Returns:
        The six named rewards, `turn` in [0, 0.7] and `outcome` in [0, 1.9].
    """
    dialogue = [(message.get("role"), _text(message.get("content"))) for message in messages]
    said = [text.strip() for role, text in dialogue if role == "assistant"]
    wanted = [alias.strip().lower() for alias in aliases if alias.strip()]
    results = (result for role, text in dialogue if role != "assistant" for result in _inside(text, "result"))
    first_result = next(results, "").lower()
    answer = ([""] + [found for text in said for found in _inside(text, "answer")])[-1].strip().lower()
    rewards = {
        "tool_execution": 0.2 * _executed(dialogue),
        "answer_in_result": 0.5 * any(alias in first_result for alias in wanted),
        "answer_present": 0.5 * any(alias in answer for alias in wanted),
        "exact_match": 1.0 * (answer in wanted),
        "format": 0.2 * _mean([_format(text) for text in said]),
        "xml": max(0.0, 0.2 * _mean([_balance(text) for text in said])),
    }
    rewards["turn"] = rewards["tool_execution"] + rewards["answer_in_result"]
    rewards["outcome"] = added(rewards[name] for name in ("answer_present", "exact_match", "format", "xml"))
    return rewards


def _executed(dialogue: Sequence[tuple[Any, str]]) -> float:
    """The share of attempted calls that were answered without an error; 0 without an attempt."""
    attempted = succeeded = 0
    for place, (role, text) in enumerate(dialogue):
        if role == "assistant" and next(_inside(text, "tool"), None) is not None:
            attempted += 1
            answered, reply = dialogue[place + 1] if place + 1 < len(dialogue) else ("assistant", "")
            result = next(_inside(reply, "result"), None) if answered != "assistant" else None
            succeeded += result is not None and not result.strip().startswith("Error")
    return succeeded / attempted if attempted else 0.0


def _format(text: str) -> float:
    seen = sum(any(next(_inside(text, tag), None) is not None for tag in tags) for tags in _FIELD_SETS)
    starts = text.startswith(tuple(f"<{tag}>" for tag in _FIELD_SETS[0]))
    ends = text.endswith(tuple(f"</{tag}>" for tag in _FIELD_SETS[-1]))
    return 0.4 * seen / len(_FIELD_SETS) + 0.2 + 0.2 * starts + 0.2 * ends


def _balance(text: str) -> float:
    counts = [(text.count(f"<{tag}>"), text.count(f"</{tag}>")) for tag in _TAGS]
    return _mean([1.0 - abs(count - 1) for pair in counts if any(pair) for count in pair])


def _inside(text: str, tag: str) -> Iterator[str]:
    """What stands between each opening tag and the closing one after it; linear in the text."""
    opening, closing, place = f"<{tag}>", f"</{tag}>", 0
    while (begin := text.find(opening, place)) >= 0 and (end := text.find(closing, begin + len(opening))) >= 0:
        yield text[begin + len(opening) : end]
        place = end + len(closing)


def _text(content: Any) -> str:
    return content if isinstance(content, str) else ""


def _mean(values: Sequence[float]) -> float:
    return float(added(values)) / len(values) if values else 0.0


def slate_reward(
    think: int, score: int, kind: str, t: int, *, bonus: float = 0.1, budget: int = 4, released: bool = False
) -> float:
    """Score one turn of a search agent as SLATE does: think + score, and for an answer + λ·(B - t)/B.

    Args:
        think: the judge's -1, 0 or +1 for the reasoning; whatever lies beyond is clamped.
        score: the same for what the turn did: its query, or its answer.
        kind: "answer" for a turn that answers; every other kind has no bonus.
        t: the turn, counted from 1.
        bonus: λ.
        budget: B > 0, turns after which an answer's bonus is gone; later ones pay for being late.
        released: as the released code does: it counts the turns of the bonus from 0, which pays λ/B more, and adds the
            judge's scores as they are.

    Returns:
        A reward in [-2, 2 + λ]; with `released` whatever the judge says.

    Raises:
        ValueError: a budget that is not above 0.

    Source: SLATE, arXiv 2602.23440.
    """
    if not budget > 0:
        raise ValueError(f"budget must be above 0, got {budget!r}")
    early = bonus * (budget - t + released) / budget if kind == "answer" else 0.0
    judged = think + score if released else max(-1, min(1, int(think))) + max(-1, min(1, int(score)))
    return float(judged + early)


def soft_match(args: Any, gold: Mapping[str, Any]) -> float:
    """How well the arguments of a tool call fit the gold call's: 0.5 + 0.5 · (equal arguments / gold arguments).

    Source: arXiv 2604.02869, for turns tagged soft: the right tool with other arguments.

    Args:
        args: the call's arguments by name, as the model wrote them; arguments that gold does not have are ignored, and
            what is no mapping has none.
        gold: the gold call's arguments by name.

    Returns:
        In [0.5, 1]; 1 where gold has no arguments. True and 1 are not equal, 1 and 1.0 are.
    """
    if not gold:
        return 1.0
    given = args if isinstance(args, Mapping) else {}
    return 0.5 + 0.5 * sum(name in given and _equal(given[name], gold[name]) for name in gold) / len(gold)


def _equal(given: Any, gold: Any) -> bool:
    if isinstance(gold, Mapping) and isinstance(given, Mapping):
        return gold.keys() == given.keys() and all(_equal(given[key], gold[key]) for key in gold)
    if isinstance(gold, list | tuple) and isinstance(given, list | tuple):
        return len(gold) == len(given) and all(map(_equal, given, gold))
    return isinstance(given, bool) == isinstance(gold, bool) and bool(given == gold)


def pass_hat_k(tasks: Iterable[Collection[bool]], k: int) -> float:
    """Return pass^k as tau-bench reports it: how likely all of k trials of one task succeed.

    The mean over tasks of C(c, k) / C(n, k), for n trials of a task of which c succeeded: the share of all choices of k
    of its trials in which each succeeded, which is unbiased. Tasks weigh equally, however often each was played.

    Source: Yao et al. 2024, arXiv 2406.12045.

    Args:
        tasks: for each task whether each of its trials succeeded.
        k: how many trials, at least 1 and at most as many as every task has.

    Raises:
        ValueError: no task, or a k that is out of range; the message names the task by its place.
    """
    shares = []
    for place, trials in enumerate(tasks):
        if not 1 <= k <= len(trials):
            raise ValueError(f"task {place} has {len(trials)} trials, and k must lie between 1 and that, got {k!r}")
        shares.append(comb(sum(map(bool, trials)), k) / comb(len(trials), k))
    if not shares:
        raise ValueError("pass^k is a mean over tasks, and there is none")
    return _mean(shares)


def csmr(gold: Sequence[Sequence[Any]], pred: Sequence[Sequence[Any]] | None, scale: float = 0.8) -> float:
    """Column-set matching ratio: how far the result of a query agrees with the right one, in [0, 1].

    1 if the rows are equal as a multiset, whatever their order. Else every column is the set of its distinct values as
    text, M columns are matched one to one by equal sets, and the score is scale · M² / (N_gold · N_pred), N the number
    of columns. A failed query, None, scores 0, and so does one without rows where the right
    one has some; two results without rows are equal.

    Source: SQL-ASTRA, arXiv 2603.16161.

    Args:
        gold: the rows of the right result, each a sequence of values.
        pred: the rows to score; None where the query failed.
        scale: the most that unequal rows can get.

    Raises:
        ValueError: rows of different lengths in one result, a scale outside [0, 1].
    """
    if not 0.0 <= scale <= 1.0:
        raise ValueError(f"scale must lie in [0, 1], got {scale!r}")
    return 0.0 if pred is None else ColumnSets(gold).csmr(pred, scale)


class ColumnSets:
    """A right result, looked at once for the `csmr` of many others.

    Args:
        gold: its rows, which must not change.

    Raises:
        ValueError: rows of different lengths.
    """

    def __init__(self, gold: Sequence[Sequence[Any]]) -> None:
        self._size, self._width = len(gold), _width(gold, "gold")
        self._rows = _multiset(gold)
        self._columns = Counter(frozenset(map(str, values)) for values in zip(*gold, strict=True))

    def csmr(self, pred: Sequence[Sequence[Any]], scale: float = 0.8) -> float:
        """Return the `csmr` of these rows.

        Raises:
            ValueError: rows of different lengths.
        """
        width = _width(pred, "pred")
        if len(pred) == self._size and _multiset(pred) == self._rows:
            return 1.0
        left, matched = self._columns.copy(), 0
        for values in zip(*pred, strict=True):
            first = str(values[0])
            if not any(first in column for column in left):
                continue  # most columns that match none are known by their first value
            column = frozenset(map(str, values))
            if left[column] > 0:
                left[column] -= 1
                matched += 1
        return scale * matched**2 / (self._width * width) if matched else 0.0


def _multiset(rows: Sequence[Sequence[Any]]) -> Counter[tuple[Any, ...]]:
    try:
        return Counter(map(tuple, rows))
    except TypeError:  # some databases return lists, which count by their text
        return Counter(tuple(map(str, row)) for row in rows)


def _width(rows: Sequence[Sequence[Any]], name: str) -> int:
    """Return how many values each row has, 0 without rows."""
    if len(set(map(len, rows))) > 1:
        number = next(number for number, row in enumerate(rows) if len(row) != len(rows[0]))
        raise ValueError(f"{name}: row {number} has {len(rows[number])} values and row 0 {len(rows[0])}")
    return len(rows[0]) if rows else 0
