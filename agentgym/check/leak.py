"""Rule: what is privileged stays so."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from agentgym.check.facts import builds_upon, needs
from agentgym.check.rule import require, rule
from agentgym.check.subject import Subject, Trace, require_same, shown

LEAST = 4
"""Characters that a secret needs to be looked for; shorter ones stand in any text by chance."""

EMPTY: Mapping[str, str] = {}
_CHANCE = frozenset({"privileged", "state_hash", "anchor_hash", "history_hash"})


@rule("leak", hook="secrets")
def leak(subject: Subject) -> str:
    """No secret stands in what the agent reads before it has done anything, nor in info unless privileged=True."""
    env, looked = subject.make(privileged=False), 0
    for task, seed in subject.few(12):
        trace = subject.start(env, task, seed)
        secrets = sorted(set(_secrets(env.secrets(env.state))))
        _hidden(trace, 0, secrets, {"describe(state)": env.describe(env.state)} if subject.offers("describe") else {})
        for action in subject.hostile[:: max(1, len(subject.hostile) // 12)]:
            trace = subject.replay(env, task, seed, [action])
            if trace.error is None and not trace.info["valid"]:
                _hidden(trace, 1, secrets)
        looked += len(secrets)
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
    return f"{looked} secrets of at least {LEAST} characters"


def _hidden(trace: Trace, turn: int, secrets: list[str], more: Mapping[str, str] = EMPTY) -> None:
    """Check that no secret stands in a record, nor in more that the agent may read with it."""
    info = {key: value for key, value in trace.infos[turn].items() if key not in _CHANCE}
    for place, text in _texts({"observation": trace.records[turn][0], **info, **more}):
        found = next((secret for secret in secrets if secret in text.casefold()), None)
        require(
            found is None,
            lambda place=place, found=found: (  # type: ignore[misc]
                f"{trace.at(turn)}: {place} holds {shown(found)}, which secrets(state) calls hidden"
            ),
        )


def _secrets(value: Any) -> Iterator[str]:
    """Yield the texts and whole numbers in a value that are long enough to be told from chance."""
    for _, text in _texts({"": value}):
        if len(text) >= LEAST:
            yield text.casefold()


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
