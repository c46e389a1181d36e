"""A model from a folder with a chat template: rendered by deltas, refused where the template does not allow it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import grpo_world
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the trainer needs torch: pip install 'agentgym-suite[train]'")

from tokenizers import Tokenizer, models, pre_tokenizers  # noqa: E402
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast  # noqa: E402

from agentgym import credit  # noqa: E402
from agentgym.baselines.grpo import data  # noqa: E402
from agentgym.baselines.grpo.config import TrainError  # noqa: E402
from agentgym.baselines.grpo.prepare import prepare  # noqa: E402
from agentgym.baselines.grpo.tokens import HubTokens  # noqa: E402
from agentgym.baselines.grpo.train import Trainer  # noqa: E402

CHATML = (
    "{% for m in messages %}<|start|>{{ m['role'] }}\n{{ m['content'] }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|start|>assistant\n{% endif %}"
)
REWRITING = "{{ messages | length }}" + CHATML
THINKING = CHATML.replace("{{ m['content'] }}", "{{ m['content'] if loop.last or m['role'] != 'assistant' else 'x' }}")
OTHER_END = CHATML.replace("<|end|>", "<|stop|>")


def tokenizer(template: str | None = CHATML, eos: str | None = "<|end|>") -> Any:
    """Return a byte-level tokenizer without merges: every byte one token."""
    letters = pre_tokenizers.ByteLevel.alphabet()
    made = Tokenizer(models.BPE({letter: number for number, letter in enumerate(sorted(letters))}, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    from tokenizers import decoders

    made.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=made, eos_token=eos, additional_special_tokens=["<|start|>"])
    fast.chat_template = template
    return fast


def saved(folder: Path, **shape: int) -> str:
    fast = tokenizer()
    fast.save_pretrained(folder)
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = LlamaConfig(vocab_size=len(fast), **{"max_position_embeddings": 512, **sizes, **shape})
    LlamaForCausalLM(config).save_pretrained(folder)
    return str(folder)


def test_the_deltas_join_to_what_the_template_writes_of_the_whole() -> None:
    tokens, fast = HubTokens(tokenizer(), "m"), tokenizer()
    first, news = {"role": "user", "content": "go"}, {"role": "user", "content": "a wall"}
    ids = [*tokens.opening([first]), *tokens.encode("on"), tokens.end]
    ids += tokens.following([{"role": "assistant", "content": "on"}, news], True)
    whole = [first, {"role": "assistant", "content": "on"}, news]
    text = fast.apply_chat_template(whole, tokenize=False, add_generation_prompt=True)
    assert fast.decode(ids) == text
    assert ids == fast(text, add_special_tokens=False)["input_ids"]


def test_a_reply_that_was_cut_gets_its_end_from_the_template() -> None:
    tokens = HubTokens(tokenizer(), "m")
    news = [{"role": "user", "content": "a wall"}]
    assert tokens.following(news, False) == [tokens.end, *tokens.following(news, True)]


def test_a_reply_is_read_without_its_markers() -> None:
    tokens = HubTokens(tokenizer(), "m")
    assert tokens.decode([*tokens.encode("go on é"), tokens.end]) == "go on é"


@pytest.mark.parametrize(
    "template, eos, said",
    [
        (None, "<|end|>", "the tokenizer of 'm' has no chat template: give a chat model, or set"),
        (CHATML, None, "has no eos_token, with which a reply ends"),
        (REWRITING, "<|end|>", "changes what stands before a message when another follows"),
        (THINKING, "<|end|>", "changes what stands before a message when another follows"),
        (OTHER_END, "<|end|>", "closes a reply with '<|stop|>\\n<|start|>us', not with the eos_token '<|end|>'"),
    ],
)
def test_a_template_that_cannot_be_appended_to_is_refused(template: str | None, eos: str | None, said: str) -> None:
    with pytest.raises(ValueError) as refused:
        HubTokens(tokenizer(template, eos), "m")
    assert said in str(refused.value)


def test_a_model_from_a_folder_trains(tmp_path: Path) -> None:
    config = grpo_world.config(model=saved(tmp_path / "m"), context=256, system=True)
    trainer = Trainer(prepare(config), config, tmp_path / "run")
    record = trainer.update()
    assert record["update"] == 1
    assert record.get("drift_most", 0.0) < 1e-4


def test_a_teacher_from_a_folder_reads_the_same_tokens_or_is_refused(tmp_path: Path) -> None:
    mine, theirs = saved(tmp_path / "m"), saved(tmp_path / "t")
    config = grpo_world.config(model=mine, context=256, system=True, estimator="scope", teacher=theirs)
    parts = prepare(config)
    batch = parts.columns(Trainer(parts, config, tmp_path / "run").play())
    assert batch.teacher_logprobs.flat.max() <= 0.0
    with pytest.raises(TrainError, match="has another tokenizer than the model: give one with the same vocabulary"):
        prepare(grpo_world.config(context=256, estimator="scope", teacher=theirs))


def test_a_model_that_is_not_there_or_too_short_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TrainError, match=r"cannot load the model '.*nowhere'"):
        prepare(grpo_world.config(model=str(tmp_path / "nowhere")))
    short = saved(tmp_path / "m", max_position_embeddings=64)
    with pytest.raises(TrainError, match="takes 64 positions: lower context from 96"):
        prepare(grpo_world.config(model=short))
    with pytest.raises(TrainError, match=r"lower context from 64 \(64 more are for the hindsight note\)"):
        prepare(grpo_world.config(model=short, context=64, estimator="hcapo"))


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_the_gpu_preset_without_a_gpu_is_refused() -> None:
    with pytest.raises(TrainError, match="needs a GPU and torch sees none: use --preset cpu"):
        prepare(grpo_world.config(device="cuda"))


def test_dropout_of_a_model_is_off_so_the_ratio_starts_at_one_and_runs_repeat(tmp_path: Path) -> None:
    """GPT-2 has dropout of 0.1 unless told otherwise: in training mode |ratio − 1| was 0.1 and no run repeated."""
    from transformers import GPT2Config, GPT2LMHeadModel

    fast = tokenizer()
    fast.save_pretrained(tmp_path / "m")
    shape = GPT2Config(
        vocab_size=len(fast), n_embd=16, n_layer=1, n_head=2, n_positions=512, bos_token_id=0, eos_token_id=0
    )
    GPT2LMHeadModel(shape).save_pretrained(tmp_path / "m")
    assert shape.resid_pdrop == 0.1

    def learned(name: str) -> dict[str, Any]:
        begun = grpo_world.trainer(tmp_path / name, model=str(tmp_path / "m"), context=300, max_new_tokens=8)
        played = begun.play()
        made = credit.estimate(lambda b: np.where(np.arange(len(b)) % 2, 1.0, -0.5), played.batch)
        return begun.learn(data.sequences(played.batch, made, played.transcripts))

    one = learned("a")
    assert one["drift_most"] < 1e-4
    assert learned("b") == one
