"""What a trainer hands over: the rollouts it trained on, read from chat dicts, JSON lines or a TurnBatch.

One dict a rollout. Only `messages` is needed; each further entry lets more be checked:

    messages      what the model read and wrote, as chat messages (OpenAI's, Anthropic's or ShareGPT's shape)
    rewards       a number an assistant message, as they reached the trainer; or
    reward        one number for the rollout
    group         which rollouts it was compared with
    truncated     whether the trainer holds it to be cut rather than ended
    ids           the ids of the whole sequence that went into the loss
    pieces        the text of each of these ids, as decode([id]) gives it
    mask          1 for the ids that the loss counts, 0 for the others
    sampled       for each turn the ids that the sampler returned, as it returned them
    logprobs      the sampler's log-probability of each of `ids` (anything where the mask is 0)
    rescored      the trainer's own, by the weights that sampled
    advantages    the advantage of each of `ids`, or one number for the rollout
"""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Final

from agentgym.batch import BatchError, TurnBatch
from agentgym.batch.chat import read
from agentgym.errors import unknown

PER_ID: Final = ("ids", "pieces", "mask", "logprobs", "rescored")
KEYS: Final = ("messages", "rewards", "reward", "group", "truncated", *PER_ID, "sampled", "advantages")


@dataclass(frozen=True)
class Trained:
    """One rollout that a trainer trained on; None: it did not say.

    Attributes:
        place: which one, in words.
        heard: what the model read before each reply.
        replies: what it wrote.
        after: what came after the last reply.
        rewards, reward, group, truncated, ids, pieces, mask, sampled, logprobs, rescored: as in the module's table.
        advantages: one number an id where they were given so, else one alone.
    """

    place: str
    heard: tuple[str, ...]
    replies: tuple[str, ...]
    after: str = ""
    rewards: Sequence[float] | None = None
    reward: float | None = None
    group: Hashable | None = None
    truncated: bool | None = None
    ids: Sequence[int] | None = None
    pieces: Sequence[str] | None = None
    mask: Sequence[float] | None = None
    sampled: Sequence[Sequence[int]] | None = None
    logprobs: Sequence[float] | None = None
    rescored: Sequence[float] | None = None
    advantages: Sequence[float] | float | None = None


Given = TurnBatch | Iterable[Any] | str | PathLike[str]


def read_all(given: Given) -> list[Trained]:
    """Return the rollouts of a TurnBatch, of dicts, or of a file of JSON lines of either.

    Raises:
        BatchError: what cannot be read; the message names rollout and entry.
        OSError: there is no such file.
    """
    if isinstance(given, str | PathLike):
        return _file(Path(given))
    if isinstance(given, TurnBatch):
        return _batch(given)
    rollouts = list(given)
    return [one if isinstance(one, Trained) else _one(f"rollout {number}", one) for number, one in enumerate(rollouts)]


def _file(path: Path) -> list[Trained]:
    lines = [line for line in path.read_text("utf-8", errors="replace").split("\n") if line.strip()]
    try:
        rows = [json.loads(line) for line in lines]
    except (ValueError, RecursionError) as error:
        raise BatchError(f"{path} holds a line that is no JSON ({error}): write one object a rollout") from None
    if rows and isinstance(rows[0], dict) and "columns" in rows[0]:
        return _batch(TurnBatch.from_jsonl(path))
    return [_one(f"{path.name}, line {number}", row) for number, row in enumerate(rows, 1)]


def _one(place: str, rollout: Any) -> Trained:
    if not isinstance(rollout, Mapping):
        rollout = {"messages": rollout}
    for key in rollout:
        if key not in KEYS:
            raise BatchError(f"{place}: {unknown('entry', key, KEYS)}; rename it or leave it out")
    if not isinstance(rollout.get("messages"), list | tuple):
        raise BatchError(f"{place} has no list of messages: give what the model read and wrote as chat messages")
    heard, replies, rest = _talk(place, rollout["messages"])
    given = {key: _plain(value) for key, value in rollout.items() if key != "messages" and value is not None}
    _check(place, given)
    return Trained(place, tuple(heard), tuple(replies), rest, **given)


def _talk(place: str, messages: Sequence[Any]) -> tuple[list[str], list[str], str]:
    heard, replies, new = [], [], [""]
    for number, message in enumerate(messages):
        found = read(message, f"{place}, message {number}")
        if found.role == "assistant":
            heard.append("\n".join(new))
            replies.append(found.action())
            new = [""]
        else:
            new += found.texts
    return heard, replies, "\n".join(new)


def _plain(value: Any) -> Any:
    """Return arrays and tensors as lists."""
    return value.tolist() if hasattr(value, "tolist") else value


def _check(place: str, given: Mapping[str, Any]) -> None:
    for key in ("rewards", "reward", "mask", "logprobs", "rescored", "advantages"):
        value = given.get(key, 0.0)
        numbers = value if isinstance(value, list | tuple) else [value]
        listed = isinstance(value, list | tuple)
        if key != "advantages" and key in given and listed is (key == "reward"):
            raise BatchError(f"{place}: {key} must be {'one number' if key == 'reward' else 'a list of numbers'}")
        for number in numbers:
            if not isinstance(number, int | float) or not math.isfinite(number):
                raise BatchError(f"{place}: {key} holds {number!r:.40}, which is no finite number")
    for key in ("ids", "pieces", "sampled"):
        if key in given and not isinstance(given[key], list | tuple):
            raise BatchError(f"{place}: {key} must be a list, not {given[key]!r:.40}")
    if not isinstance(given.get("truncated", False), bool):
        raise BatchError(f"{place}: truncated must be True or False, not {given['truncated']!r:.40}")


def _batch(batch: TurnBatch) -> list[Trained]:
    """Return the rollouts of a record; it holds no sequences of ids, so nothing is said of those."""
    for name in ("observation", "action"):
        if name not in batch:
            raise BatchError(f"the batch has no column {name!r}, so nothing tells what the model read and wrote")
    rewards = [
        float(sum(batch[name][row] for name in ("turn_reward", "outcome_reward") if name in batch))
        for row in range(len(batch))
    ]
    paid = "turn_reward" in batch or "outcome_reward" in batch
    found = []
    order = batch.order.tolist()
    for begin, count in zip(batch.starts.tolist(), batch.lengths.tolist(), strict=True):
        rows = order[begin : begin + count]
        found.append(
            Trained(
                f"rollout {batch.trajectory[rows[0]]!r}",
                tuple(str(batch.observation[row]) for row in rows),
                tuple(str(batch.action[row]) for row in rows),
                rewards=[rewards[row] for row in rows] if paid else None,
                group=batch.group[rows[0]],
                truncated=bool(batch.truncated[rows[-1]]) if "truncated" in batch else None,
            )
        )
    return found
