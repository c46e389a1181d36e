"""Reflection for a language model: how likely is every entry of the menu, with and without feedback on the rollout?

The reflector here is the record itself: it tells how the rollout ended, and what was said from the turn on. One of
one's own, another model for example, is a function from the record to texts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from agentgym.baselines.grpo.columns import HINDSIGHT_ROOM, Make
from agentgym.baselines.grpo.config import Config
from agentgym.baselines.grpo.engine import Engine
from agentgym.baselines.grpo.hindsight import NOTES, told
from agentgym.baselines.grpo.rollout import Played
from agentgym.baselines.grpo.tokens import Tokens
from agentgym.batch import TurnBatch

if TYPE_CHECKING:
    from agentgym.baselines.grpo.prepare import Parts

Floats = NDArray[np.float64]
Reflect = Callable[[TurnBatch], Sequence[Sequence[str]]]

NOTE_ROOM = HINDSIGHT_ROOM - 8
"""Most tokens of a note; the rest is for what the template puts around it."""


def begin(parts: Parts, config: Config) -> Make:
    """Return the maker of `menu_logprobs` and `menu_hindsight_logprobs`."""
    return lambda played: with_reflection(played, parts.engine, parts.tokens)


def what_followed(batch: TurnBatch) -> list[list[str]]:
    """Return one feedback a turn: how its rollout ended, and what was said in this turn and after it."""
    found: list[list[str]] = [[] for _ in range(len(batch))]
    said = ""
    for row in batch.order[::-1].tolist():
        said = f"\n{batch.action[row]}" + ("" if batch.last[row] else said)
        found[row] = [NOTES[bool(batch.success[row])] + said]
    return found


def with_reflection(played: Played, engine: Engine, tokens: Tokens, reflect: Reflect = what_followed) -> TurnBatch:
    """Return the record with what ricl reads: the menu, and its log-probabilities with and without feedback.

    A model may say what is not on the menu; then the turn's own text is one more entry of the menu, the last. The own
    text is scored as its sampled ids, the other entries as the ids of their texts and the end of the reply.

    Args:
        played: rollouts whose record has `menu`.
        engine: that scores; one row for each turn, entry, and feedback, and one more without feedback.
        tokens: of the model.
        reflect: from the record to the feedback of each row, at least one text; of a long one the beginning is read.
    """
    batch = played.batch
    prompts, menus, entries = [], [], []
    for row, feedback in enumerate(reflect(batch)):
        script = played.transcripts[batch.trajectory[row]]
        at, end = script.spans[batch.turn[row]]
        notes = [tokens.decode(tokens.encode(note)[:NOTE_ROOM]) for note in feedback]
        openings = [script.ids[: script.opening], *(told(script, tokens, note) for note in notes)]
        prompts.append([[*opening, *script.ids[script.opening : at]] for opening in openings])
        action, menu = batch.action[row], list(batch.menu[row])
        menus.append(menu if action in menu else [*menu, action])
        entries.append(
            [script.ids[at:end] if entry == action else [*tokens.encode(entry), tokens.end] for entry in menus[-1]]
        )
    flat = [(prompt, entries[row]) for row, several in enumerate(prompts) for prompt in several]
    scores = iter(menu_logprobs(engine, [prompt for prompt, _ in flat], [ids for _, ids in flat]))
    found = [[next(scores) for _ in several] for several in prompts]
    return batch.with_columns(
        menu=menus,
        menu_logprobs=[plain for plain, *_ in found],
        menu_hindsight_logprobs=[np.stack(rest).tolist() for _, *rest in found],
    )


def menu_logprobs(
    engine: Engine, prompts: Sequence[Sequence[int]], entries: Sequence[Sequence[Sequence[int]]]
) -> list[Floats]:
    """Return for each prompt the log-probabilities of whole entries, renormalised over the entries.

    Args:
        engine: that scores.
        prompts: ids.
        entries: for each prompt the ids of every entry, at least one entry and at least one id.
    """
    rows = [[*prompt, *entry] for prompt, several in zip(prompts, entries, strict=True) for entry in several]
    scores = iter(engine.score(rows))
    out = []
    for prompt, several in zip(prompts, entries, strict=True):
        sums = np.array([float(next(scores)[len(prompt) :].sum()) for _ in several])
        out.append(sums - np.logaddexp.reduce(sums))
    return out
