"""The customer: a state machine that answers an agent's messages from its task sheet.

All that decides what a customer does next is in its frozen state, and nothing is drawn, so a talk can be forked and
replayed. A message is taken as one thing, the first that applies: what ends a goal, an instruction, a proposal, a
refusal, a question, a claim, … Facts that are asked for are stated whatever else a message is. Only the customer ends a
talk, never in the turn in which it agrees to something or answers a question.
"""

from __future__ import annotations

from agentgym.envs.customer_service.customer.moves import Turn
from agentgym.envs.customer_service.customer.plan import plan_of
from agentgym.envs.customer_service.customer.say import Speaker
from agentgym.envs.customer_service.customer.state import CustomerState, Reaction, View
from agentgym.envs.customer_service.domain import Domain
from agentgym.envs.customer_service.sheet import Goal, Sheet

__all__ = ["CustomerState", "Reaction", "View", "goal_of", "opening", "react"]


def goal_of(sheet: Sheet, state: CustomerState) -> Goal | None:
    """Return the goal at hand, None when all are settled."""
    return sheet.goals[state.goal].chain[state.depth] if state.goal < len(sheet.goals) else None


def opening(domain: Domain, sheet: Sheet, manner: int) -> tuple[CustomerState, str]:
    """Return the customer's first state and words.

    Raises:
        ValueError: the domain has no words for an intent or a topic of the sheet.
    """
    step = plan_of(domain.words, sheet)[0][0]
    state = CustomerState(manner, told=frozenset(step.opens), patience=sheet.patience)
    speaker = Speaker(domain.words, sheet.mood, manner, "opening")
    parts = (speaker.phrase("greet"), speaker.wants(step), speaker.phrase("help"))
    return state, " ".join(part for part in parts if part)


def react(domain: Domain, sheet: Sheet, state: CustomerState, text: str, view: View) -> Reaction:
    """Return what the customer does about a message of the agent."""
    if state.ended:
        return Reaction(state, "", view.database, "ended")
    return Turn(domain, sheet, state, text, view).reaction()
