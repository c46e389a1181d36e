"""Record the cassettes in tests/cassettes, which tests/test_cassettes.py plays again without any model.

`python -m tests.record_cassettes` plays each of PLAYS by the world's expert, with a user that a parrot behind an
endpoint speaks for (`tests.llm_server.parrot`), and writes NAME.jsonl, the cassette, and NAME.json, what was played. It
takes seconds; run it where the wording of a world has changed.

`python -m tests.record_cassettes URL MODEL` has a real model say what the users of the same episodes say, and writes
real.jsonl, the cassette, and real.json, each scene and draft with what was said of it or why nothing could be used. It
was run against SmolLM2-135M-Instruct (4 bits) behind tests/lm_server.py. A model of that size often loses the thread,
and the facts with it, which is what tries are for; where they are used up, the rules' own words stand in for it, so
that the episode goes on.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import gymnasium

import agentgym  # noqa: F401 — registers the worlds
from agentgym.errors import InfraError
from agentgym.llm import LLMUser, user_from
from agentgym.rng import TurnRng
from agentgym.user import Draft, Said, Scene
from tests.llm_server import parrot, serving

FOLDER = Path(__file__).parent / "cassettes"
PLAYS: dict[str, dict[str, Any]] = {
    "customer_service": {"env": "agentgym/CustomerService-v0", "split": "test", "turns": 40, "seed": 0},
    "emotional_support": {"env": "agentgym/EmotionalSupport-v0", "split": "test", "turns": 40, "seed": 0},
    "sales": {"env": "agentgym/Sales-v0", "split": "test", "turns": 40, "seed": 0},
}
"""By name: the world, the split whose first task is played, how many turns at most, and the seed."""
REAL: dict[str, Any] = {"tries": 3, "options": {"temperature": 0.7, "max_tokens": 100, "stop": ["\n\n"]}}
REAL_TURNS = {"emotional_support": 4, "sales": 3, "customer_service": 3}


class Noting:
    """Has a model speak, and notes each scene; where the model fails, the draft's own words stand in."""

    scripted = False

    def __init__(self, user: LLMUser) -> None:
        self.user, self.scenes = user, list[dict[str, Any]]()

    def speak(self, scene: Scene, draft: Draft, rng: TurnRng) -> Said:
        noted: dict[str, Any] = {"scene": [scene.card, scene.messages], "rng": [rng.seed, rng.branch, rng.turn]}
        noted["draft"] = [draft.text, draft.act, draft.facts, draft.choices]
        try:
            said = self.user.speak(scene, draft, rng)
            noted["said"] = [said.text, said.act]
        except InfraError as error:
            said = Said(draft.text)
            noted["failed"] = str(error)
        print(f"{draft.text}\n  -> {noted.get('said', noted.get('failed'))}", flush=True)
        self.scenes.append(noted)
        return said


def play(name: str, user: Any, turns: int) -> dict[str, Any]:
    """Play an episode by the expert and return what was played."""
    asked = PLAYS[name]
    made = {"split": asked["split"], "signals": ("expert",), "user": user}
    env: Any = gymnasium.make(asked["env"], disable_env_checker=True, **made).unwrapped
    task = env.panel[asked["split"]][0].id
    observation, info = env.reset(seed=asked["seed"], options={"task": task})
    played: dict[str, Any] = {**asked, "task": task, "actions": [], "observations": [observation]}
    while not info["end_reason"] and len(played["actions"]) < turns:
        played["actions"].append(info["expert"])
        observation, *_, info = env.step(info["expert"])
        played["observations"].append(observation)
    return {**played, **{key: info[key] for key in ("end_reason", "success", "history_hash")}}


def write(name: str, value: Any) -> None:
    """Write what was played beside its cassette."""
    (FOLDER / f"{name}.json").write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", "utf-8")


def fresh(name: str) -> str:
    """Return the path of a cassette, having removed the one that was there."""
    path = FOLDER / f"{name}.jsonl"
    path.unlink(missing_ok=True)
    return str(path)


def main() -> None:
    """Record as the command line says."""
    FOLDER.mkdir(exist_ok=True)
    if len(sys.argv) == 1:
        for name, asked in PLAYS.items():
            with serving(otherwise=parrot) as server:
                user = {"endpoint": server.url, "model": "parrot", "cassette": fresh(name)}
                write(name, play(name, user, asked["turns"]))
        return
    url, model = sys.argv[1:]
    cassette = str(FOLDER / "real.jsonl")  # what it holds is not asked again: a run that was stopped goes on
    user = Noting(
        user_from({"endpoint": url, "model": model, "cassette": cassette, "timeout": 300, "total": 900, **REAL})
    )
    for name, turns in REAL_TURNS.items():
        play(name, user, turns)
    write("real", {"model": model, "scenes": user.scenes})


if __name__ == "__main__":
    main()
