"""true_advantages: what each turn of a batch was really worth."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium

from agentgym.batch import TurnBatch
from agentgym.env import AgentEnv
from agentgym.errors import unknown
from agentgym.fidelity import forks, tree
from agentgym.fidelity.graph import Floats, Graph
from agentgym.fidelity.graphs import APART, Graphs
from agentgym.fidelity.menu_policy import HINTS, NoMenuPolicy
from agentgym.fidelity.record import Answer, FidelityError, Question, TooManyNodes, Truth, row_hash
from agentgym.reward import RewardSpec
from agentgym.rng import checked_seed
from agentgym.rollout import Reply, View, build

METHODS = ("auto", "tree", "forks")
OBJECTIVES = ("outcome", "total")
NEEDED = ("task", "seed", "branch", "turn", "action", "state")

PolicyLike = Callable[[Sequence[View]], Sequence[Reply | str]]


def true_advantages(
    batch: TurnBatch,
    policy: PolicyLike,
    *,
    method: str = "auto",
    continuations: int = 64,
    chance: int = 64,
    objective: str = "outcome",
    gamma: float = 1.0,
    seed: int = 0,
    max_nodes: int = 1_000_000,
    under: PolicyLike | None = None,
    env: AgentEnv[Any] | None = None,
    graphs: Graphs | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Truth:
    """Return the true advantages A = Q − V of a batch's turns under the policy that played it, turn limit included.

    The return from a turn on is the sum of γ^k times what the k-th turn from it pays, k from 0: with objective
    "outcome" the outcome reward, paid with the last turn; with "total" the turn rewards besides. Q is the expectation
    given the row's action, over the world's noise and the policy; V the same without.

    Method "tree" needs a markov policy that replies with menu_logprobs, in a world with a menu. It is exact where the
    world takes no draw, else every action is drawn `chance` times at each (state, turn). A policy with a true attribute
    `stationary` declares that its menu_logprobs depend neither on the turn nor on the menu's order; then it is asked
    once a state, which is many times faster. Method "forks" plays `continuations` from before and after each turn; a
    policy with history must implement `snapshot() -> moment` and `restore(moment)` (None: it remembers nothing).
    "auto" takes the tree if it can be had within `max_nodes`, else forks, and says why in `Truth.note`.

    Args:
        batch: what `collect` returned: rows with task, seed, branch, turn, action and state, and `meta["env"]`.
        policy: the policy that played it.
        method: "auto", "tree" or "forks".
        continuations: forks a moment, at least 2.
        chance: draws of an action at a (state, turn) of a noisy world, at least 2.
        objective: "outcome" or "total". Weights of an earlier `batch.reweight` hold for both.
        gamma: discount a turn, in (0, 1].
        seed: of sampled draws.
        max_nodes: most (task, state, turn) nodes of the tree.
        under: another policy, such as the expert, whose truth is wanted for the same turns: Q takes the row's action,
            then follows `under`; V follows `under` at once.
        env: the world, where `batch.meta["env"]` cannot rebuild it; its turn limit is taken from there all the same.
        graphs: transition graphs kept between calls.
        progress: called with (done, total): turns of the tree, or continuations.

    Raises:
        FidelityError: the method does not fit the policy or the world, the batch has no rows, cannot be replayed in the
            world, or its panel differs; the message says what to do.
        TooManyNodes: method "tree" and too large a tree.
        MissingColumn: the batch lacks a column named above.
        ValueError: a bad argument.
    """
    if method not in METHODS:
        raise ValueError(unknown("method", method, METHODS))
    if objective not in OBJECTIVES:
        raise ValueError(unknown("objective", objective, OBJECTIVES))
    for name, least, count in (("continuations", 2, continuations), ("chance", 2, chance), ("max_nodes", 1, max_nodes)):
        if isinstance(count, bool) or not isinstance(count, int) or count < least:
            raise ValueError(f"{name} must be an integer of at least {least}, not {count!r}")
    if not 0.0 < gamma <= 1.0:
        raise ValueError(f"gamma must lie in (0, 1], not {gamma!r}")
    _check_rows(batch, "true_advantages")
    began = time.perf_counter()
    acting = policy if under is None else under
    world = _world(batch, acting, env)
    question = Question(batch, world, acting, _spec(batch, world, objective), gamma, checked_seed(seed), progress)
    graphs = Graphs() if graphs is None else graphs
    used, answer, note = _solve(question, method, graphs, (continuations, chance, max_nodes))
    note = f"{answer.note}; {note}" if note else answer.note
    return Truth(
        answer.q - answer.value, answer.value, answer.q, answer.stderr, answer.ceiling, used, answer.nodes, note,
        time.perf_counter() - began, objective, gamma, world.panel.hash, row_hash(batch),
    )  # fmt: skip


def fork_values(
    batch: TurnBatch,
    policy: PolicyLike,
    *,
    continuations: int = 4,
    objective: str = "total",
    seed: int = 0,
    env: AgentEnv[Any] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Floats, int]:
    """Return the mean return of fresh continuations from before each turn, shape (n,), and how many turns they played.

    The estimate of V that `vine` reads, undiscounted; its draws are others than those of `true_advantages`. Turns of
    equal task, seed, turn and state share their continuations (with a policy that is not markov: of equal history too).

    Args:
        batch: as in `true_advantages`.
        policy: the policy that goes on, as in `true_advantages`.
        continuations: a moment, at least 1.
        objective: "outcome" or "total".
        seed: of the continuations' draws.
        env: the world, where `batch.meta["env"]` cannot rebuild it.
        progress: called with (done, total) continuations.

    Raises:
        FidelityError, MissingColumn, ValueError: as in `true_advantages`.
    """
    if objective not in OBJECTIVES:
        raise ValueError(unknown("objective", objective, OBJECTIVES))
    if isinstance(continuations, bool) or not isinstance(continuations, int) or continuations < 1:
        raise ValueError(f"continuations must be an integer of at least 1, not {continuations!r}")
    _check_rows(batch, "fork_values")
    world = _world(batch, policy, env)
    question = Question(batch, world, policy, _spec(batch, world, objective), 1.0, checked_seed(seed), progress)
    return forks.values(question, continuations)


def _check_rows(batch: TurnBatch, who: str) -> None:
    """Refuse a batch that has no rows or lacks what replay needs. Raises FidelityError, MissingColumn."""
    if not len(batch):
        lost = batch.meta.get("infra_errors")
        why = f" ({lost} rollouts ended with an infrastructure error and were left out)" if lost else ""
        raise FidelityError(f"the batch has no rows{why}; collect at least one rollout whose turns can be judged")
    for name in NEEDED:
        batch.need(name, who=who)


def _solve(question: Question, method: str, graphs: Graphs, sizes: tuple[int, int, int]) -> tuple[str, Answer, str]:
    """Return (method used, answer, why not the tree)."""
    continuations, chance, max_nodes = sizes
    why = _no_tree(question)
    if method != "forks":
        if why and method == "tree":
            raise FidelityError(f"method='tree' does not fit: {why}; use method='forks'")
        if not why:
            graph: Graph = graphs.take(question.env, question.spec)
            try:
                return "tree", tree.solve(question, graph, chance, max_nodes), ""
            except (TooManyNodes, NoMenuPolicy) as error:
                if method == "tree":
                    raise
                why = str(error).partition(":")[0]
            finally:
                graphs.trim()
    return "forks", forks.solve(question, continuations), f"no tree: {why}" if method == "auto" else ""


def _no_tree(question: Question) -> str:
    """Return why the tree cannot be had, "" if it can, as far as is known without asking the policy."""
    policy, world = question.policy, type(question.env)
    if not getattr(policy, "markov", False):
        return "the policy depends on history (markov is not True)"
    if not world.offers("menu"):
        return f"{world.__name__} has no menu"
    odd = [name for name in getattr(policy, "signals", ()) if name not in ("menu", *HINTS)]
    if odd:
        return f"the policy reads the signal {odd[0]!r}, which is no function of the state alone"
    return ""


def _world(batch: TurnBatch, policy: PolicyLike, env: AgentEnv[Any] | None) -> AgentEnv[Any]:
    """Return the batch's world, built anew with the signals that the policy reads."""
    made = batch.meta.get("env")
    if made is None:
        raise FidelityError(
            "batch.meta has no 'env', so truth cannot replay it: collect writes it; for rows from elsewhere pass "
            "batch.with_meta(env=world.spec_dict()) and env=world"
        )
    for key in ("id", "version", "kwargs", "panel"):
        if not isinstance(made, dict) or key not in made:
            raise FidelityError(
                f"batch.meta['env'] lacks {key!r}, so truth cannot rebuild the world: write what the world says of "
                "itself, batch.with_meta(env=world.spec_dict())"
            )
    signals = tuple(getattr(policy, "signals", ()))
    opaque = [name for name in made.get("opaque", ()) if name not in APART]
    if env is None and opaque:
        raise FidelityError(
            f"{made['id']!r} was built with {', '.join(opaque)}, which a record cannot hold: pass env=the world"
        )
    try:
        world = build(made["id"] if env is None else env, made["kwargs"], signals=signals)
    except (gymnasium.error.Error, TypeError, ModuleNotFoundError) as error:
        raise FidelityError(f"the world {made['id']!r} cannot be rebuilt ({error}): pass env=") from error
    pairs = (("panel hash", world.panel.hash, made["panel"]), ("version", world.version, made["version"]))
    for name, found, wanted in pairs:
        if found != wanted:
            raise FidelityError(
                f"the batch was played on {name} {wanted!r} of {made['id']!r} and this world has {found!r}: the two "
                "cannot be compared; collect the batch again, or pass the env= it was played in"
            )
    return world


def _spec(batch: TurnBatch, world: AgentEnv[Any], objective: str) -> RewardSpec:
    """Return the weights under which the batch's turn_reward and outcome_reward stand; 0 for turns if not asked for."""
    own = type(world).rewards
    given = batch.meta.get("rewards")
    outcome = 1.0 if given is None else float(given["outcome"])
    if objective == "outcome":
        return RewardSpec(outcome=outcome)
    if given is None:
        return RewardSpec(own.weights, own.default, outcome, own.invalid)
    return RewardSpec(given["weights"], given["default"], outcome, given["invalid"])
