"""The shipped articles as a question's author reads them: which page says what, and whether one says it all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from agentgym.envs.wiki_search.answers import normalize
from agentgym.envs.wiki_search.passages import Passage
from agentgym.envs.wiki_search.sources.question import passage_key


class Pages:
    """Articles by title.

    Attributes:
        keys: title → `passage_key` of the article.

    Args:
        passages: one a title.
    """

    def __init__(self, passages: Iterable[Passage]) -> None:
        self.keys: dict[str, str] = {}
        self._raw: dict[str, str] = {}
        self._plain: dict[str, str] = {}
        self._holders: dict[str, set[str]] = {}
        for passage in passages:
            title, plain = passage.title, normalize(passage.text)
            self.keys[title] = passage_key(passage)
            self._raw[title], self._plain[title] = passage.text, f" {plain} "
            for word in {*plain.split(), *normalize(title).split()}:
                self._holders.setdefault(word, set()).add(title)

    def says(self, title: str, phrase: str) -> bool:
        """Return whether the text of a page holds a phrase, word by word, both normalised as answers are."""
        wanted = normalize(phrase)
        return bool(wanted) and f" {wanted} " in self._plain.get(title, "")

    def writes(self, title: str, phrase: str) -> bool:
        """Return whether the text of a page holds a phrase to the letter, not as a part of longer words or numbers."""
        return bool(re.search(rf"(?<![\w.,]){re.escape(phrase)}(?!\w|[.,]\d)", self._raw.get(title, "")))

    def together(self, phrases: Sequence[str]) -> list[str]:
        """Return the titles of the pages that say all phrases, in order; a page's title counts too."""
        wanted = [normalize(phrase) for phrase in phrases]
        words = sorted({word for phrase in wanted for word in phrase.split()})
        pools = sorted((self._holders.get(word, set()) for word in words), key=len)
        left = set.intersection(*pools) if pools else set()
        return sorted(title for title in left if all(self._has(title, phrase) for phrase in wanted))

    def _has(self, title: str, phrase: str) -> bool:
        return f" {phrase} " in f" {normalize(title)}{self._plain[title]}"
