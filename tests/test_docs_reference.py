"""Every estimator and every world has its page, and the page leaves nothing out."""

import inspect
import re

import gymnasium
import pytest

from agentgym import credit
from agentgym.rollout import build
from tests.layering import ROOT

DOCS = ROOT / "docs"
PAGES = [page.read_text("utf-8") for page in sorted((DOCS / "estimators").glob("*.md"))]  # the title: whose page it is
OWN = [name for name in credit.names() if credit.info(name).function.__module__.startswith("agentgym.")]
WORLDS = [name for name, spec in gymnasium.registry.items() if spec.namespace == "agentgym"]
HEADING = re.compile(r"^([A-Z][A-Za-z ]+):", re.MULTILINE)


@pytest.mark.parametrize("name", OWN)
def test_an_estimators_page_names_its_paper_options_and_presets(name: str) -> None:
    pages = [page for page in PAGES if name in page.partition("\n")[0].split()]
    assert len(pages) == 1, f"docs/estimators has {len(pages)} pages with {name} in their title"
    [text] = pages
    found = credit.info(name)
    assert f"arXiv {found.paper}" in text
    assert [word for word in (*found.options, *found.presets) if f"`{word}`" not in text] == []


def test_the_page_on_paper_and_code_speaks_of_every_published_estimator() -> None:
    text = (DOCS / "paper-and-code.md").read_text("utf-8")
    assert [name for name in OWN if f"](estimators/{name}.md)" not in text] == []


@pytest.mark.parametrize("name", WORLDS)
def test_a_worlds_page_has_the_headings_of_its_docstring(name: str) -> None:
    page = name.partition("/")[2].rpartition("-")[0].lower()
    text = (DOCS / "worlds" / f"{page}.md").read_text("utf-8")
    headings = HEADING.findall(inspect.getdoc(type(build(name))) or "")
    assert "Description" in headings
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == headings


@pytest.mark.parametrize("page", sorted(page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")))
def test_a_page_is_in_the_navigation(page: str) -> None:
    assert f"{page}\n" in (ROOT / "mkdocs.yml").read_text("utf-8")


def test_the_navigation_is_yaml_that_mkdocs_can_read() -> None:
    yaml = pytest.importorskip("yaml", reason="mkdocs brings it")
    assert yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]
