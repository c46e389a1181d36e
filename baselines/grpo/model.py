"""The models: a small causal transformer made for a world, or one from a folder or the hub."""

from __future__ import annotations

from typing import Any

import torch

from agentgym.baselines.grpo.columns import HINDSIGHT_ROOM, planned
from agentgym.baselines.grpo.config import Config, TrainError
from agentgym.baselines.grpo.tokens import HubTokens, Tokens


def small(config: Config, size: int) -> Any:
    """Return a Llama of about one million parameters with random weights that follow from the seed.

    Args:
        config: width, layers, heads, context and seed.
        size: number of token ids.
    """
    from transformers import LlamaConfig, LlamaForCausalLM

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        shape = LlamaConfig(
            vocab_size=size,
            hidden_size=config.width,
            intermediate_size=-(-config.width * 14 // 40) * 8,  # matrix units want multiples of 8
            num_hidden_layers=config.layers,
            num_attention_heads=config.heads,
            num_key_value_heads=config.heads,
            max_position_embeddings=config.context + HINDSIGHT_ROOM,
            tie_word_embeddings=True,
            bos_token_id=None,
            eos_token_id=None,
        )
        return placed(LlamaForCausalLM(shape), config)


def pretrained(config: Config) -> tuple[Any, Tokens]:
    """Return model and tokenizer of `config.model`.

    Raises:
        TrainError: there is no such model, or its context is too short. ValueError: no chat template.
    """
    from transformers import AutoModelForCausalLM, AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(config.model)
        model = AutoModelForCausalLM.from_pretrained(config.model, dtype=torch.float32)
    except (OSError, ValueError) as error:
        first = str(error).splitlines()[0]
        raise TrainError(f"cannot load the model {config.model!r}: {first}; give a folder or a hub name") from error
    longest = getattr(model.config, "max_position_embeddings", None)
    room = max((maker.room for maker in planned(config).makers), default=0)
    if longest is not None and longest < config.context + room:
        what = f"context from {config.context}" + (f" ({room} more are for the hindsight note)" if room else "")
        raise TrainError(f"{config.model!r} takes {longest} positions: lower {what}")
    return placed(model, config), HubTokens(tokenizer, config.model)


def placed(model: Any, config: Config) -> Any:
    """Return the model on its device, without cuDNN's attention.

    That one makes a plan, some 30 ms, for every new length of the keys, and here every step of sampling has one. Newer
    cards prefer it where nobody says otherwise.
    """
    if config.device == "cuda":
        torch.backends.cuda.enable_cudnn_sdp(False)
    return model.to(config.device)


def check_device(config: Config) -> None:
    """Refuse a device that is not there. Raises TrainError."""
    if config.device == "cuda" and not torch.cuda.is_available():
        raise TrainError(
            "device 'cuda' (preset gpu) needs a GPU and torch sees none: use --preset cpu, or --config device=cpu to "
            "try the run at a small size"
        )


def precision(config: Config) -> Any:
    """Return the context in which forward passes run: bfloat16 products, or nothing."""
    wanted = config.dtype == "bfloat16"
    return torch.autocast(config.device, dtype=torch.bfloat16, enabled=wanted)
