"""Every estimator has its page, picture and place in the navigation, and what is made is what the command writes."""

import re

import pytest

from agentgym.baselines.pages import site
from agentgym.baselines.pages.__main__ import main
from tests.layering import ROOT

DOCS = ROOT / "docs"
SECTIONS = [
    "Options",
    "The example group",
    "By hand",
    "What released code does differently",
    "When it helps, and when it is blind",
    "Cost",
]
"""What every page has, in this order; a page may have sections of its own between them."""


@pytest.fixture(scope="module")
def made():
    pytest.importorskip("scipy", reason="apex_plan matches plans with scipy")
    return site.made(DOCS)


def test_committed_files_are_what_the_command_writes(made):
    stale = [
        str(path.relative_to(ROOT))
        for path, text in made.items()
        if not path.is_file() or path.read_text("utf-8") != text
    ]
    assert stale == [], "run python -m agentgym.baselines.pages"


def test_no_picture_is_left_over(made):
    assert set((DOCS / "images" / "estimators").iterdir()) <= set(made)


def test_pictures_are_small(made):
    assert max(len(text) for path, text in made.items() if path.suffix == ".svg") < 8_000


@pytest.mark.parametrize("name", site.own())
def test_an_estimator_has_page_picture_and_place_in_the_navigation(name):
    page = (DOCS / "estimators" / f"{name}.md").read_text("utf-8")
    assert page.startswith(f"# {name}\n")
    assert page.count(f"](../images/estimators/{name}.svg)") == 1
    assert (DOCS / "images" / "estimators" / f"{name}.svg").is_file()
    assert f"      - {name}: estimators/{name}.md\n" in (ROOT / "mkdocs.yml").read_text("utf-8")


@pytest.mark.parametrize("name", site.own())
def test_pages_are_built_alike(name):
    page = (DOCS / "estimators" / f"{name}.md").read_text("utf-8")
    found = re.findall(r"^## (.+)$", re.sub(r"^```.*?^```", "", page, flags=re.M | re.S), re.M)
    assert [title for title in found if title in SECTIONS] == SECTIONS
    assert found[-1] == "Cost"
    source = re.search(r"arXiv \d{4}\.\d{5}|no arXiv number", page)
    assert source, f"{name}.md names no source"


def test_the_index_lists_every_estimator_once():
    page = (DOCS / "estimators" / "index.md").read_text("utf-8")
    assert sorted(re.findall(r"^\| \[(\w+)\]\(\w+\.md\)", page, re.M)) == sorted(site.own())


def test_a_part_is_put_between_its_marks():
    text = "before\n\n<!-- cost -->\n\nold\n\n<!-- end of cost -->\n\nafter\n"
    filled = site.filled(text, "cost", "new", "page.md")
    assert filled == text.replace("old", "new") == site.filled(filled, "cost", "new", "page.md")
    with pytest.raises(ValueError, match=r"page\.md lacks the marks <!-- cost --> and <!-- end of cost -->"):
        site.filled("text\n<!-- cost -->\n", "cost", "new", "page.md")


def test_a_module_without_family_is_named(monkeypatch):
    monkeypatch.setattr(site, "FAMILIES", {"Others": ("turn",)})
    with pytest.raises(
        ValueError, match=r"stands in agentgym\.credit\.\w+, which has no family in baselines/pages/site\.py"
    ):
        site._table()


def test_the_command_fills_a_copy(made, tmp_path):
    for path in made:
        if path.suffix == ".md":
            there = tmp_path / path.relative_to(DOCS)
            there.parent.mkdir(parents=True, exist_ok=True)
            there.write_text(
                re.sub(r"(<!-- (\w+) -->\n).*?(<!-- end of \2 -->)", r"\1\3", path.read_text("utf-8"), flags=re.S)
            )
    main([str(tmp_path)])
    for path, text in made.items():
        assert (tmp_path / path.relative_to(DOCS)).read_text("utf-8") == text


def test_the_command_names_what_it_cannot_find(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main([str(tmp_path)])
    assert "apex_plan.md" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([str(tmp_path), "--perf", str(tmp_path / "none.json")])
    assert "none.json" in capsys.readouterr().err
