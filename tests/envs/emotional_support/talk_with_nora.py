"""A seeker for tests of the analyser: laid off, hides it from her husband, ashamed and afraid."""

from __future__ import annotations

from dataclasses import replace

from agentgym.envs.emotional_support.analyser import Context, Fact, Reading, analyse

STORY = (
    Fact("laid off", ("laid off", "job", "company", "redundancy")),
    Fact("hides it", ("husband", "hide", "secret", "pretend")),
    Fact("mornings", ("every morning", "library")),
    Fact("concern", ("father", "useless")),
    Fact("strength", ("applications", "budget")),
)
LAST = "I was laid off in March. My husband doesn't know, I leave the house every morning and sit in the library."
NORA = Context(STORY, frozenset(("laid off", "hides it", "mornings")), ("ashamed", "afraid"), LAST)
READY = replace(NORA, told=frozenset(fact.name for fact in STORY), ready=True)


def read(text: str, heard: Context = NORA) -> Reading:
    """Return what is read in a text said to Nora."""
    return analyse(text, heard)


def skills(text: str, heard: Context = NORA) -> set[str]:
    """Return the skills that are read in a text said to Nora."""
    return set(analyse(text, heard).skills)
