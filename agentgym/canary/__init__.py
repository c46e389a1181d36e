"""Canary worlds, a conformance kit for trainers: each pays only who keeps one thing; reports name what was dropped.

`judge(rollouts)` reads what a trainer trained on in any of the worlds, `run(train)` lets a trainer train in all of
them. The ids are `agentgym.canary:canary/Hint-v0` and so on.
"""

from agentgym.canary.evidence import Trained, read_all
from agentgym.canary.report import ABOUT, Line, Report
from agentgym.canary.run import judge, run, world_id
from agentgym.canary.worlds import WORLDS
from agentgym.registry import register

for _name in WORLDS:
    register(f"canary/{_name}-v0", f"agentgym.canary.worlds:{_name}", reward="dense")

__all__ = ["ABOUT", "WORLDS", "Line", "Report", "Trained", "judge", "read_all", "run", "world_id"]
