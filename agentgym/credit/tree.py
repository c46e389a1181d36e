"""Estimators on branched rollouts: turns sampled from one shared prefix, trees of states, values from continuations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from agentgym.credit.algebra import (
    ZERO_SPREAD,
    Bools,
    Floats,
    Ints,
    Normalise,
    Population,
    in_range,
    population,
    softmax_within,
    standardise,
)
from agentgym.credit.registry import estimator
from agentgym.credit.result import Terms
from agentgym.credit.returns import check_gamma
from agentgym.credit.rows import (
    Rewards,
    by_group,
    column,
    following,
    recorded_value,
    reward,
    reward_columns,
    rollout_sum,
    rollouts_by_group,
)
from agentgym.errors import MissingColumn

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch


@estimator("slate", paper="2602.23440", needs=("turn_reward",))
def slate(
    batch: TurnBatch, *, eta: float = 0.7, normalise: Normalise = "std", ddof: int = 1, eps: float = 1e-6
) -> Terms:
    """One turn against the others that were sampled from the same prefix: A^(j) = (r^(j) - μ) / (σ + ε).

    j: a candidate; r: its turn_reward; μ, σ over the candidates of its prefix: the turns of equal (group, prefix), or
    of equal (group, state) where the batch has no column prefix. The next prefix of `collect(branching=Slate())` is
    drawn with the probabilities softmax(A / η), given as a diagnostic.

    Special cases: candidates of equal reward, and one alone, give 0, and are drawn evenly.

    Source: SLATE, arXiv 2602.23440. Its reward of a turn is `slate_reward`.

    Args:
        batch: T rows with turn_reward, and prefix or state.
        eta: η > 0.
        normalise: "std", or "none" to leave the division out.
        ddof: taken off the number of candidates in the variance: 0, or 1.
        eps: ε ≥ 0.

    Returns:
        Term `step`, shape [T]; diagnostic `select_prob`, shape [T].

    Raises:
        MissingColumn: no turn_reward, or neither prefix nor state. ValueError: an option value out of its range.

    Invariants: adding one to every turn reward changes nothing; the term and select_prob - 1/k sum to 0 over a prefix.
    Nothing of the future enters, the outcome neither: what a turn does for later turns has to be in its reward.
    Released code: counts turns from 0 in the reward's bonus and does not clamp the judge's scores, as
    `slate_reward(released=True)` does, and computes the step advantages without using them.
    """
    among = same_prefix(batch)
    step = standardise(column(batch, "turn_reward"), among, normalise=normalise, ddof=ddof, eps=eps)
    return Terms({"step": step}, select_prob=softmax_within(step, among, eta))


def same_prefix(batch: TurnBatch) -> Population:
    """Turns of the same group sampled from the same prefix, or in the same state where nothing says which; over rows.

    Raises:
        MissingColumn: neither prefix nor state.
    """
    for name in ("prefix", "state"):
        if name in batch:
            return population(batch.codes("group", name))
    raise MissingColumn(
        "turns of one prefix are compared, and neither the column 'prefix' nor 'state' is in this batch: "
        "collect(branching=Slate()) records both"
    )


class Divergence(NamedTuple):
    """A state from which a group's rollouts went on to different values.

    Attributes:
        group: the group's id.
        better, worse: (trajectory, turn) of the first rollout that took the best and the worst way on from here.
        gap: how far the values of the two lie apart.
    """

    group: Any
    better: tuple[Any, int]
    worse: tuple[Any, int]
    gap: float


def _tstar_columns(rewards: str, **_: Any) -> tuple[str, ...]:
    return (*reward_columns(rewards), "next_state")


@estimator("tstar", paper="2604.07165", needs=_tstar_columns)
def tstar(
    batch: TurnBatch,
    *,
    rewards: Rewards = "total",
    gamma: float = 0.99,
    divergence_threshold: float = 0.3,
    normalise: Normalise = "std",
    ddof: int = 1,
    eps: float = 1e-8,
) -> Terms:
    """The group's rollouts as a tree, valued from its leaves: A_{i,t} = (Q_{i,t} - μ_g) / (σ_g + ε).

    A node is what a turn leads to: (group, turn, next_state), whichever way led there; the root is the group's start. A
    rollout's last turn makes a leaf; leaves are one only where R is equal too. Q(leaf) = R; Q(node) = γ · Σ over its
    children of (share of the node's visits) · Q(child); Q_{i,t} is that of the node after the turn. R_i = Σ_t r_{i,t};
    μ_g, σ_g are those of R over the group's rollouts, each counted once.

    Special cases: where all R of a group are equal A is 0 (without that rule it would be (Q - R)/ε there, huge and
    negative, because Q is discounted and μ_g is not). One rollout alone gives 0.

    Source: T-STAR, arXiv 2604.07165, equations 2 to 5 and 8, its valuation. The paper merges nodes whose policies
    differ by little (KL < 0.25); equal states are the case of KL 0.

    Args:
        batch: T rows with the reward columns and next_state.
        rewards: "total", a turn pays turn_reward + outcome_reward; "outcome", outcome_reward alone; for R.
        gamma: γ in [0, 1].
        divergence_threshold: least gap of a divergence, which has to exceed it; at least 0.
        normalise: "std", or "none" to leave the division out.
        ddof: taken off the number of rollouts in the variance: 0, or 1.
        eps: ε ≥ 0.

    Returns:
        Term `tree`, shape [T]. Diagnostics: `q`, shape [T]; `divergences`, a tuple of `Divergence`: every node and root
        whose best and worst child differ by more than the threshold, by group, turn, first rollout; of children of
        equal Q the one that an earlier rollout took.

    Raises:
        MissingColumn: a column named above is absent. ValueError: an option value out of its range.

    Limits: early turns lean negative, since Q is discounted and μ_g is not. Nodes at different turns never merge.
    """
    check_gamma(gamma)
    if not 0.0 <= divergence_threshold < np.inf:
        raise ValueError(f"divergence_threshold must be at least 0 and finite, got {divergence_threshold}")
    score = rollout_sum(batch, reward(batch, rewards))
    nodes, parent = _tree(batch, score)
    value = _valued(batch, nodes, parent, score, gamma)
    q = value[nodes.codes]
    # R votes, Q only takes part: (Q - mean of R) / (std of R + ε), and 0 where all R are equal.
    among = Population(np.concatenate([by_group(batch).codes, rollouts_by_group(batch).codes]), batch.num_groups)
    votes = np.concatenate([np.zeros(len(batch)), np.ones(batch.num_rollouts)])
    both = np.concatenate([q, score])
    tree = standardise(both, among, weights=votes, normalise=normalise, ddof=ddof, eps=eps)[: len(batch)]
    return Terms(
        {"tree": tree}, q=q, divergences=lambda: _divergences(batch, nodes, parent, value, divergence_threshold)
    )


def _tree(batch: TurnBatch, score: Floats) -> tuple[Population, Ints]:
    """The node after each turn, numbered turn by turn, and the node before it; roots are numbered after all nodes."""
    ends = np.where(batch.last, 1 + np.unique(score, return_inverse=True)[1][batch.rollout], 0)
    nodes = population(batch.turn, batch.group_code, batch.codes("next_state"), ends)
    parent = nodes.size + np.asarray(batch.group_code)
    here, before = batch.order[1:], batch.order[:-1]
    goes_on = ~batch.last[before]
    parent[here[goes_on]] = nodes.codes[before[goes_on]]
    return nodes, parent


def _valued(batch: TurnBatch, nodes: Population, parent: Ints, score: Floats, gamma: float) -> Floats:
    """Q of each node, from the deepest turn up: one pass a turn index, over the rows of that index alone."""
    value = np.zeros(nodes.size)
    value[nodes.codes[batch.last]] = score[batch.rollout[batch.last]]
    inner = np.ones(nodes.size, dtype=bool)
    inner[nodes.codes[batch.last]] = False
    depth = np.empty(nodes.size, dtype=np.int64)
    depth[nodes.codes] = batch.turn
    visits = nodes.counts.astype(np.float64)
    deepest = int(depth.max(initial=0))
    by_turn = np.argsort(batch.turn, kind="stable")
    rows_begin = np.searchsorted(batch.turn[by_turn], np.arange(deepest + 2))
    begin = np.searchsorted(depth, np.arange(deepest + 2))  # nodes are numbered turn by turn
    for turn in range(deepest, 0, -1):
        rows, level = by_turn[rows_begin[turn] : rows_begin[turn + 1]], slice(begin[turn - 1], begin[turn])
        shares = value[nodes.codes[rows]] / visits[parent[rows]]
        mean = np.bincount(parent[rows] - level.start, shares, level.stop - level.start)
        value[level] = np.where(inner[level], gamma * mean, value[level])
    return value


def _divergences(
    batch: TurnBatch, nodes: Population, parent: Ints, value: Floats, threshold: float
) -> tuple[Divergence, ...]:
    """The nodes and roots whose best and worst child differ by more than the threshold."""
    ways = population(parent, nodes.codes)
    first = np.full(ways.size, batch.num_rollouts)  # the first rollout that took each way, and its row there
    np.minimum.at(first, ways.codes, batch.rollout)
    row = np.empty(ways.size, dtype=np.int64)
    is_first = batch.rollout == first[ways.codes]
    row[ways.codes[is_first]] = np.flatnonzero(is_first)
    q, start = value[nodes.codes[row]], parent[row]
    best, worst = (_leading(start, np.lexsort((first, key, start))) for key in (-q, q))
    gap = q[best] - q[worst]
    rounding = ZERO_SPREAD * np.maximum(1.0, np.maximum(np.abs(q[best]), np.abs(q[worst])))
    found = np.flatnonzero(gap > np.maximum(threshold, rounding))
    earliest = np.minimum.reduceat(first, np.flatnonzero(_is_new(start))) if len(start) else first
    found = found[np.lexsort((earliest[found], batch.turn[row[best[found]]], batch.group_code[row[best[found]]]))]
    return tuple(
        Divergence(batch.group[row[b]], _place(batch, row[b]), _place(batch, row[w]), float(gap[n]))
        for n, b, w in zip(found.tolist(), best[found].tolist(), worst[found].tolist(), strict=True)
    )


def _leading(start: Ints, order: Ints) -> Ints:
    """The first way of each start in an order that is sorted by start."""
    leading: Ints = order[_is_new(start[order])]
    return leading


def _is_new(sorted_keys: Ints) -> Bools:
    """Which entries of a sorted array differ from the one before."""
    return np.append(True, sorted_keys[1:] != sorted_keys[:-1])[: len(sorted_keys)]


def _place(batch: TurnBatch, row: int) -> tuple[Any, int]:
    return batch.trajectory[row], int(batch.turn[row])


def surgical_loss(
    chosen: ArrayLike,
    rejected: ArrayLike,
    ref_chosen: ArrayLike,
    ref_rejected: ArrayLike,
    *,
    beta: float = 0.1,
    weight: float = 0.15,
) -> Floats:
    """T-STAR's loss of a pair at a divergence: weight · -log σ(β·[(lp⁺ - lp⁻) - (ref⁺ - ref⁻)]).

    Args:
        chosen: lp⁺, log-probabilities of the better actions under the policy, any shape.
        rejected: lp⁻, of the worse ones.
        ref_chosen: ref⁺, lp⁺ under the reference: in the paper a moving average of the policy, 0.95 of itself a step.
        ref_rejected: ref⁻, the same for lp⁻.
        beta: β > 0.
        weight: at least 0; 1 gives the bare loss.

    Returns:
        One value a pair; weight · log 2 where policy and reference agree on the gap. It cannot overflow.

    Raises:
        ValueError: beta or weight out of its range, a log-probability that is not finite.

    Source: T-STAR, arXiv 2604.07165.
    """
    if not (0.0 < beta < np.inf and 0.0 <= weight < np.inf):
        raise ValueError(f"surgical_loss needs a finite beta > 0 and weight >= 0, got {beta} and {weight}")
    pairs = [np.asarray(x, dtype=np.float64) for x in (chosen, rejected, ref_chosen, ref_rejected)]
    for name, given in zip(("chosen", "rejected", "ref_chosen", "ref_rejected"), pairs, strict=True):
        if not np.isfinite(given).all():
            raise ValueError(f"{name} must hold finite log-probabilities, got {given[~np.isfinite(given)][0]}")
    lifted, dropped, ref_lifted, ref_dropped = pairs
    margin = beta * ((lifted - dropped) - (ref_lifted - ref_dropped))
    return np.asarray(weight * np.logaddexp(0.0, -margin))


def _vine_columns(rewards: str, bootstrap_truncated: bool, **_: Any) -> tuple[str, ...]:
    extra = ("truncated", "bootstrap_value") if bootstrap_truncated else ()
    return (*reward_columns(rewards), "value", *extra)


@estimator("vine", paper="2410.01679", needs=_vine_columns)
def vine(batch: TurnBatch, *, rewards: Rewards = "total", bootstrap_truncated: bool = False) -> dict[str, Floats]:
    """What a turn changed, by the mean return of fresh continuations: A_t = ρ_t + V(s_{t+1}) - V(s_t).

    ρ_t: what the turn paid; V(s_t): the column value, the mean return of K continuations from before the turn, as
    `collect(branching=Vine(k=K))` fills it; V after a rollout's last turn is 0.

    Special cases: `bootstrap_truncated`: after a truncated rollout's last turn V is the column bootstrap_value, for
    loops that cut rollouts where the world would have gone on. A world's own limit is no such cut: it pays its outcome,
    nothing follows, and continuations meet the same limit.

    Source: VinePPO, arXiv 2410.01679, at turns in place of reasoning steps.

    Args:
        batch: T rows with the reward columns and value; truncated and bootstrap_value for bootstrap_truncated.
        rewards: "total", ρ is turn_reward + outcome_reward; "outcome", outcome_reward alone. The values have to be of
            the same return.
        bootstrap_truncated: as above.

    Returns:
        Term `turn`, shape [T].

    Raises:
        MissingColumn: a column named above is absent.
        ValueError: an option value that is not listed; values that `collect` recorded for other rewards.

    Invariants: over a rollout A sums to R - V(s_0). It reads no group: one rollout alone keeps its values, and equal
    outcomes give 0 only where the values say so. Unbiased for the true advantage; its noise is that of K continuations.
    """
    paid, value = reward(batch, rewards), recorded_value(batch, rewards)
    after = np.where(batch.last, 0.0, following(batch, value))
    if bootstrap_truncated:
        after = np.where(batch["truncated"], column(batch, "bootstrap_value"), after)
    return {"turn": in_range("a change ρ + V(s') - V(s)", lambda: paid + after - value)}
