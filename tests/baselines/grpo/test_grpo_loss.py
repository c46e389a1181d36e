"""The loss against a slow float64 twin and against numbers derived by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the trainer needs torch: pip install 'agentgym-suite[train]'")

from agentgym.baselines.grpo import loss  # noqa: E402
from agentgym.baselines.policies import LogLinearPolicy  # noqa: E402
from agentgym.batch import TurnBatch  # noqa: E402
from agentgym.rng import TurnRng  # noqa: E402
from agentgym.rollout import View  # noqa: E402

E = math.e


def tensor(values: object) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float32)


def logs(ratios: list[float]) -> torch.Tensor:
    """Return [1, n] log-probabilities whose ratios to old log-probabilities of 0 are these."""
    return tensor([[math.log(value) for value in ratios]])


def twin(logp, old, advantage, mask, live, aggregation, length, low, high, dual, kl, ref):  # type: ignore[no-untyped-def]
    """Return the loss by loops in float64, straight from the equations."""
    rows = range(len(mask))
    tokens = [sum(mask[i]) * live[i] for i in rows]
    total = 0.0
    for i in rows:
        for t in range(len(mask[i])):
            if not (mask[i][t] and live[i]):
                continue
            ratio = math.exp(logp[i][t] - old[i][t])
            a = advantage[i][t]
            value = min(ratio * a, min(max(ratio, 1 - low), 1 + high) * a)
            if dual and a < 0:
                value = max(value, dual * a)
            gap = ref[i][t] - logp[i][t]
            value -= kl * (math.exp(gap) - gap - 1)
            if aggregation == "token_mean":
                weight = 1 / sum(tokens)
            elif aggregation == "sequence_mean":
                weight = 1 / (tokens[i] * sum(1 for n in tokens if n))
            else:
                weight = 1 / (len(mask) * length)
            total += weight * value
    return -total


@pytest.mark.parametrize("aggregation", ["token_mean", "sequence_mean", "constant"])
@pytest.mark.parametrize("dual, kl", [(0.0, 0.0), (1.5, 0.1)])
def test_it_agrees_with_the_float64_twin(aggregation: str, dual: float, kl: float) -> None:
    draw = np.random.default_rng(7)
    for _ in range(40):
        rows, longest = int(draw.integers(1, 6)), int(draw.integers(1, 9))
        shape = (rows, longest)
        old = -draw.random(shape) * 3
        logp, ref = old + draw.normal(size=shape) * 0.4, old + draw.normal(size=shape) * 0.4
        advantage, mask = draw.normal(size=shape), (draw.random(shape) < 0.6).astype(float)
        live = draw.random(rows) < 0.8
        if not (mask * live[:, None]).any():
            continue
        weights = loss.token_weights(tensor(mask), torch.tensor(live), aggregation, 11)
        value, _ = loss.loss(
            tensor(logp), tensor(old), tensor(advantage), weights, clip_low=0.2, clip_high=0.3, dual_clip=dual, kl=kl,
            ref=tensor(ref),
        )  # fmt: skip
        expected = twin(logp, old, advantage, mask, live, aggregation, 11, 0.2, 0.3, dual, kl, ref)
        assert float(value) == pytest.approx(expected, abs=1e-5)


def test_the_clip_by_hand() -> None:
    """low 0.2, high 0.2. A = 1: r 0.5 → 0.5; r 1.1 → 1.1; r 1.5 → 1.2, cut. A = −1: r 0.5 → −0.8, cut; 1.5 → −1.5."""
    value, cut = loss.surrogate(logs([0.5, 1.1, 1.5]), torch.zeros(1, 3), torch.ones(1, 3), 0.2, 0.2)
    assert value[0].tolist() == pytest.approx([0.5, 1.1, 1.2])
    assert cut[0].tolist() == [False, False, True]
    value, cut = loss.surrogate(logs([0.5, 1.5]), torch.zeros(1, 2), -torch.ones(1, 2), 0.2, 0.2)
    assert value[0].tolist() == pytest.approx([-0.8, -1.5])
    assert cut[0].tolist() == [True, False]


def test_the_clip_is_asymmetric_where_asked() -> None:
    """high 0.28: r 1.25 is not cut, where 0.2 would cut it to 1.2."""
    value, cut = loss.surrogate(logs([1.25]), torch.zeros(1, 1), torch.ones(1, 1), 0.2, 0.28)
    assert (float(value), bool(cut)) == (pytest.approx(1.25), False)


def test_the_dual_clip_bounds_a_negative_advantage_only() -> None:
    """c = 3, A = −1: r 5 would weigh −5, the bound is −3. A = 1, r 5: 1.2 by the plain clip."""
    value, cut = loss.surrogate(logs([5.0, 5.0]), torch.zeros(1, 2), tensor([[-1.0, 1.0]]), 0.2, 0.2, 3.0)
    assert value[0].tolist() == pytest.approx([-3.0, 1.2])
    assert cut[0].tolist() == [True, True]


def test_a_cut_token_has_no_gradient() -> None:
    for ratio, advantage, moves in ((1.5, 1.0, False), (1.5, -1.0, True), (0.5, -1.0, False), (0.5, 1.0, True)):
        logp = logs([ratio]).requires_grad_()
        value, cut = loss.surrogate(logp, torch.zeros(1, 1), tensor([[advantage]]), 0.2, 0.2)
        value.sum().backward()
        assert bool(logp.grad.abs().sum() > 0) is moves
        assert bool(cut) is not moves


def test_k3_by_hand() -> None:
    """ref − logp = 1: e − 1 − 1 = 0.71828; equal: 0; −1: 1/e + 1 − 1 = 0.36788. Never negative."""
    found = loss.k3(tensor([[-2.0, -1.0, 0.0]]), tensor([[-1.0, -1.0, -1.0]]))
    assert found[0].tolist() == pytest.approx([E - 2, 0.0, 1 / E], abs=1e-6)


def test_weights_by_hand() -> None:
    """Three rollouts of 2, 1 and 1 sampled tokens; the third's credit is all 0, so it is not live."""
    mask = tensor([[0, 1, 1], [1, 0, 0], [0, 0, 1]])
    live = torch.tensor([True, True, False])
    found = {name: loss.token_weights(mask, live, name, 5) for name in ("token_mean", "sequence_mean", "constant")}
    assert found["token_mean"].tolist() == pytest.approx(np.array([[0, 1, 1], [1, 0, 0], [0, 0, 0]]) / 3)
    assert found["sequence_mean"].tolist() == pytest.approx(np.array([[0, 0.25, 0.25], [0.5, 0, 0], [0, 0, 0]]))
    assert found["constant"].tolist() == pytest.approx(np.array([[0, 1, 1], [1, 0, 0], [0, 0, 0]]) / 15)


def test_nothing_live_weighs_nothing() -> None:
    for name in ("token_mean", "sequence_mean", "constant"):
        assert not loss.token_weights(torch.ones(2, 2), torch.tensor([False, False]), name, 2).any()


def test_a_flat_group_dilutes_no_other() -> None:
    """Zero-variance groups once sat in the denominator: the same signal beside 3 dead rollouts must weigh the same."""
    alone = loss.token_weights(torch.ones(1, 2), torch.tensor([True]), "token_mean")
    beside = loss.token_weights(torch.ones(4, 2), torch.tensor([True, False, False, False]), "token_mean")
    assert torch.equal(alone[0], beside[0])


def test_a_masked_position_cannot_poison_the_sum() -> None:
    """Infinite and NaN numbers at positions of weight 0: value and gradient stay finite."""
    logp = tensor([[0.0, float("inf"), float("nan")]]).requires_grad_()
    value, _ = loss.loss(
        logp, torch.zeros(1, 3), tensor([[1.0, float("inf"), 1.0]]), tensor([[1.0, 0.0, 0.0]]), clip_low=0.2,
        clip_high=0.2, kl=0.1, ref=tensor([[0.0, 0.0, float("nan")]]),
    )  # fmt: skip
    value.backward()
    assert float(value.detach()) == -1.0
    assert logp.grad.tolist() == [[-1.0, 0.0, 0.0]]


def test_log_probabilities_are_those_of_the_next_id() -> None:
    """logits ln(1), ln(3) at t = 0 speak of the id at t = 1: π = ¼, ¾. Entropy ln 4 − ¾ ln 3 = 0.56234."""
    logits = tensor([[[0.0, math.log(3)], [9.0, 9.0]]])
    logp, entropy = loss.token_logprobs(logits, torch.tensor([[0, 1]]), 1.0)
    assert logp[0].tolist() == pytest.approx([0.0, math.log(0.75)])
    assert entropy[0].tolist() == pytest.approx([0.0, math.log(4) - 0.75 * math.log(3)])


def test_the_temperature_of_sampling_is_applied() -> None:
    """At temperature 0.5 the logits double: π = 1/10, 9/10. Leaving it out gave ratios of 2 instead of 1."""
    logits = tensor([[[0.0, math.log(3)], [0.0, 0.0]]])
    logp, _ = loss.token_logprobs(logits, torch.tensor([[0, 1]]), 0.5)
    assert float(logp[0, 1]) == pytest.approx(math.log(0.9))


def test_half_precision_logits_are_normalised_in_float32() -> None:
    logits = torch.randn(2, 3, 50, generator=torch.Generator().manual_seed(0)).bfloat16()
    logp, _ = loss.token_logprobs(logits, torch.zeros(2, 3, dtype=torch.long), 1.0)
    exact = torch.log_softmax(logits[:, :-1].double(), -1)[..., 0]
    assert logp.dtype == torch.float32
    assert (logp[:, 1:].double() - exact).abs().max() < 1e-5


def test_target_kl_by_hand() -> None:
    # q = ¾, ¼ against π = ½, ½: ¾·ln 3/2 + ¼·ln ½; the second turn has a menu of one, where π = q. Logits are taken
    # up to a constant, and an entry beyond a menu counts for nothing.
    logp = tensor([[5.0, 5.0, -math.inf], [-3.0, -math.inf, -math.inf]]).requires_grad_()
    target = tensor([[0.75, 0.25, 0.0], [1.0, 0.0, 0.0]])
    value = loss.target_kl(logp, target)
    assert value.item() == pytest.approx((0.75 * math.log(1.5) + 0.25 * math.log(0.5)) / 2, abs=1e-6)
    value.backward()  # of the logits: (π - q) over the number of turns
    assert logp.grad is not None
    assert logp.grad.numpy() == pytest.approx(np.array([[-0.125, 0.125, 0.0], [0.0, 0.0, 0.0]]))
    # An entry that the target rules out adds nothing, however unlikely it is.
    assert loss.target_kl(tensor([[0.0, -800.0]]), tensor([[1.0, 0.0]])).item() == 0.0


def test_the_menu_policys_step_is_the_gradient_of_target_kl() -> None:
    draw = np.random.default_rng(3)
    policy = LogLinearPolicy(64)
    policy.weights[:] = draw.normal(size=64)
    menus = [("a", "b", "c"), ("b", "d"), ("e",)]
    views = [View([], 0, TurnRng(0), f"s{n}", {}, menu, "", f"goal\nline {n}") for n, menu in enumerate(menus)]
    policy.log_probs(views)
    rows = [{"group": 0, "trajectory": n, "turn": 0, "state": f"s{n}", "menu": menu} for n, menu in enumerate(menus)]
    targets = [draw.dirichlet(np.ones(len(menu))) for menu in menus]
    layout = policy.features.menus([view.key for view in views], menus)
    features = np.stack([layout.gradient(np.eye(6)[entry], 64) for entry in range(6)])
    weights = torch.tensor(policy.weights, requires_grad=True)
    logits = torch.tensor(features) @ weights
    padded = torch.full((3, 3), -math.inf, dtype=torch.float64)
    target = torch.zeros(3, 3, dtype=torch.float64)
    for row, (begin, values) in enumerate(zip(layout.rows, targets, strict=True)):
        padded[row, : len(values)] = logits[begin : begin + len(values)]
        target[row, : len(values)] = torch.tensor(values)
    loss.target_kl(padded, target).backward()
    before = policy.weights.copy()
    policy.approach(TurnBatch.from_rows(rows), targets, 1.0)
    assert weights.grad is not None
    assert policy.weights - before == pytest.approx(-weights.grad.numpy(), abs=1e-12)


def test_a_weight_of_its_own_likelihood_is_maximum_likelihood() -> None:
    """Weights ½, ½, of the second position alone: −½·(2·log π) and its gradient −1; what does not count has none."""
    logp = torch.tensor([[-1.0, -0.5, -3.0]], requires_grad=True)
    weights, own = torch.tensor([[0.5, 0.5, 0.0]]), torch.tensor([[0.0, 2.0, 5.0]])
    zero = torch.zeros(1, 3)
    value, _ = loss.loss(logp, logp.detach(), zero, weights, clip_low=0.2, clip_high=0.2, own=own)
    value.backward()
    assert value.item() == pytest.approx(0.5)
    assert logp.grad.tolist() == [[0.0, -1.0, 0.0]]
