"""tau2-bench's layout: one folder a domain, with tasks.json, split_tasks.json, policy.md and db.json.

Telecom's tasks are in tasks.json, tasks_full.json and tasks_small.json, its database in db.toml and user_db.toml. A
file that is not there is looked for in `tau2-bench` and `tau-bench` beside the folder: tau2-bench-verified holds tasks
alone, and airline's database may be tau-bench's. Splits are train and test, and for telecom what split_tasks.json
calls small or full. A task's id is its domain and its own id: "retail/17". Tasks without `reward_basis`
(tau2-bench-verified) count DB and COMMUNICATE, as the older schema does. The domain `mock` has no tools here.

Source: https://github.com/sierra-research/tau2-bench, Barres et al. 2025, arXiv 2506.07982;
https://github.com/amazon-agi/tau2-bench-verified.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from agentgym.data import Loaded, Progress
from agentgym.envs.customer_service.sources.reading import Reading

TASKS: Final = {
    "airline": ("tasks.json",),
    "retail": ("tasks.json",),
    "telecom": ("tasks.json", "tasks_full.json", "tasks_small.json"),
}


def load(folder: Path, progress: Progress) -> Loaded:
    """Read a folder; see `agentgym.data.Loader`.

    Raises:
        DataError: it holds no file of tasks.
    """
    return Reading(folder, TASKS, "tau2").load(progress)
