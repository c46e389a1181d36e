"""Rubrics of whole rollouts, from what a world says of them turn by turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Said = Mapping[str, float]

COLUMNS = ("rubric_scores", "rubric_relevance", "token_mask")
"""What a record has of them."""


def names_of(rollouts: Sequence[Sequence[Said]]) -> list[str]:
    """Return the names of all rubrics that some turn speaks of, sorted."""
    return sorted({name for turns in rollouts for said in turns for name in said})


def final_scores(turns: Sequence[Said], names: Sequence[str]) -> list[float]:
    """Return what a rollout scores under each rubric: what the last turn that speaks of it says; 0.0 if none does."""
    held: dict[str, float] = {}
    for said in turns:
        held.update(said)
    return [held.get(name, 0.0) for name in names]


def about(said: Said, names: Sequence[str]) -> list[float]:
    """Return 1.0 for each rubric that a turn speaks of, which is about it, else 0.0."""
    return [float(name in said) for name in names]
