"""docs/trl.md, run where trl is installed: what TRL trains on is what was sampled, with our credit, and nothing else.

Needs trl==1.16.0 beside the extra `train`; with -s it prints the figures that the page shows.
"""

import json
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.docs_code import blocks
from tests.layering import ROOT

REASON = "the example on docs/trl.md needs trl: pip install trl==1.16.0"
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # other people's, at their import
    torch = pytest.importorskip("torch", reason=REASON)
    pytest.importorskip("trl", reason=REASON)

pytestmark = pytest.mark.filterwarnings("ignore")  # TRL and transformers deprecate each other's names

(BLOCK,) = blocks((ROOT / "docs" / "trl.md").read_text("utf-8"))
SHOWN = ("loss", "grad_norm", "reward", "frac_reward_zero_std", "entropy", "completions/mean_length")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """Run the page's code; return its names, the weights before, and the prompts and rollouts of each step."""
    names: dict[str, Any] = {}
    seen = SimpleNamespace(names=names, prompts=[], played=[], before={})
    code = BLOCK.code.replace("trainer.train()\n", "")
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")
        torch.set_num_threads(1)
        patch.chdir(tmp_path_factory.mktemp("trl"))  # TRL makes a folder
        exec(compile(code, "trl.md", "exec"), names)
        record(names, seen)
        seen.before = {name: value.clone() for name, value in names["trainer"].model.named_parameters()}
        names["trainer"].train()
        seen.after = {name: value.detach().clone() for name, value in names["trainer"].model.named_parameters()}
        for step in names["trainer"].state.log_history[:2]:
            print(json.dumps({"step": step["step"], **{name: round(step[name], 4) for name in SHOWN}}))
        seen.trained = len(seen.played)
        names["trainer"].model.train()
        chosen = [{"prompt": name} for name in list(names["tasks"])[:4] for _ in range(8)]
        seen.inputs = names["trainer"]._generate_and_score_completions(chosen)
    return seen


def record(names: dict[str, Any], seen: SimpleNamespace) -> None:
    """Keep what passes between TRL, the page and our rollouts, unchanged."""
    play, rollout = names["play"], names["trainer"].rollout_func

    def played(*args: Any, **more: Any) -> Any:
        seen.played.append(play(*args, **more))
        return seen.played[-1]

    def asked(prompts: list[str], trainer: Any) -> Any:
        seen.prompts.append(list(prompts))
        return rollout(prompts, trainer)

    names["play"], names["trainer"].rollout_func = played, asked


def ours(page: SimpleNamespace) -> Any:
    """Return the rows of the last rollouts as our own trainer makes them, in the order of TRL's rows."""
    from agentgym.baselines.grpo.data import sequences

    played = page.played[-1]
    credit = page.names["parts"].estimator(played.batch)
    rows = sequences(played.batch, credit, played.transcripts, all_live=True)
    order = [next(k for k, ids in enumerate(rows.ids) if ids is script.ids) for script in played.transcripts.values()]
    columns = ("ids", "old", "advantage", "mask", "live")
    return type(rows)(*([getattr(rows, column)[row] for row in order] for column in columns))


def objective(page: SimpleNamespace, **changes: Any) -> Any:
    """Return TRL's loss of the last rollouts with some inputs changed."""
    return page.names["trainer"].compute_loss(page.names["trainer"].model, {**page.inputs, **changes})


def trained(inputs: dict[str, Any]) -> Any:
    """Return the mask [rollouts, tokens] that TRL multiplies its loss by."""
    return (inputs["completion_mask"] * inputs["tool_mask"]).bool()


def test_the_example_is_short() -> None:
    assert len(BLOCK.code.splitlines()) <= 60
    assert max(map(len, BLOCK.code.splitlines())) <= 120


def test_two_steps_were_taken_and_moved_the_model(page: SimpleNamespace) -> None:
    assert page.names["trainer"].state.global_step == page.trained == 2
    steps = page.names["trainer"].state.log_history[:2]
    assert all(np.isfinite(step["loss"]) and step["grad_norm"] > 0.0 for step in steps)
    assert all(not torch.equal(page.before[name], value) for name, value in page.after.items())


def test_a_group_is_one_task_and_one_start(page: SimpleNamespace) -> None:
    """TRL repeats a prompt 8 times side by side; the rollouts of a group start in one state and are not all equal."""
    for prompts, played in zip(page.prompts, page.played, strict=True):
        assert prompts == [name for name in prompts[::8] for _ in range(8)]
        assert len(set(prompts[::8])) == 4
        batch = played.batch
        first = batch.order[batch.starts]
        starts = {(batch.group[row], batch.state[row], batch.task[row]) for row in first}
        assert len(starts) == 4
        assert [name.split("#")[0] for name in played.transcripts] == prompts
        assert len({tuple(script.ids) for script in played.transcripts.values()}) > 4
    assert page.played[0].batch.seed.tolist() != page.played[1].batch.seed.tolist()


def test_trained_tokens_are_the_sampled_ones(page: SimpleNamespace) -> None:
    """Prompt and completion join to the transcript's ids; the mask picks the record's token_ids, turn after turn."""
    played, inputs, mask = page.played[-1], page.inputs, trained(page.inputs)
    batch = played.batch
    sampled: dict[str, list[int]] = {name: [] for name in played.transcripts}
    for row in batch.order:
        sampled[batch.trajectory[row]] += batch.token_ids[row].tolist()
    for row, (name, script) in enumerate(played.transcripts.items()):
        prompt = inputs["prompt_ids"][row][inputs["prompt_mask"][row].bool()].tolist()
        completion = inputs["completion_ids"][row][inputs["completion_mask"][row].bool()].tolist()
        assert prompt + completion == script.ids
        assert inputs["completion_ids"][row][mask[row]].tolist() == sampled[name]
        assert 0 < len(sampled[name]) < len(completion) or len(script.spans) == 1  # observations are there, masked


def test_every_trained_token_holds_the_credit_of_its_turn(page: SimpleNamespace) -> None:
    played, advantages = page.played[-1], page.inputs["advantages"]
    total = page.names["parts"].estimator(played.batch).total
    keys = zip(played.batch.trajectory, played.batch.turn.tolist(), strict=True)
    turn = dict(zip(keys, total.tolist(), strict=True))
    for row, (name, script) in enumerate(played.transcripts.items()):
        expected = np.zeros(advantages.shape[1])
        for number, (begin, end) in enumerate(script.spans):
            expected[begin - script.opening : end - script.opening] = turn[name, number]
        assert advantages[row].numpy() == pytest.approx(expected, abs=1e-6)
    several = [len(set(row[row != 0].tolist())) > 1 for row in advantages]
    assert any(several)  # turns of one rollout differ, which one number a completion cannot say


def test_loss_and_gradient_are_those_of_our_trainer(page: SimpleNamespace) -> None:
    """TRL's default loss is −Σ A·r over sampled tokens by their number: our token_mean, at r = 1."""
    from agentgym.baselines.grpo import data, loss
    from agentgym.baselines.grpo.engine import forward

    rows, model, config = ours(page), page.names["trainer"].model, page.names["config"]
    mask, live = data.masks(rows, range(len(rows)))
    part = data.micro(rows, range(len(rows)), loss.token_weights(mask, live, "token_mean"), 0, "cpu")
    logp, _ = loss.token_logprobs(forward(model, config, part.ids, part.present), part.ids, config.temperature)
    value, _ = loss.loss(logp, logp.detach(), part.advantage, part.weights, clip_low=0.2, clip_high=0.2)
    model.zero_grad()
    value.backward()
    mine = {name: weight.grad.clone() for name, weight in model.named_parameters()}
    model.zero_grad()
    other = objective(page)
    other.backward()
    assert float(other.detach()) == pytest.approx(float(value.detach()), abs=1e-6)
    assert max(float(grad.abs().max()) for grad in mine.values()) > 1e-3
    for name, weight in model.named_parameters():
        assert weight.grad.numpy() == pytest.approx(mine[name].numpy(), abs=1e-5), name


def test_the_loss_reads_no_observation_token(page: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the chain rule: the derivative by the log-probability of a token is −A/N where it was sampled, else 0."""
    trainer, mask = page.names["trainer"], trained(page.inputs)
    leaf = torch.randn(mask.shape, generator=torch.Generator().manual_seed(0), requires_grad=True)
    found = (leaf, torch.zeros(mask.shape), None)
    monkeypatch.setattr(trainer, "_get_per_token_logps_and_entropies", lambda *_, **__: found)
    objective(page).backward()
    expected = torch.where(mask, -page.inputs["advantages"] / mask.sum(), 0.0)
    assert (~mask & page.inputs["completion_mask"].bool()).sum() > 100
    assert leaf.grad.numpy() == pytest.approx(expected.numpy(), abs=1e-8)


def test_changing_an_observation_token_changes_nothing(page: SimpleNamespace) -> None:
    """One more observation after every rollout, which no later token reads: whatever it says, the loss is the same."""
    inputs, rows = page.inputs, len(page.inputs["completion_ids"])
    lengths = inputs["completion_mask"].sum(1)
    plain = float(objective(page).detach())
    assert plain != 0.0

    def longer(number: int, masked: int) -> float:
        more = {
            name: torch.cat([inputs[name], torch.zeros_like(inputs[name][:, :1])], 1)
            for name in ("completion_ids", "completion_mask", "tool_mask", "advantages")
        }
        at = torch.arange(rows), lengths
        more["completion_ids"][at], more["completion_mask"][at], more["advantages"][at] = number, 1, 5.0
        more["tool_mask"][at] = masked
        return float(objective(page, **more).detach())

    assert longer(7, 0) == longer(20, 0) == pytest.approx(plain, abs=1e-6)
    assert abs(longer(7, 1) - plain) > 0.1  # the mask is what keeps it out


def test_trl_scores_the_sampled_tokens_as_the_sampler_did(page: SimpleNamespace) -> None:
    trainer, inputs, mask = page.names["trainer"], page.inputs, trained(page.inputs)
    ids = torch.cat([inputs["prompt_ids"], inputs["completion_ids"]], 1)
    present = torch.cat([inputs["prompt_mask"], inputs["completion_mask"]], 1)
    with torch.no_grad():
        logp = trainer._get_per_token_logps_and_entropies(trainer.model, ids, present, mask.shape[1])[0]
    assert (logp - inputs["sampling_per_token_logps"])[mask].abs().max() < 1e-4


def chat_model(folder: Path) -> None:
    """Save a random model of bytes with a chat template."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE({letter: number for number, letter in enumerate(letters)}, []))
    made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=made, eos_token="<end>", additional_special_tokens=["<go>"])
    fast.chat_template = (
        "{% for m in messages %}<go>{{ m['role'] }}:{{ m['content'] }}<end>{% endfor %}"
        "{% if add_generation_prompt %}<go>assistant:{% endif %}"
    )
    fast.save_pretrained(folder)
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    shape = LlamaConfig(vocab_size=len(fast), max_position_embeddings=2048, eos_token_id=fast.eos_token_id, **sizes)
    LlamaForCausalLM(shape).save_pretrained(folder)


def test_another_model_needs_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A chat model from a folder, without a warm start; the trained tokens are the sampled ones here too."""
    monkeypatch.chdir(tmp_path)
    chat_model(tmp_path / "model")
    shorter = BLOCK.code.replace(
        "max_steps=2, per_device_train_batch_size=32", "max_steps=1, per_device_train_batch_size=8"
    )
    lines = shorter.replace("**sizes", 'model="model", max_new_tokens=3, context=2000').splitlines()
    dropped = ("imitate(", "ids = {", "words = Tok", "trainer.train()")
    code = "\n".join(line for line in lines if not line.startswith(dropped))
    at = code.index("words = PreTrained")
    code = code[:at] + 'words = AutoTokenizer.from_pretrained("model")' + code[code.index("\n", at) :]
    names: dict[str, Any] = {}
    exec(compile("from transformers import AutoTokenizer\n" + code, "trl.md", "exec"), names)
    seen = SimpleNamespace(prompts=[], played=[])
    record(names, seen)
    names["trainer"].train()
    names["trainer"].model.train()
    chosen = [{"prompt": name} for name in list(names["tasks"])[:1] for _ in range(8)]
    inputs = names["trainer"]._generate_and_score_completions(chosen)
    mask = trained(inputs)
    for row, script in enumerate(seen.played[1].transcripts.values()):
        sampled = [number for begin, end in script.spans for number in script.ids[begin:end]]
        assert inputs["completion_ids"][row][mask[row]].tolist() == sampled
    loss = names["trainer"].compute_loss(names["trainer"].model, {**inputs, "advantages": mask.float()})
    assert float(loss.detach()) == pytest.approx(-1.0, abs=1e-6)  # A = 1 and r = 1 on every trained token


def test_hcapo_needs_one_line_more(page: SimpleNamespace) -> None:
    from agentgym import credit
    from agentgym.baselines.grpo.hindsight import with_hindsight

    played, parts = page.played[-1], page.names["parts"]
    batch = with_hindsight(played, parts.engine, parts.tokens)
    values = credit.estimate("hcapo", batch).to_tokens(batch)
    assert [len(row) for row in values] == played.batch["token_ids"].lengths.tolist()
    assert any(row.any() for row in values)
    page.names["trainer"].model.train()
