"""Prints how bad supporters do, and the honest but clumsy one: mean return, success, distance at the end, skills.

python -m agentgym.envs.emotional_support.measure_bad --seekers 40
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from agentgym.envs.emotional_support.bad import Script, bad_supporters, honest_but_clumsy
from agentgym.envs.emotional_support.env import EmotionalSupportEnv
from agentgym.rng import TurnRng

_SKILL = "skill_"


class Scored(NamedTuple):
    """Means over seekers: return, success, distance at the end; and in how many turns which skill was heard."""

    total: float
    success: float
    distance: float
    skills: Counter[str]


def scored(script: Script, seekers: int, env: EmotionalSupportEnv | None = None) -> Scored:
    """Return how a script does with the seekers of seeds 0 up to `seekers`."""
    env = EmotionalSupportEnv() if env is None else env
    total = distance = 0.0
    won, skills = 0, Counter[str]()
    for seed in range(seekers):
        heard, info = env.reset(seed=seed)
        talk = script(str(heard), TurnRng(seed))
        message, ended = next(talk), False
        while not ended:
            heard, reward, terminated, truncated, info = env.step(message)
            total += float(reward)
            skills.update(name[len(_SKILL) :] for name in info.get("metrics", {}) if name.startswith(_SKILL))
            ended = terminated or truncated
            message = message if ended else talk.send(str(heard))
        won += bool(info["success"])
        distance += env.state.distance
    return Scored(total / seekers, won / seekers, distance / seekers, skills)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table; return the exit status."""
    parser = ArgumentParser(prog="python -m agentgym.envs.emotional_support.measure_bad", description=__doc__)
    parser.add_argument("--seekers", type=int, default=40, help="how many seekers each talks to")
    seekers = parser.parse_args(arguments).seekers
    sys.stdout.write(
        "| supporter | return | success | distance at the end | heard most |\n| --- | --- | --- | --- | --- |\n"
    )
    for name, script in {**bad_supporters(), "honest but clumsy": honest_but_clumsy}.items():
        found = scored(script, seekers)
        most = ", ".join(skill for skill, _ in found.skills.most_common(2))
        sys.stdout.write(f"| {name} | {found.total:.2f} | {found.success:.2f} | {found.distance:.1f} | {most} |\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
