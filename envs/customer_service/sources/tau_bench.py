"""tau-bench's layout: the airline's database as flights.json, users.json and reservations.json.

Its own tasks are Python files, and its README calls them outdated, so tasks and policy are tau2's: airline/tasks.json
in the folder, or in `tau2-bench` beside it. Retail (products.json, users.json, orders.json) likewise.

Source: https://github.com/sierra-research/tau-bench, Yao et al. 2024, arXiv 2406.12045.
"""

from __future__ import annotations

from pathlib import Path

from agentgym.data import Loaded, Progress
from agentgym.envs.customer_service.sources.files import Files
from agentgym.envs.customer_service.sources.reading import Reading
from agentgym.errors import DataError


def load(folder: Path, progress: Progress) -> Loaded:
    """Read a folder; see `agentgym.data.Loader`.

    Raises:
        DataError: it holds no database, or no file of tasks is there or beside it.
    """
    files = Files(folder, "tau-bench")
    there = [name for name in ("airline", "retail") if files.own_database(name)]
    if not there:
        raise DataError(
            f"{folder} holds no database of tau-bench, such as airline/flights.json, users.json, reservations.json"
        )
    return Reading(folder, dict.fromkeys(there, ("tasks.json",)), "tau-bench", beside=True).load(progress)
