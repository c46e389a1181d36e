"""Record the cassettes in tests/cassettes: episodes whose user a real model speaks for.

`python -m tests.record_cassettes URL MODEL [NAME …]` plays each of PLAYS by the world's expert against the endpoint and
writes NAME.jsonl, the cassette, and NAME.json, what was played. tests/test_cassettes.py plays them again without it.
They were recorded with SmolLM2-135M-Instruct (4 bits), behind tests/lm_server.py; a model of that size says little of
what it is asked to, which is what the tries are for.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import gymnasium

import agentgym  # noqa: F401 — registers the worlds

FOLDER = Path(__file__).parent / "cassettes"
OPTIONS = {"temperature": 0.3, "max_tokens": 80}
TRIES = 8
PLAYS: dict[str, dict[str, Any]] = {
    "customer_service": {"env": "agentgym/CustomerService-v0", "split": "test", "turns": 14},
    "emotional_support": {"env": "agentgym/EmotionalSupport-v0", "split": "test", "turns": 6},
    "sales": {"env": "agentgym/Sales-v0", "split": "test", "turns": 8},
}
"""By name: the world, the split whose first task is played, and how many turns at most."""


def described(name: str, model: str, **more: Any) -> dict[str, Any]:
    """Return the description of a cassette's user; as it is, it is replayed."""
    return {"model": model, "cassette": str(FOLDER / f"{name}.jsonl"), "tries": TRIES, "options": OPTIONS, **more}


def record(name: str, url: str, model: str) -> dict[str, Any]:
    """Play an episode by the expert and return what was played."""
    play = PLAYS[name]
    user = described(name, model, endpoint=url, timeout=300, total=900)
    env: Any = gymnasium.make(
        play["env"], split=play["split"], signals=("expert",), user=user, disable_env_checker=True
    ).unwrapped
    task = env.panel[play["split"]][0].id
    observation, info = env.reset(seed=0, options={"task": task})
    played: dict[str, Any] = {**play, "model": model, "task": task, "actions": [], "observations": [observation]}
    while not info["end_reason"] and len(played["actions"]) < play["turns"]:
        action = info["expert"]
        observation, *_, info = env.step(action)
        print(f"> {action}\n< {observation} {info['end_reason']} {info['end_detail']}", flush=True)
        played["actions"].append(action)
        played["observations"].append(observation)
    return {**played, "end_reason": info["end_reason"], "history_hash": info["history_hash"]}


def main() -> None:
    """Record what the command line names, or all."""
    url, model, *names = sys.argv[1:]
    for name in names or PLAYS:
        (FOLDER / f"{name}.jsonl").unlink(missing_ok=True)
        played = record(name, url, model)
        (FOLDER / f"{name}.json").write_text(json.dumps(played, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
