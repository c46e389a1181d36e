"""Revisions by a language model: it plays a failed rollout again, having read what a successful sibling said.

The reference stands at the end of the first prompt, where the notes of `hindsight` stand.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agentgym.baselines.grpo.columns import HINDSIGHT_ROOM, Make
from agentgym.baselines.grpo.config import Config
from agentgym.baselines.grpo.engine import Engine
from agentgym.baselines.grpo.hindsight import NOTES, told
from agentgym.baselines.grpo.reflection import NOTE_ROOM
from agentgym.baselines.grpo.rollout import Episode, Played, Transcript, go_through, start
from agentgym.baselines.grpo.tokens import Tokens
from agentgym.baselines.revision import actions, columns_of, pairs
from agentgym.batch import TurnBatch
from agentgym.env import AgentEnv

if TYPE_CHECKING:
    from agentgym.baselines.grpo.prepare import Parts


def begin(parts: Parts, config: Config) -> Make:
    """Return the maker of `revision_ok` and `revision`."""
    return lambda played: with_revisions(played, parts.world, parts.engine, parts.tokens, config)


def with_revisions(played: Played, world: AgentEnv[Any], engine: Engine, tokens: Tokens, config: Config) -> TurnBatch:
    """Return the record with `revision_ok` and `revision`; see `agentgym.baselines.revision.with_revisions`.

    Every failed rollout is played once for every successful sibling, with that one's texts as a reference (as far as
    there is room for them). A revision may be longer than a rollout by the reference.
    """
    batch = played.batch
    roomy = replace(config, context=config.context + HINDSIGHT_ROOM)
    numbers, episodes, places = [], [], [batch.num_rollouts] * batch.num_groups
    for number, sibling in pairs(batch):
        group = int(batch.rollout_group[number])
        row = int(batch.order[batch.starts[number]])
        task, seed = world.panel.task(batch.task[row]), int(batch.seed[row])
        episode = start(world, tokens, roomy, task, seed, places[group])
        _show(episode, tokens, actions(batch, sibling))
        numbers.append(number)
        episodes.append(episode)
        places[group] += 1
    go_through(episodes, engine, tokens, roomy)
    return columns_of(batch, numbers, episodes)


def _show(episode: Episode, tokens: Tokens, sibling: tuple[str, ...]) -> None:
    """Put the reference at the end of the first prompt."""
    note = "\n".join([NOTES[True], *sibling])
    script = episode.transcript
    shown = told(script, tokens, tokens.decode(tokens.encode(note)[:NOTE_ROOM]))
    episode.transcript = Transcript(shown, script.messages, script.tools)
