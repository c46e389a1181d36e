"""Rule: rewards add up, and how they are weighted changes nothing else."""

from __future__ import annotations

from agentgym.check.facts import builds_upon
from agentgym.check.rule import require, rule
from agentgym.check.subject import Subject, Trace, require_same
from agentgym.reward import RewardSpec

_CLOSE = 1e-9


@rule("rewards")
def rewards(subject: Subject) -> str:
    """Every reward is named, the sums are those of the weights, and other weights leave the record as it is."""
    builds_upon(subject)
    own = subject.world.rewards
    odd = RewardSpec({name: 2.0 + at for at, name in enumerate(sorted(own.weights))}, outcome=-3.0, invalid=-7.0)
    weightings: list[tuple[str | RewardSpec, RewardSpec]] = [("sparse", RewardSpec()), ("dense", own), (odd, odd)]
    turns = 0
    for task, seed in subject.few(6):
        first = subject.play(subject.make(reward="sparse"), task, seed)
        for asked, spec in weightings:
            trace = subject.replay(subject.make(reward=asked), task, seed, first.actions)
            for turn in range(1, len(trace.returned)):
                _adds_up(trace, turn, own, spec)
                turns += 1
            require_same(_unpaid(first), _unpaid(trace), f"the record under reward='sparse' and under {asked!r} differ")
    return f"{turns} turns under {len(weightings)} weightings"


def _adds_up(trace: Trace, turn: int, own: RewardSpec, spec: RewardSpec) -> None:
    """Check the sums of one turn."""
    info, reward, where = trace.infos[turn], trace.records[turn][1], trace.at(turn)
    unnamed = [name for name in info["components"] if name not in own.weights]
    require(not unnamed, f"{where}: the rewards {unnamed} are paid but not named: give them a weight in `rewards`")
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
