"""The trainer of docs/trl.md under the canaries: what TRL's own tensors hold when it trains. Needs trl==1.16.0."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

from agentgym import canary
from tests.docs_code import blocks
from tests.layering import ROOT

REASON = "the example on docs/trl.md needs trl: pip install trl==1.16.0"
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # other people's, at their import
    torch = pytest.importorskip("torch", reason=REASON)
    pytest.importorskip("trl", reason=REASON)

pytestmark = pytest.mark.filterwarnings("ignore")  # TRL and transformers deprecate each other's names

(BLOCK,) = blocks((ROOT / "docs" / "trl.md").read_text("utf-8"))
SIZES = {"warm_episodes": 64, "warm_epochs": 8, "max_new_tokens": 4, "context": 256}


def code(world: str) -> str:
    """Return the page's code with a canary world in the place of BabyAI, and one step in the place of two."""
    changed = BLOCK.code
    for before, after in (
        ('"agentgym/BabyAI-v0", env_kwargs=world, estimator="gigpo"', f'{world!r}, estimator="grpo"'),
        ("**sizes)", "**{**sizes, **SIZES})"),
        ("max_steps=2, per_device_train_batch_size=32", "max_steps=1, per_device_train_batch_size=64"),
        ("trainer.train()\n", ""),
    ):
        assert changed.count(before) == 1, before
        changed = changed.replace(before, after)
    return changed


def train(world: str, spoil: Any = None) -> list[dict[str, Any]]:
    """Run the page in a canary world and return what TRL trained on, read from the tensors of its loss."""
    names: dict[str, Any] = {"SIZES": SIZES}
    kept: list[Any] = []
    torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(code(world), "trl.md", "exec"), names)
        trainer, play = names["trainer"], names["play"]
        played: list[Any] = []
        names["play"] = lambda *given, **more: played.append(play(*given, **more)) or played[-1]
        right = trainer._generate_and_score_completions

        def scored(inputs: Any) -> Any:
            kept.append(right(inputs))
            if spoil is not None:
                spoil(kept[-1])
            ids = torch.cat([kept[-1]["prompt_ids"], kept[-1]["completion_ids"]], 1)
            there = torch.cat([kept[-1]["prompt_mask"], kept[-1]["completion_mask"]], 1)
            width = kept[-1]["completion_ids"].shape[1]
            with torch.no_grad():
                kept[-1]["rescored"] = trainer._get_per_token_logps_and_entropies(trainer.model, ids, there, width)[0]
            return kept[-1]

        trainer._generate_and_score_completions = scored
        trainer.train()
    return [one for batch, found in zip(kept, played, strict=True) for one in told(batch, found, names["parts"].tokens)]


def told(inputs: Any, played: Any, tokens: Any) -> list[dict[str, Any]]:
    """Return what `canary.judge` takes of TRL's tensors; rewards and groups are those that the credit was made of."""
    batch, out = played.batch, []
    order, rows = batch.order.tolist(), {}
    for begin, count in zip(batch.starts.tolist(), batch.lengths.tolist(), strict=True):
        turns = order[begin : begin + count]
        rows[batch.trajectory[turns[0]]] = turns
    for place, (name, script) in enumerate(played.transcripts.items()):
        turns = rows[name]
        messages, read = [], 0
        for first, end in script.spans:
            messages.append({"role": "user", "content": tokens.decode(script.ids[read:first])})
            messages.append({"role": "assistant", "content": tokens.decode(script.ids[first:end])})
            read = end
        prompt = inputs["prompt_ids"][place][inputs["prompt_mask"][place].bool()].tolist()
        there = inputs["completion_mask"][place].bool()
        ids = prompt + inputs["completion_ids"][place][there].tolist()
        zeros = [0.0] * len(prompt)

        def column(name: str, zeros: Any = zeros, place: int = place, there: Any = there) -> Any:
            return zeros + inputs[name][place][there].tolist()

        out.append(
            {
                "messages": messages,
                "rewards": [float(batch.turn_reward[row] + batch.outcome_reward[row]) for row in turns],
                "group": batch.group[turns[0]], "truncated": bool(batch.truncated[turns[-1]]),
                "ids": ids, "pieces": [tokens.decode([number]) for number in ids], "mask": column("tool_mask"),
                "sampled": [batch.token_ids[row].tolist() for row in turns],
                "logprobs": column("sampling_per_token_logps"), "rescored": column("rescored"),
                "advantages": column("advantages"),
            }
        )  # fmt: skip
    return out


@pytest.mark.parametrize("world", ["Hint", "Middle", "Wages", "Echo", "Shift"])
def test_the_example_drops_nothing(world: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # TRL makes a folder
    report = canary.run(train, worlds=[world], lessons=False)
    print(report)
    assert report.dropped == [], str(report)
    kept = {line.check for line in report.lines if line.source == "record" and line.status == "kept"}
    assert kept >= {
        "opening",
        "observations",
        "actions",
        "rewards",
        "groups",
        "lengths",
        "mask",
        "replies",
        "sampled",
        "ratio",
    }


def test_a_mask_of_ones_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without `env_mask` TRL trains on the world's texts."""
    monkeypatch.chdir(tmp_path)

    def spoil(inputs: Any) -> None:
        inputs["tool_mask"] = torch.ones_like(inputs["tool_mask"])

    report = canary.run(lambda world: train(world, spoil), worlds=["Echo"], lessons=False)
    assert report.dropped == ["mask"], str(report)
