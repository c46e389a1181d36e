"""Rule: what is privileged stays so."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentgym.check.actions import Sent
from agentgym.check.facts import builds_upon, needs
from agentgym.check.rule import NotChecked, require, rule
from agentgym.check.subject import Subject, Trace, require_same, shown
from agentgym.env import AgentEnv
from agentgym.task import Task

LEAST = 4
"""Characters that a secret needs to be looked for; shorter ones stand in any text by chance."""

EPISODES = 12
"""Starts that are looked at; each action that may be refused is tried at one of them."""
_CHANCE = frozenset({"privileged", "state_hash", "anchor_hash", "history_hash", "seed"})
OTHERS = 16
"""Starts of a task that are looked at for another secret behind the same texts."""
_REMEDY = (
    "tell it nowhere, or, where it may be read as one of several that are listed, let secrets(state) hold the "
    "sentence that would give it away, as {'vase': 'birch: A vase!'}"
)


@rule("leak", hook="secrets")
def leak(subject: Subject) -> str:
    """Before a valid action nothing that is read, or stands in info, tells a secret; `privileged` does where asked for.

    A secret that is read there is told unless another start of the same task, with another secret, reads the same.
    """
    env, looked, episodes = subject.make(privileged=False), 0, subject.few(EPISODES)
    for index, (task, seed) in enumerate(episodes):
        start = _Start(subject, env, task, seed)
        _hidden(start, [])
        for action in subject.hostile[index :: len(episodes)]:
            _hidden(start, [action])
        looked += len(start.secrets)
    builds_upon(subject)
    needs(subject, "reset")
    for task, seed in subject.few(4):
        plain = subject.play(env, task, seed)
        told = subject.replay(subject.make(privileged=True), task, seed, plain.actions)
        require(
            all("privileged" in info for info in told.infos) and not any("privileged" in info for info in plain.infos),
            f"{plain.where}: info['privileged'] must be there with privileged=True, and only then",
        )
        require_same(_without(plain), _without(told), "privileged=True changes more than info['privileged']")
    if not looked:
        raise NotChecked(f"secrets(state) holds no text of at least {LEAST} characters, so none was looked for")
    return f"{looked} secrets of at least {LEAST} characters"


@dataclass(slots=True)
class _Start:
    """A start, and what is secret at it: as it is compared → as it is written."""

    subject: Subject
    env: AgentEnv[Any]
    task: Task
    seed: int
    secrets: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.subject.start(self.env, self.task, self.seed)
        self.secrets = {text.casefold(): text for text in _secrets(self.env.secrets(self.env.state))}

    def read(self, actions: Sequence[Sent]) -> tuple[Trace, list[tuple[str, str]]]:
        """Return the trace of actions, and (place, text) of all that is read after them; nothing after valid ones."""
        trace = self.subject.replay(self.env, self.task, self.seed, actions)
        if trace.error is not None or (actions and trace.info["valid"]):
            return trace, []
        shown = {key: value for key, value in trace.info.items() if key not in _CHANCE}
        more = {"describe(state)": self.env.describe(self.env.state)} if self.subject.offers("describe") else {}
        return trace, list(_texts({"observation": trace.records[-1][0], **shown, **more}))


def _hidden(start: _Start, actions: Sequence[Sent]) -> None:
    """Check that what is read at a start, or after an action that was refused there, tells no secret."""
    trace, texts = start.read(actions)
    for secret, written in start.secrets.items():
        place = next((place for place, text in texts if secret in text.casefold()), "")
        require(
            not place or _reads_the_same(start, actions, texts, secret),
            f"{trace.at(len(actions))}: {place} holds {shown(written)}, which secrets(state) calls hidden, and no "
            f"other start with another secret reads the same: {_REMEDY}",
        )


def _reads_the_same(start: _Start, actions: Sequence[Sent], texts: list[tuple[str, str]], secret: str) -> bool:
    """Return whether another start of the task, at which this is no secret, reads exactly the same."""
    for seed in range(start.seed + 1, start.seed + 1 + OTHERS):
        other = _Start(start.subject, start.env, start.task, seed)
        if secret not in other.secrets and other.read(actions)[1] == texts:
            return True
    return False


def _secrets(value: Any) -> Iterator[str]:
    """Yield the texts and whole numbers in a value that are long enough to be told from chance."""
    for _, text in _texts({"": value}):
        if len(text) >= LEAST:
            yield text


def _texts(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (first key, text) of all texts and whole numbers in a value; keys within are no texts."""
    for key, value in values.items():
        stack = [value]
        while stack:
            part = stack.pop()
            if isinstance(part, str):
                yield key, part
            elif isinstance(part, int) and not isinstance(part, bool):
                yield key, json.dumps(part)
            elif isinstance(part, Mapping):
                stack.extend(part.values())
            elif isinstance(part, list | tuple):
                stack.extend(part)


def _without(trace: Trace) -> Trace:
    """Return a trace without what is privileged."""
    records = [
        [*record[:-1], {key: value for key, value in record[-1].items() if key != "privileged"}]
        for record in trace.returned
    ]
    return Trace(trace.where, trace.actions, [*records, *trace.records[len(records) :]], trace.error)
