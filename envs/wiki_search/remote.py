"""A library behind Search-R1's /retrieve: a client that bounds how long it waits, how often it tries and what it reads.

A server that is gone, slow or talks nonsense ends in RetrieverError, after some more tries where a moment may help.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import blake2b
from typing import Any, Final
from weakref import WeakValueDictionary

from agentgym import http
from agentgym.envs.wiki_search.library import Hit, RetrieverError
from agentgym.envs.wiki_search.passages import Passage, folded
from agentgym.envs.wiki_search.protocol import CONTENT, HEALTH, MOST_K, RETRIEVE, TITLED, read_hits
from agentgym.envs.wiki_search.ranking import check_k
from agentgym.envs.wiki_search.sources.question import passage_key
from agentgym.http import Patience

__all__ = ["NoAnswer", "RemoteLibrary", "open_remote"]
LOOKED_THROUGH: Final = 50
"""Passages of a search that are looked through for a title."""


class NoAnswer(http.NoAnswer, RetrieverError):
    """A server of passages did not answer; see `agentgym.http.NoAnswer` for what it holds."""


class _Asker(http.Asker):
    """Asks one server of passages.

    Attributes:
        content: what the server searches; answers of a server that searches something else are none. "": not known.
    """

    content = ""

    def strange(self, answer: http.Answer) -> str:
        """Return what the server searches now where that is something else than at first."""
        now = answer.headers.get(CONTENT)
        odd = bool(self.content) and now not in (None, self.content)
        return f"it searches {now} now, not {self.content} as at first" if odd else ""


class _Found(dict[int, Passage]):
    """Passages that were found, by key; shared by all libraries of equal content, since states name that alone."""


_FOUND: WeakValueDictionary[str, _Found] = WeakValueDictionary()


class RemoteLibrary:
    """Passages that a server of /retrieve finds. Threads and forked processes may share it: each has its connection.

    Keys are 63 bits of a hash of title and text.

    Args:
        url: of the server, "http://127.0.0.1:8000"; one with a path is asked there instead of at /retrieve.
        timeout: seconds for one try.
        attempts: how often one question is asked.
        total: seconds for all tries and the pauses between them.
        most: bytes of an answer that are read.

    Raises:
        ValueError: the URL is none of http or https, or a bound is not positive.
    """

    lasting = False

    def __init__(
        self, url: str, *, timeout: float = 10.0, attempts: int = 10, total: float = 30.0, most: int = 16 << 20
    ) -> None:
        self._bounds = Patience(timeout, attempts, total, most)
        base, path = http.split_url(url)
        path = path or RETRIEVE
        self.url = base + path
        self._path = path
        self._asker = _Asker(base, self._bounds, error=NoAnswer)
        self._facts: tuple[str, int] | None = None
        self._own = False  # whether the server names the content of what it searches
        self._known = _Found()

    @property
    def content(self) -> str:
        """A hash of what /health calls the content of passages and ranking; where it does not say, of the URL.

        It is not the content of the library that is served, whose keys are others.

        Raises:
            NoAnswer: there is no answer at all.
        """
        told = self._health()[0]
        return blake2b((told if self._own else self.url).encode("utf-8", "replace"), digest_size=16).hexdigest()

    @property
    def size(self) -> int:
        """How many passages /health says there are, 0 where it does not. Raises NoAnswer: there is no answer at all."""
        return self._health()[1]

    def search(self, query: str, k: int) -> list[Hit]:
        """Return the best k passages for a query, in the server's order.

        Raises:
            TypeError: the query is no str. ValueError: k is no int of at least 1.
            NoAnswer: the server does not answer, refuses, or answers something else.
        """
        if type(query) is not str:
            raise TypeError(f"a query is a str, not {type(query).__name__}")
        check_k(k)
        body = {"queries": [query], "topk": k, "return_scores": True}
        return self._hits(self._asker.ask("POST", self._path, body, lambda raw: read_hits(raw, k)))

    def titled(self, title: str) -> list[Hit]:
        """Return the passages with this title; where there are none, those that differ in case or blanks alone.

        A server of ours knows them; of any other, those count that are among the first 50 of a search for the title.

        Raises:
            NoAnswer: as `search`.
        """
        self._health()
        if self._own:
            asked = {"titles": [title]}
            found = self._asker.ask("POST", self._beside(TITLED), asked, lambda raw: read_hits(raw, MOST_K))
            return self._hits(found)
        hits = self.search(title, LOOKED_THROUGH)
        exact = [hit for hit in hits if hit.passage.title == title]
        return exact or [hit for hit in hits if folded(hit.passage.title) == folded(title)]

    def passage(self, key: int) -> Passage:
        """Return a passage that was found or kept here. Raises KeyError: it was not."""
        return self._known[key]

    def keep(self, passages: Iterable[Passage]) -> None:
        """Make these passages known, as if they had been found."""
        self._known.update((_key(passage), passage) for passage in passages)

    def _hits(self, found: Iterable[tuple[float, Passage]]) -> list[Hit]:
        hits = [Hit(_key(passage), score, passage) for score, passage in found]
        self._known.update((hit.key, hit.passage) for hit in hits)
        return hits

    def _beside(self, path: str) -> str:
        """Return a path that stands where /retrieve stands."""
        return self._path.rpartition("/")[0] + path

    def _health(self) -> tuple[str, int]:
        if self._facts is None:
            nobody = ("", 0)
            found = self._asker.ask("GET", self._beside(HEALTH), None, lambda raw: _facts(raw) or nobody, nobody)
            self._learn(found, found is not nobody)
            return found
        return self._facts

    def _learn(self, facts: tuple[str, int], own: bool) -> None:
        """Keep what a server said of itself, and whether it is one of ours."""
        self._own, self._facts = own, facts
        self._asker.content = facts[0] if own else ""
        shared = _FOUND.setdefault(self.content, _Found())
        shared.update(self._known)
        self._known = shared

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.url, self._bounds, self._facts, self._own, dict(self._known))

    def __deepcopy__(self, memo: object) -> RemoteLibrary:
        return self  # what is known only grows

    def __repr__(self) -> str:
        return f"RemoteLibrary({self.url!r})"


def _again(
    url: str, bounds: Patience, facts: tuple[str, int] | None, own: bool, known: dict[int, Passage]
) -> RemoteLibrary:
    found = RemoteLibrary(url, timeout=bounds.timeout, attempts=bounds.attempts, total=bounds.total, most=bounds.most)
    found._known.update(known)
    if facts is not None:
        found._learn(facts, own)
    return found


_OPEN: dict[str, RemoteLibrary] = {}


def open_remote(url: str) -> RemoteLibrary:
    """Return the library of a server: one object a process and URL, and a new one when it searches something else.

    Raises:
        ValueError: as `RemoteLibrary`. NoAnswer: the server does not answer now.
    """
    now = RemoteLibrary(url)
    held = _OPEN.get(now.url)
    if held is None or held.content != now.content:
        held = _OPEN[now.url] = now
    return held


def _key(passage: Passage) -> int:
    return int(passage_key(passage)[:16], 16) >> 1


def _facts(raw: bytes) -> tuple[str, int] | None:
    """Return content and size as /health tells them, None where it does not."""
    try:
        value = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    match value:
        case {"content": str(content)} if 0 < len(content) <= 200:
            size = value.get("passages")
            return content, size if type(size) is int and 0 < size < 1 << 62 else 0
        case _:
            return None
