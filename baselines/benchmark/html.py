"""Pieces of a page: tables whose cells are escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return an HTML table; cells are escaped, numbers aligned to the right."""
    lines = ["<table><thead><tr>" + "".join(f"<th>{escape(name)}</th>" for name in head) + "</tr></thead><tbody>"]
    for row in rows:
        tags = "".join(
            f"<td class=number>{value:.3f}</td>" if isinstance(value, float) else f"<td>{escape(str(value))}</td>"
            for value in row
        )
        lines.append(f"<tr>{tags}</tr>")
    return "\n".join([*lines, "</tbody></table>"])


def folded(title: str, body: str) -> str:
    """Return what a reader opens by a click; the body is HTML."""
    return f"<details><summary>{escape(title)}</summary>{body}</details>"
