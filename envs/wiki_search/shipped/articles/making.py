"""The articles as they are shipped: one a line, in the order of the entities."""

from __future__ import annotations

import gzip
import json

from agentgym.envs.wiki_search.shipped.articles import render
from agentgym.envs.wiki_search.shipped.facts import Facts


def packed_articles(facts: Facts) -> bytes:
    """Return all articles as the bytes of data/articles.jsonl.gz: title, text and links a line, without a time."""
    lines = []
    for entity in facts.entities.values():
        article = render(entity, facts)
        line = {"title": article.title, "text": article.text, "links": list(article.links)}
        lines.append(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
    return gzip.compress("".join(lines).encode(), mtime=0)
