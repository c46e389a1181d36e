"""Rubrics: a response is scored under several, and each score belongs to the tokens that the rubric is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from agentgym.batch.ragged import Ragged
from agentgym.credit.algebra import Bools, Floats, Ints, Population, in_range, mix, population, standardise
from agentgym.credit.registry import estimator
from agentgym.credit.result import Terms
from agentgym.credit.rows import Scalar, by_row, one_of, rollout_sum, rollouts_by_group, spread

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch

Variant = Literal["intra_sample", "intra_group", "released_reshape"]


@estimator(
    "rtt",
    paper="2604.02795",
    needs=("rubric_scores", "rubric_relevance", "token_mask"),
    presets={"released": {"variant": "released_reshape"}},
)
def rtt(
    batch: TurnBatch,
    *,
    variant: Variant = "intra_sample",
    response: Literal["all", "mean"] = "all",
    method: Literal["add", "mix"] = "add",
    token_weight: float = 0.5,
    ddof: int = 1,
    eps: float = 1e-6,
) -> Terms:
    """Rubric scores on the tokens that they are about: A_{i,j} = GN(R)_i + w·mean_k z(s_{i,k}·w_{i,k,j}).

    i: a response, which is a rollout; j: its tokens, those of all its turns; k: a rubric. s_{i,k} is its score, the
    same on every turn (rubric_scores), w_{i,k,j} how much the token matters for it (rubric_relevance). z standardises
    over the valid tokens (token_mask) of that response under that rubric, with ddof 0. R_i is 1 if every score is 1,
    else 0; GN standardises R over the group.

    Special cases, by `variant`:
        intra_sample: the above. intra_group: z over the valid tokens of all responses of the group, rubric by rubric.
        released_reshape: see below.

    Source: arXiv 2604.02795 (RTT, rubrics to tokens).

    Args:
        batch: T rows with rubric_scores, rubric_relevance and token_mask; every row of a group has as many rubrics.
        variant: one of the above.
        response: R_i: "all", 1 if every score is 1; "mean", the mean score.
        method: "add", the above; "mix", (1 - w)·GN(R) + w·mean_k z.
        token_weight: w.
        ddof: taken off the number of rollouts in the variance of GN: 0, or 1.
        eps: ε ≥ 0, in both.

    Returns:
        Terms `episode` and `token`, shape [T]: GN(R), and the mean of the token part over the row's valid tokens (0
        where it has none). `to_tokens` gives A token by token, 0 on masked ones. Diagnostics: `response` R, shape [T],
        and `token`, a list a row: mean_k z before its weight, 0 on masked tokens.

    Raises:
        MissingColumn: a column named above is absent. ValueError: an option value that is not listed, rubrics that
            differ in number inside a group, scores that differ inside a rollout.

    Invariants: permuting the responses of a group permutes the result (not the reshape). In intra_sample the token
    part sums to 0 over a response. A group of one response, and equal R, give GN 0; equal values over the tokens give
    the token part 0; a group without rubrics has R = 0 and all else 0.

    Released code (preset `released`, variant `released_reshape`): its array [response][rubric][token] is read, memory
    order kept, as [rubric][response][token], so that the values of one response end up, under another rubric, on the
    tokens of another. It depends on the order of the responses.
    """
    one_of("variant", variant, ("intra_sample", "intra_group", "released_reshape"))
    one_of("response", response, ("all", "mean"))
    one_of("method", method, ("add", "mix"))
    scores = rollout_scores(batch)
    reward = response_reward(scores, response)
    episode = spread(batch, standardise(reward, rollouts_by_group(batch), ddof=ddof, eps=eps))
    token = _token_part(batch, scores, variant, eps)
    rows = by_row(batch["token_mask"])
    valid = batch["token_mask"].flat
    counted = Population(rows.codes[valid], len(batch))
    share = {"episode": 1.0 - token_weight if method == "mix" else 1.0, "token": token_weight}
    terms = mix({"episode": episode, "token": counted.mean(token[valid])}, share)
    whole = np.where(valid, terms["episode"][rows.codes] + token_weight * token, 0.0)
    offsets = batch["token_mask"].offsets
    return Terms(
        terms,
        tokens=Ragged(whole, offsets),
        response=spread(batch, reward),
        token=lambda: list(Ragged(token, offsets)),
    )


def response_reward(scores: Floats, response: Literal["all", "mean"] = "all") -> Floats:
    """R of each response: 1 if all of its scores are 1, else 0; or their mean.

    Args:
        scores: [responses, rubrics], nan where a response has fewer rubrics than another group's.
        response: "all" or "mean".

    Returns:
        Shape [responses], 0 without rubrics.
    """
    given = ~np.isnan(scores)
    count: Ints = given.sum(axis=1)
    if response == "mean":
        total: Floats = np.where(given, scores, 0.0).sum(axis=1)
        return total / np.maximum(count, 1)
    passed: Ints = (scores == 1.0).sum(axis=1)
    every: Floats = np.where((passed == count) & (count > 0), 1.0, 0.0)
    return every


def rollout_scores(batch: TurnBatch) -> Floats:
    """rubric_scores as a matrix [rollouts, most rubrics of any], nan beyond a rollout's own.

    Raises:
        ValueError: scores that differ between the turns of a rollout, or rubrics that differ in number inside a group.
    """
    scores: Ragged = batch["rubric_scores"]
    lengths = scores.lengths
    table = np.full((len(batch), int(lengths.max(initial=0))), np.nan)
    table[np.arange(table.shape[1]) < lengths[:, None]] = scores.flat
    first = batch.order[batch.starts]
    same = (table == table[first][batch.rollout]) | (np.isnan(table) & np.isnan(table[first][batch.rollout]))
    if not same.all():
        row = int(np.argmin(same.all(axis=1)))
        raise ValueError(
            f"rubric_scores of row {row} differ from those of its rollout's first turn: a rollout is scored as a "
            "whole, so repeat its scores on every turn"
        )
    heads = np.flatnonzero(np.diff(batch.rollout_group, prepend=-1))
    odd = lengths[first] != lengths[first][heads][batch.rollout_group]
    if odd.any():
        row = int(first[odd.argmax()])
        raise ValueError(
            f"row {row} has {lengths[row]} rubrics and the first rollout of its group another number: the responses of "
            "a group answer one prompt and are scored under the same rubrics"
        )
    return table[first]


@dataclass(frozen=True, slots=True)
class _Lines:
    """One entry a (row, rubric): the lines of rubric_relevance, in the order of its flat values.

    Attributes:
        rollout, rubric: of the line. width: its number of tokens.
        begin: where its values begin in rubric_relevance.flat. tokens: where its row's tokens begin among all.
    """

    rollout: Ints
    rubric: Ints
    width: Ints
    begin: Ints
    tokens: Ints

    def spread(self, x: NDArray[Scalar]) -> NDArray[Scalar]:
        """One value a line → each of its tokens."""
        return np.repeat(x, self.width)

    def place(self) -> Ints:
        """The token of each value, counted over all rows."""
        return self.spread(self.tokens - self.begin) + np.arange(self.width.sum())


def _lines(batch: TurnBatch) -> _Lines:
    relevance, mask = batch["rubric_relevance"], batch["token_mask"]
    rubrics = relevance.shapes[:, 0]
    bare = (rubrics != batch["rubric_scores"].lengths) & (mask.lengths > 0)
    if bare.any():
        raise ValueError(f"rubric_relevance of row {int(bare.argmax())} is empty: give one list of tokens a rubric")
    row = np.repeat(np.arange(len(batch)), rubrics)
    rubric = np.arange(len(row)) - np.repeat(np.cumsum(rubrics) - rubrics, rubrics)
    width = relevance.shapes[row, 1]
    return _Lines(batch.rollout[row], rubric, width, np.cumsum(width) - width, mask.offsets[row])


def _token_part(batch: TurnBatch, scores: Floats, variant: str, eps: float) -> Floats:
    """mean_k z of every token, 0 on masked ones."""
    lines = _lines(batch)
    if variant == "released_reshape":
        value = _reshaped(batch, lines, scores)
    else:
        score = lines.spread(scores[lines.rollout, lines.rubric])
        value = in_range("a score times a relevance", lambda: score * batch["rubric_relevance"].flat)
    within = lines.rollout if variant != "intra_group" else batch.rollout_group[lines.rollout]
    place = lines.place()
    seen: Bools = batch["token_mask"].flat[place]
    among = population(lines.spread(within * scores.shape[1] + lines.rubric)[seen])
    z = standardise(value[seen], among, eps=eps)
    return Population(place[seen], len(batch["token_mask"].flat)).mean(z)


def _reshaped(batch: TurnBatch, lines: _Lines, scores: Floats) -> Floats:
    """The value that lands on each cell when [response][rubric][token] is read as [rubric][response][token].

    With G responses and K rubrics, block b = k·G + i of the second reading is block b of the first: response b // K
    under rubric b % K. Tokens keep their place; a response that is shorter is padded with 0.
    """
    mask, relevance = batch["token_mask"], batch["rubric_relevance"]
    group, members = batch.rollout_group[lines.rollout], np.bincount(batch.rollout_group, minlength=batch.num_groups)
    first = (np.cumsum(members) - members)[group]  # the first rollout of the line's group
    rubrics = batch["rubric_scores"].lengths[batch.order[batch.starts]][lines.rollout]
    block = lines.rubric * members[group] + lines.rollout - first
    source, rubric = first + block // rubrics, block % rubrics
    # All tokens, rollout after rollout: `ordered` lists them, `begins` says where each rollout starts there.
    lengths = mask.lengths[batch.order]
    ordered = np.repeat(mask.offsets[batch.order] - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())
    position = np.empty_like(ordered)
    position[ordered] = np.arange(len(ordered))
    counts = rollout_sum(batch, mask.lengths.astype(np.float64)).astype(np.int64)
    begins = np.cumsum(counts) - counts
    place = position[lines.place()] - lines.spread(begins[lines.rollout])
    there = place < lines.spread(counts[source])
    token = ordered[np.where(there, lines.spread(begins[source]) + place, 0)]
    row = by_row(mask).codes[token]
    cell = relevance.offsets[row] + lines.spread(rubric) * mask.lengths[row] + token - mask.offsets[row]
    weight = np.where(there, relevance.flat[np.where(there, cell, 0)], 0.0)
    return in_range("a score times a relevance", lambda: lines.spread(scores[source, rubric]) * weight)
