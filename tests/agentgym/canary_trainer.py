"""A small GRPO trainer of its own, in numpy, that can drop any one thing; it knows nothing of agentgym but gym.make.

Its policy draws one token a turn from a softmax whose logits are sums: one weight a token, which all positions share,
the environment's too, and weights for what was read at which turn. It so learns from whatever it is trained on.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np

WORDS = ("amber", "green", "olive")
OTHERS = ("pays", "move", "your", "game", "which", "word", "?", "<end>")
LEXICON = (*WORDS, *(f"{word}~" for word in WORDS), *OTHERS)
IDS = {word: number for number, word in enumerate(LEXICON)}
PLAYED = len(WORDS) * 2
"""The first ids are words, each twice: the second spelling of a word has an id of its own, as in most vocabularies."""
PIECES = [word.rstrip("~") for word in LEXICON]
FAULTS = (
    "opening", "observations", "actions", "last_reward", "first_reward", "mask", "replies", "groups", "left_out",
    "called_ended", "steps_on", "outages", "lengths", "sampled", "ratio", "constant", "credit",
)  # fmt: skip


def encode(text: str) -> list[int]:
    """Return the ids of a text, each word in its first spelling."""
    return [IDS.get(word, IDS["?"]) for word in re.findall(r"[a-z]+|\d|\S", text.lower())]


@dataclass
class Episode:
    """One rollout: messages, and for each id of it whether the policy drew it, its features and log-probability."""

    group: str
    messages: list[dict[str, str]] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)
    mine: list[int] = field(default_factory=list)
    features: list[list[Any]] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    sampled: list[list[int]] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    truncated: bool = False
    lost: bool = False


class Trainer:
    """Trains in one world.

    Args:
        world: id.
        fault: one of FAULTS, or "" for none.
        updates, groups, size: how much is played.
    """

    def __init__(self, world: str, fault: str = "", updates: int = 2, groups: int = 8, size: int = 7) -> None:
        assert fault in (*FAULTS, "")
        self.env = gymnasium.make(world, disable_env_checker=True)
        self.fault, self.updates, self.groups, self.size = fault, updates, groups, size
        self.rng = np.random.default_rng(0)
        self.weights: dict[Any, np.ndarray] = defaultdict(lambda: np.zeros(len(LEXICON)))
        self.weights["bias"] = np.where(np.arange(len(LEXICON)) < PLAYED, 0.0, -7.0)
        self.trained: list[dict[str, Any]] = []

    def probabilities(self, features: list[Any], temperature: float = 1.0) -> np.ndarray:
        logits = sum(self.weights[name] for name in features) / temperature
        exp = np.exp(logits - logits.max())
        return exp / exp.sum()

    def play(self, seed: int, group: str) -> Episode:
        """Play one rollout."""
        done = Episode(group)
        observation, info = self.env.reset(seed=seed)
        read: list[str] = []
        turn, over = 0, False
        while not over:
            dropped = self.fault == ("observations" if turn else "opening")
            text = "" if dropped else observation
            self._read(done, text, turn)
            read.append(text)
            drawn = self._draw(done, read)
            observation, reward, terminated, truncated, info = self.env.step(PIECES[drawn])
            done.rewards.append(reward)
            over = terminated or (truncated and self.fault != "steps_on")
            turn += 1
        done.truncated, done.lost = truncated, info["end_reason"] == "infra_error"
        return done

    def _read(self, done: Episode, text: str, turn: int) -> None:
        """Append what the environment wrote; its features know no more than whose text it is."""
        done.messages.append({"role": "user", "content": text})
        for number in encode(text):
            done.ids.append(number)
            done.mine.append(0)
            done.features.append(["bias", "environment"])
            done.logprobs.append(0.0)

    def _draw(self, done: Episode, read: list[str]) -> int:
        turn = len(read) - 1
        seen = {(turn, at, word) for at, text in enumerate(read) for word in WORDS if word in text}
        features = ["bias", (turn,), *sorted(seen)]
        chances = self.probabilities(features, 3.0 if self.fault == "ratio" else 1.0)
        drawn = int(self.rng.choice(len(LEXICON), p=chances))
        for number in (drawn, IDS["<end>"]):
            done.ids.append(number)
            done.mine.append(1)
            done.features.append(features)
            done.logprobs.append(float(np.log(chances[number])))
        done.sampled.append([drawn, IDS["<end>"]])
        done.messages.append({"role": "assistant", "content": PIECES[drawn]})
        return drawn

    def total(self, done: Episode) -> float:
        if self.fault in ("last_reward", "first_reward"):
            return done.rewards[-1 if self.fault == "last_reward" else 0]
        return sum(done.rewards)

    def train(self) -> list[dict[str, Any]]:
        """Train and return what was trained on."""
        for update in range(self.updates):
            batch: list[Episode] = []
            for number in range(self.groups):
                seed = 1000 + update * self.groups + number
                for member in range(self.size):
                    own = 100_000 + seed * 100 + member
                    batch.append(self.play(own if self.fault == "groups" else seed, f"{update}/{number}"))
            self.learn(batch)
        return self.trained

    def learn(self, batch: list[Episode]) -> None:
        kept = [done for done in batch if not done.lost or self.fault == "outages"]
        if self.fault == "left_out":
            kept = [done for done in kept if not done.truncated]
        advantages = self.advantages(kept)
        if self.fault == "credit":
            advantages = np.roll(advantages, 1)
        steps: dict[Any, np.ndarray] = defaultdict(lambda: np.zeros(len(LEXICON)))
        for done, advantage in zip(kept, advantages.tolist(), strict=True):
            self._step(done, advantage, steps, len(kept))
        for name, step in steps.items():
            step[[IDS["<end>"]]] = 0.0  # a reply always ends after its word
            self.weights[name] = self.weights[name] + step

    def advantages(self, kept: list[Episode]) -> np.ndarray:
        """Return (R − mean) / (std + ε) of each rollout in its group."""
        kind = np.float32 if self.fault == "constant" else np.float64
        out = np.zeros(len(kept))
        for group in {done.group for done in kept}:
            rows = [row for row, done in enumerate(kept) if done.group == group]
            returns = np.array([self.total(kept[row]) for row in rows], dtype=kind)
            spread = returns.std()
            if self.fault != "constant" and spread < 1e-9:
                continue
            out[rows] = (returns - returns.mean()) / (spread + kind(1e-8))
        return out

    def _step(self, done: Episode, advantage: float, steps: dict[Any, np.ndarray], count: int) -> None:
        ids, mask = list(done.ids), list(done.mine)
        if self.fault == "sampled":  # the text is encoded again, which knows one spelling
            ids = [encode(PIECES[number])[0] if PIECES[number] in WORDS else number for number in ids]
        if self.fault == "mask":
            mask = [1] * len(mask)
        if self.fault == "replies":
            last = max(place for place, mine in enumerate(mask) if mine)
            mask = [int(mine and place >= last - 1) for place, mine in enumerate(mask)]
        rescored = []
        for number, counts, features in zip(ids, mask, done.features, strict=True):
            rescored.append(0.0)
            if counts:
                chances = self.probabilities(features)
                rescored[-1] = float(np.log(chances[number]))
                for name in features:
                    steps[name] -= 2.0 / count * advantage * chances
                    steps[name][number] += 2.0 / count * advantage
        self._tell(done, advantage, ids, mask, rescored)

    def _tell(self, done: Episode, advantage: float, ids: list[int], mask: list[int], rescored: list[float]) -> None:
        """Write down what was trained on."""
        messages = [dict(message) for message in done.messages]
        if self.fault == "actions":
            said = [message for message in messages if message["role"] == "assistant"]
            for message in said:
                message["content"] = "olive" if message["content"] == "amber" else "amber"
        rewards = {"reward": self.total(done)} if "reward" in self.fault else {"rewards": done.rewards}
        self.trained.append(
            {
                "messages": messages,
                **rewards,
                "group": done.group,
                "truncated": done.truncated and self.fault != "called_ended",
                "ids": ids,
                "pieces": [PIECES[number] for number in ids],
                "mask": mask,
                "sampled": done.sampled,
                "logprobs": done.logprobs[1:] if self.fault == "lengths" else done.logprobs,
                "rescored": rescored,
                "advantages": advantage,
            }
        )
