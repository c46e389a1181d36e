"""How well a seller speaks: what a message is worth in five named ways, and what whole sessions come to."""

from agentgym.envs.sales.speech.identity import asks_machine, says_identity
from agentgym.envs.sales.speech.judge import COMPONENTS, Moment, Speech, judge, undisclosed, weighed
from agentgym.envs.sales.speech.measures import Measures, Session, measure

__all__ = [
    "COMPONENTS",
    "Measures",
    "Moment",
    "Session",
    "Speech",
    "asks_machine",
    "judge",
    "measure",
    "says_identity",
    "undisclosed",
    "weighed",
]
