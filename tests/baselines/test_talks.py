"""Talks on the pages are those that the command writes, and remarks beside them stay."""

import re

import pytest

from agentgym.baselines.talks import filled, main, talks
from tests.layering import ROOT

PAGES = {"agentgym/EmotionalSupport-v0": "emotionalsupport", "agentgym/Sales-v0": "sales"}
SEED = 20


def page_of(env: str) -> str:
    return (ROOT / "docs" / "worlds" / f"{PAGES[env]}-talks.md").read_text("utf-8")


@pytest.mark.parametrize("env", PAGES)
def test_the_first_talks_of_a_page_are_those_of_the_command(env: str) -> None:
    found = talks(env, SEED, 1)
    assert list(found) == ["expert 1", "random 1"]
    assert filled(page_of(env), found) == page_of(env)


@pytest.mark.slow
@pytest.mark.parametrize("env", PAGES)
def test_every_talk_of_a_page_is_that_of_the_command(env: str) -> None:
    assert filled(page_of(env), talks(env, SEED)) == page_of(env)


@pytest.mark.parametrize("env", PAGES)
def test_a_reader_has_remarked_on_every_talk(env: str) -> None:
    page = page_of(env)
    assert f"agentgym.baselines.talks {env} --seed {SEED} " in page
    ends = re.findall(r"<!-- end of (\w+ \d+) -->\n\n\*\*Remark\.\*\* \S", page)
    assert ends == [f"{agent} {number}" for agent in ("expert", "random") for number in range(1, 11)]


def test_what_stands_outside_of_the_marks_stays() -> None:
    page = "# Head\n\n<!-- a 1 -->\n\nold\n\n<!-- end of a 1 -->\n\nA remark.\n"
    assert filled(page, {"a 1": "new"}) == page.replace("old", "new")
    assert filled("# Head\n", {"b 2": "text"}).endswith("### B 2\n\n<!-- b 2 -->\n\ntext\n\n<!-- end of b 2 -->\n")


def test_the_command_prints_and_writes(capsys: pytest.CaptureFixture[str], tmp_path) -> None:
    arguments = ["agentgym/Sales-v0", "--seed", "20", "--many", "1"]
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    page = tmp_path / "page.md"
    page.write_text("", "utf-8")
    assert main([*arguments, "--page", str(page)]) == 0
    assert page.read_text("utf-8").strip() == printed.strip()
    assert printed.startswith("### Expert 1\n") and "- **agent** `{" in printed
