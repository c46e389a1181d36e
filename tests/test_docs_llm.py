"""docs/llm.md shows the prompts as they are."""

from pathlib import Path

import pytest

from agentgym.llm import prompts

PAGE = (Path(__file__).parent.parent / "docs" / "llm.md").read_text("utf-8")


@pytest.mark.parametrize("name", ["USER", "FACTS", "CHOICES", "NEXT", "KEPT", "AGAIN", "JUDGE", "JUDGE_AGAIN"])
def test_the_page_shows_the_prompt(name: str) -> None:
    assert f"```text\n{getattr(prompts, name).strip()}\n```" in PAGE
