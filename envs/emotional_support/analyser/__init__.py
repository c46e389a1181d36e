"""The analyser of support skills: what a supporter's text does to one seeker, told by rules alone.

    reading = analyse(text, Context(story, told, feelings, last, earlier, ready))

The same text in the same context always reads the same; nothing is drawn, and the time is linear in the text.
"""

from agentgym.envs.emotional_support.analyser.analyse import analyse
from agentgym.envs.emotional_support.analyser.reading import HARMFUL, HELPFUL, Context, Fact, Reading

__all__ = ["HARMFUL", "HELPFUL", "Context", "Fact", "Reading", "analyse"]
