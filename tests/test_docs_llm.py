"""docs/llm.md shows the prompts as they are, and counts what was recorded."""

import json
from pathlib import Path

import pytest

from agentgym.llm import prompts

PAGE = (Path(__file__).parent.parent / "docs" / "llm.md").read_text("utf-8")


@pytest.mark.parametrize("name", ["USER", "FACTS", "CHOICES", "NEXT", "KEPT", "AGAIN", "JUDGE", "JUDGE_AGAIN"])
def test_the_page_shows_the_prompt(name: str) -> None:
    assert f"```text\n{getattr(prompts, name).strip()}\n```" in PAGE


def test_the_page_counts_what_a_real_model_said() -> None:
    scenes = json.loads((Path(__file__).parent / "cassettes" / "real.json").read_text("utf-8"))["scenes"]
    found = sum("said" in scene for scene in scenes)
    assert f"It found words for {found} of {len(scenes)} drafts" in " ".join(PAGE.split())
