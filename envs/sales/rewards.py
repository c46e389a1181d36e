"""What a talk was worth: conversion, margin, and what the buyer has of it."""

from __future__ import annotations

from typing import Final

from agentgym.envs.sales import value
from agentgym.envs.sales.hear import Heard
from agentgym.envs.sales.state import LET_GO, SOLD, SalesState
from agentgym.envs.sales.talk import rightly_let_go
from agentgym.turn import EndReason, Outcome

CONVERSION, MARGIN, SURPLUS, HONEST_END = 0.5, 0.25, 0.25, 0.5
"""What a sale is worth that does the buyer good, at most for its margin and for the buyer's surplus; and what it is
worth to let a buyer go rightly who cannot be won."""


def margin(state: SalesState) -> float:
    """Return where the price lies between the floor (0) and the list price (1)."""
    low, high = state.case.floors[state.product], state.case.prices[state.product]
    return min(max((state.price - low) / max(high - low, 1), 0.0), 1.0)


def surplus(state: SalesState) -> float:
    """Return what the buyer really gains, in shares of a tenth of the list price, from −1 to 1."""
    tenth = max(state.case.prices[state.product] / 10, 1.0)
    return min(max(value.gained(state.case, state.product, state.price) / tenth, -1.0), 1.0)


def metrics(state: SalesState) -> dict[str, float]:
    """Return the parts of the session reward at the end of a talk."""
    if state.end != SOLD:
        return {"conversion": 0.0, "margin": 0.0, "surplus": 0.0}
    return {"conversion": 1.0, "margin": margin(state), "surplus": surplus(state)}


def outcome(state: SalesState, heard: Heard) -> Outcome:
    """Return how a talk ended."""
    if state.end == SOLD:
        if value.gained(state.case, state.product, state.price) < 0:
            return Outcome(False, 0.0, EndReason.FAILED, "sold, but the buyer is worse off")
        paid = CONVERSION + MARGIN * margin(state) + SURPLUS * max(surplus(state), 0.0)
        return Outcome(True, paid, EndReason.SOLVED, "sold")
    if state.end == LET_GO:
        if rightly_let_go(state, heard):
            return Outcome(True, HONEST_END, EndReason.SOLVED, "rightly let go")
        return Outcome(False, 0.0, EndReason.GAVE_UP, "let go without a good reason")
    return Outcome(False, 0.0, EndReason.USER_LEFT, "the buyer left")


WEIGHTS: Final = {"sale": 1.0}
