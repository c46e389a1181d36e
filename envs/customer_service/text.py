"""What the agent reads besides the customer's words and the results of tools."""

from __future__ import annotations

from agentgym.envs.customer_service.domain import Domain
from agentgym.envs.customer_service.sheet_json import plain_call
from agentgym.envs.customer_service.state import Case, ServiceState

MOST = 8_000  # characters of a tool's result


def system(domain: Domain, turns: int) -> str:
    """Return the rules of the world and the policy of the domain."""
    return (
        f"You are a customer service agent of {domain.title}. In every turn you either write a message, which the "
        "customer reads, or call one tool, whose result only you read; never both. The customer ends the talk. "
        f"You have {turns} turns. It is {domain.clock}. Keep to this policy:\n\n{domain.policy.strip()}\n"
    )


def result(text: str) -> str:
    """Return the result of a tool, cut visibly where it is too long to be read."""
    return text if len(text) <= MOST else f"{text[:MOST]}… ({len(text) - MOST:,} more characters)"


def describe(state: ServiceState) -> str:
    """Return in a few lines what an agent knows of a talk by now."""
    sheet, customer = state.case.sheet, state.customer
    facts = dict(sheet.facts)
    for goal in state.case.goals:
        facts.update(goal.facts)
    told = [f"{name}: {facts[name]}" for name in sorted(customer.told) if name in facts]
    goal = state.goal
    lines = [
        f"The customer wants: {goal.intent}" if goal else "Everything is settled",
        f"Told: {'; '.join(told) or 'nothing'}",
        f"Looked at: {', '.join(sorted(state.looked)) or 'nothing'}",
        f"The customer has {'' if customer.agreed else 'not '}said yes",
        f"Settled: {', '.join(customer.results) or 'nothing'}",
    ]
    return "\n".join(lines)


def secrets(case: Case) -> dict[str, list[str]]:
    """Return what an agent has to find out, a sentence each: facts, goals, gold calls, and what has to be said."""
    sheet = case.sheet
    facts = [("the customer", sheet.facts), *((goal.intent, goal.facts) for goal in case.goals)]
    return {
        "facts": [f"{who}, {name}: {value}" for who, known in facts for name, value in known.items()],
        "goals": [
            f"{goal.intent}: {f'to be refused, {goal.reason}' if goal.reason else 'to be done'}" for goal in case.goals
        ],
        "gold": [f"{call.side}: {plain_call(call)}" for call in (*sheet.identify, *sheet.gold)],
        "tells": [f"{goal.intent}, {tell.topic}: {tell.text}" for goal in case.goals for tell in goal.tells],
    }
