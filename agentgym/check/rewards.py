"""Rule: rewards add up, and how they are weighted changes nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from agentgym.check.determinism import baseline
from agentgym.check.effects import moments
from agentgym.check.explore import explored
from agentgym.check.facts import builds_upon
from agentgym.check.rule import require, rule
from agentgym.check.subject import TURNS, Subject, Trace, require_same
from agentgym.reward import RewardSpec
from agentgym.rng import TurnRng

_CLOSE = 1e-9


@rule("rewards")
def rewards(subject: Subject) -> str:
    """Every reward is named, the sums are those of the weights, and other weights leave the record as it is.

    Names are looked for in the episodes of this rule and of others, in some of the expert's, and in what the search for
    states has tried. A name that was never paid may be misspelt, which the note tells.
    """
    builds_upon(subject)
    own = subject.world.rewards
    episodes = [(task, seed, subject.play(subject.make(), task, seed)) for task, seed in subject.few(6)]
    paid = _paid(subject, [trace for _, _, trace in episodes])
    unnamed = [name for name in paid if name not in own.weights]
    require(
        not unnamed,
        lambda: f"{paid[unnamed[0]]}: the rewards {unnamed} are paid but not named: give them a weight in `rewards`",
    )
    odd = RewardSpec({name: 2.0 + at for at, name in enumerate(sorted(own.weights))}, outcome=-3.0, invalid=-7.0)
    weightings: list[tuple[str | RewardSpec, RewardSpec]] = [("sparse", RewardSpec()), ("dense", own), (odd, odd)]
    turns = 0
    for task, seed, first in episodes:
        for asked, spec in weightings:
            trace = subject.replay(subject.make(reward=asked), task, seed, first.actions)
            for turn in range(1, len(trace.returned)):
                _adds_up(trace, turn, own, spec)
                turns += 1
            require_same(_unpaid(first), _unpaid(trace), f"the record under reward='sparse' and under {asked!r} differ")
    never = ", ".join(name for name in own.weights if name not in paid)
    return f"{turns} turns under {len(weightings)} weightings" + (f"; named but never paid: {never}" * bool(never))


def _paid(subject: Subject, traces: Sequence[Trace]) -> dict[str, str]:
    """Return the names of all rewards that were seen, each with where it was paid first."""
    played = [*traces, *_of_expert(subject), *(trace for _, _, trace in baseline(subject))]
    found: dict[str, str] = {}
    for trace in [*played, *(one.trace for one in moments(subject) if one.turn == 0)]:
        for turn, info in enumerate(trace.infos):
            for name in info["components"]:
                found.setdefault(name, trace.at(turn))
    for one in explored(subject)[1]:
        for name, where in one.paid.items():
            found.setdefault(name, where)
    return found


def _of_expert(subject: Subject) -> list[Trace]:
    """Return a few episodes of the expert's, where there is one."""
    traces = []
    for task, seed in subject.few(6) if subject.offers("expert") else ():
        env = subject.make()
        traces.append(subject.start(env, task, seed))
        subject.go_on(env, traces[-1], TURNS, TurnRng(subject.seed, stream="expert"), hostile=False, skill=1.0)
    return traces


def _adds_up(trace: Trace, turn: int, own: RewardSpec, spec: RewardSpec) -> None:
    """Check the sums of one turn."""
    info, reward, where = trace.infos[turn], trace.records[turn][1], trace.at(turn)
    turn_reward = own.turn_reward(info["components"], info["valid"])
    require(
        abs(info["turn_reward"] - turn_reward) <= _CLOSE,
        f"{where}: turn_reward is {info['turn_reward']}, but the components {info['components']} sum to {turn_reward}",
    )
    total = spec.turn_reward(info["components"], info["valid"]) + spec.outcome * info["outcome_reward"]
    require(
        type(reward) is float and abs(reward - total) <= _CLOSE,
        f"{where}: the reward is {reward!r} under {spec}, but the record makes {total}",
    )


def _unpaid(trace: Trace) -> Trace:
    """Return a trace without what step returned as reward."""
    records = [[*record[:1], *record[2:]] if len(record) == 5 else record for record in trace.records]
    return Trace(trace.where, trace.actions, records, trace.error)
