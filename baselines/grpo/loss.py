"""The loss, equation by equation: pure functions of tensors of shape [rollouts, tokens].

Position t of a rollout holds what belongs to its t-th id: log π(id_t | ids before t), the advantage of the turn that
sampled it, and a mask that is 1 where the policy sampled the id and 0 where the world or the template wrote it.
"""

from __future__ import annotations

import torch

Tensor = torch.Tensor


def token_logprobs(logits: Tensor, ids: Tensor, temperature: float) -> tuple[Tensor, Tensor]:
    """Return log π(id_t | ids before t) and the entropy of that distribution; both 0 at t = 0. float32.

    Args:
        logits: [rollouts, tokens, size]; position t speaks of t + 1.
        ids: [rollouts, tokens].
        temperature: that of sampling; without it the ratio to the sampler's log-probabilities would not be 1.
    """
    logp = torch.log_softmax(logits[:, :-1].float() / temperature, -1)
    taken = logp.gather(-1, ids[:, 1:, None])[..., 0]
    with torch.no_grad():
        entropy = -(logp.exp() * logp).sum(-1)
    first = torch.zeros_like(taken[:, :1])
    return torch.cat([first, taken], 1), torch.cat([first.detach(), entropy], 1)


def surrogate(
    logp: Tensor, old: Tensor, advantage: Tensor, clip_low: float, clip_high: float, dual_clip: float = 0.0
) -> tuple[Tensor, Tensor]:
    """Return min(r·A, clip(r, 1 − low, 1 + high)·A) of every token, r = exp(logp − old), and which were cut.

    Where A < 0 and `dual_clip` c > 0 the objective is max(that, c·A) (Ye et al. 2020, arXiv 1912.09729). The second
    value is True where the objective's gradient is 0 by a clip.
    """
    ratio = torch.exp(logp - old)
    plain, clipped = ratio * advantage, ratio.clamp(1.0 - clip_low, 1.0 + clip_high) * advantage
    objective = torch.minimum(plain, clipped)
    cut = clipped < plain
    if dual_clip:
        bound = dual_clip * advantage
        worse = (advantage < 0) & (objective < bound)
        objective = torch.where(worse, bound, objective)
        cut = cut | worse
    return objective, cut


def k3(logp: Tensor, ref: Tensor) -> Tensor:
    """Return exp(ref − logp) − (ref − logp) − 1 ≥ 0, whose mean under π estimates KL(π ‖ reference)."""
    gap = ref - logp
    return torch.exp(gap) - gap - 1.0


def surgical(better: Tensor, worse: Tensor, ref_better: Tensor, ref_worse: Tensor, beta: float = 0.1) -> Tensor:
    """Return −log σ(β·[(better − worse) − (ref_better − ref_worse)]) of log-probabilities of whole replies.

    `agentgym.credit.surgical_loss` is the same on arrays; it says more.
    """
    return -torch.nn.functional.logsigmoid(beta * ((better - worse) - (ref_better - ref_worse)))


def target_kl(logp: Tensor, target: Tensor) -> Tensor:
    """Return KL(q ‖ π), the mean over turns, whose minimum over π is the update of RICOL (arXiv 2602.17497).

    Args:
        logp: [turns, entries], log-probabilities of whole menu entries up to a constant a turn; -inf beyond a menu.
        target: [turns, entries], q, as `agentgym.credit.ricol_target` makes it; 0 beyond a menu.
    """
    there = target > 0
    gap = torch.where(there, target, 1.0).log() - torch.where(there, torch.log_softmax(logp, -1), 0.0)
    return (target * gap).sum(-1).mean()


def token_weights(mask: Tensor, live: Tensor, aggregation: str, constant_length: int = 1) -> Tensor:
    """Return the weight of every token in the loss; micro-batches that share them add up to the whole batch.

    Args:
        mask: [rollouts, tokens], 1 where the policy sampled.
        live: [rollouts], False for a rollout that must not count, such as one whose credit is 0 on every token.
        aggregation: "token_mean": 1 over the number of tokens of live rollouts; "sequence_mean": 1 over the number of
            live rollouts times the tokens of the rollout; "constant": 1 over the number of all rollouts times
            `constant_length`, whatever is live (Dr. GRPO).
        constant_length: of the last.
    """
    counted = mask * live[:, None]
    tokens = counted.sum(1)
    if aggregation == "token_mean":
        return counted / tokens.sum().clamp(min=1.0)
    if aggregation == "sequence_mean":
        return counted / (tokens.clamp(min=1.0)[:, None] * (tokens > 0).sum().clamp(min=1.0))
    return counted / (len(mask) * constant_length)


def loss(
    logp: Tensor,
    old: Tensor,
    advantage: Tensor,
    weights: Tensor,
    *,
    clip_low: float,
    clip_high: float,
    dual_clip: float = 0.0,
    kl: float = 0.0,
    ref: Tensor | None = None,
    own: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Return −Σ_t w_t·(objective_t − kl·k3_t + own_t·log π_t) and the mask of clipped tokens.

    Positions of weight 0 are taken out before anything is computed of them, so that a padded position whose numbers
    overflow cannot turn the sum into NaN.
    """
    counts = weights > 0
    logp, old = torch.where(counts, logp, 0.0), torch.where(counts, old, 0.0)
    value, cut = surrogate(logp, old, torch.where(counts, advantage, 0.0), clip_low, clip_high, dual_clip)
    if kl and ref is not None:
        value = value - kl * k3(logp, torch.where(counts, ref, 0.0))
    if own is not None:
        value = value + own * logp
    return -(weights * value).sum(), cut & counts
