"""The table of rules in docs/check.md is that of the checker; `python tests/agentgym/test_check_docs.py` writes it."""

from __future__ import annotations

from pathlib import Path

from agentgym.check import RULES

PAGE = Path(__file__).parents[2] / "docs" / "check.md"
BEGIN, END = "<!-- rules: begin -->\n", "<!-- rules: end -->\n"


def table() -> str:
    """Return the rules as a table of Markdown."""
    rows = ["| rule | what it promises | hooks it needs |", "|---|---|---|"]
    for rule in RULES.values():
        rows.append(f"| `{rule.name}` | {rule.summary.rstrip('.')} | {', '.join(f'`{hook}`' for hook in rule.hooks)} |")
    return "\n".join(rows) + "\n"


def written(text: str) -> str:
    """Return a page with the table in its place."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n{table()}\n{END}{rest.partition(END)[2]}"


def test_the_page_holds_the_table() -> None:
    text = PAGE.read_text("utf-8")
    assert BEGIN in text and END in text
    assert text == written(text), "run `python tests/agentgym/test_check_docs.py`"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text("utf-8")), "utf-8")
