"""Rules: menus hold what can be done, the right action among it, and nothing marks the right one."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from agentgym.check.rule import NotChecked, require, rule
from agentgym.check.subject import Subject, shown
from agentgym.env import AgentEnv
from agentgym.errors import AgentGymError
from agentgym.rng import TurnRng

OFFERS = 2000
"""Menus whose order is looked at."""

FALSE_ALARM = 1e-6
"""Most probability with which a fair order is called marked."""

RIGHT = 8
"""Distinct right entries from which on a form that they alone have is called a mark."""

FORMS: dict[str, Callable[[str], bool]] = {
    "white space at an end": lambda entry: entry != entry.strip(),
    "two blanks in a row": lambda entry: "  " in entry,
    "a capital letter": lambda entry: entry != entry.lower(),
    "punctuation at the end": lambda entry: entry.rstrip()[-1:] in set(".,;:!?*"),
    "a character beyond ASCII": lambda entry: not entry.isascii(),
}
"""Ways in which the spelling of an entry can give it away."""


@rule("menu", hook="menu")
def menu(subject: Subject) -> str:
    """Until the end the menu holds distinct valid actions, the expert's among them while it can still succeed."""
    entries = 0
    env = subject.make()
    for task, seed in subject.few(8):
        trace, rng = subject.start(env, task, seed), TurnRng(subject.seed, stream=f"menu {task.id}")
        while not trace.over and len(trace.actions) < 20:
            where = trace.at(len(trace.actions))
            offered = env.offer(env.state, seed, len(trace.actions))
            require(len(offered) > 0, f"{where}: the menu is empty, but the episode goes on")
            twice = [entry for entry, times in Counter(offered).items() if times > 1]
            require(not twice, f"{where}: the menu holds {twice} more than once")
            bad = [entry for entry in offered if not _valid(env, entry)]
            require(not bad, f"{where}: the menu offers {shown(bad)}, which the world refuses")
            right = expected(env, env.state)
            require(
                right is None or right in offered or not _succeeds(env),
                f"{where}: the expert's {shown(right)} is not in the menu {shown(offered)}",
            )
            entries += len(offered)
            subject.go_on(env, trace, 1, rng, hostile=False)
    return f"{entries} entries" + ("" if subject.offers("expert") else "; no expert to find among them")


def expected(env: AgentEnv[Any], state: Any) -> str | None:
    """Return the expert's action; None where there is no expert or it knows no way."""
    try:
        return env.advice(state) if env.offers("expert") else None
    except AgentGymError:
        return None


def _succeeds(env: AgentEnv[Any]) -> bool:
    """Return whether the expert, followed from here, solves the task; one that has given up may say anything."""
    one = env.fork()[0]
    while True:
        right = expected(one, one.state)
        if right is None:
            return False
        *_, terminated, truncated, info = one.step(right)
        if terminated or truncated:
            return info["success"]


def _valid(env: AgentEnv[Any], entry: str) -> bool:
    return env.apply(env.state, entry, TurnRng(env._seed, env._branch, env._turn))[1]


@rule("unmarked", hook="menu expert")
def unmarked(subject: Subject) -> str:
    """Neither its place in the menu nor its spelling gives the right entry away."""
    states = _states(subject)
    if not states:
        raise NotChecked("no menu of two entries holds the expert's")
    env = subject.make()
    places: Counter[int] = Counter()
    fair_there: dict[int, float] = {}
    for index in range(OFFERS):
        state, right = states[index % len(states)]
        offered = env.offer(state, subject.seed + index, index % 7)
        place = offered.index(right) if right in offered else -1
        for counted in (place, place - len(offered)):  # from the front, and from the end as negative numbers
            places[counted] += 1
        for counted in range(-len(offered), len(offered)):
            fair_there[counted] = fair_there.get(counted, 0.0) + 1 / len(offered)
    # Hoeffding: one count of n independent draws strays this far with a probability of at most FALSE_ALARM / counts.
    stray = math.sqrt(OFFERS / 2 * math.log(2 * len(fair_there) / FALSE_ALARM))
    for at, fair in sorted(fair_there.items(), key=lambda place: (place[0] < 0, place)):
        require(
            abs(places[at] - fair) <= stray,
            f"the right entry stands at place {at} of the menu {places[at]} times in {OFFERS}, where a fair order puts "
            f"it {fair:.0f} times: leave the order to the shell",
        )
    _spelled_alike([(right, [entry for entry in env.choices(state) if entry != right]) for state, right in states])
    return f"{OFFERS} orders of {len(states)} menus"


def _states(subject: Subject) -> list[tuple[Any, str]]:
    """Return states with the expert's action, where the menu offers a choice."""
    env, found = subject.make(), []
    for task, seed in subject.few(24):
        trace, rng = subject.start(env, task, seed), TurnRng(subject.seed, stream=f"unmarked {task.id}")
        while not trace.over and len(trace.actions) < 6:
            right = expected(env, env.state)
            if right is not None and len(env.choices(env.state)) > 1 and right in env.choices(env.state):
                found.append((env.state, right))
            subject.go_on(env, trace, 1, rng, hostile=False)
    return found


def _spelled_alike(menus: Sequence[tuple[str, Sequence[str]]]) -> None:
    """Check that no form belongs to the right entries alone, and that no entry has a spelling for where it is right."""
    right, wrong = {entry for entry, _ in menus}, {entry for _, others in menus for entry in others}
    if len(right) >= RIGHT:
        for form, has in FORMS.items():
            require(
                not all(map(has, right)) or any(map(has, wrong)),
                f"{form} marks the right entry of every menu, such as {shown(min(right))}",
            )
    plain_right = {_plainly(entry): entry for entry in sorted(right - wrong)}
    for entry in sorted(wrong - right):
        twin = plain_right.get(_plainly(entry))
        require(twin is None, f"the menu spells {shown(entry)} as {shown(twin)} where it is the right one")


def _plainly(entry: str) -> str:
    """Return an entry without case, needless blanks, and punctuation at its ends."""
    return " ".join(entry.casefold().split()).strip(" .,;:!?*")
