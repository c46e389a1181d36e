"""What the calls find: the state after a search, an opened page or a lookup, and what the agent reads of it."""

from __future__ import annotations

from typing import Final, NamedTuple

from agentgym.envs.wiki_search import text
from agentgym.envs.wiki_search.library import Hit, Library
from agentgym.envs.wiki_search.state import NO_PAGE, SearchState
from agentgym.turn import InvalidAction

NEAREST: Final = 5  # titles offered in place of one that no page has


class Found(NamedTuple):
    """What a call came to.

    Attributes:
        state: after it; the same object where nothing new was shown.
        said: what the agent reads.
        tag: search, open, lookup; duplicate, empty, missing.
        shown: how many passages were shown.
    """

    state: SearchState
    said: str
    tag: str
    shown: int


def searched(state: SearchState, query: str, k: int) -> Found:
    """Search for a query, of which the first text.QUERY characters are read.

    Raises:
        InvalidAction: a k out of its range.
    """
    if not 1 <= k <= text.MOST_K:
        raise InvalidAction(f"args: search.k must lie between 1 and {text.MOST_K}, not {k}")
    hits = state.question.library.search(query[: text.QUERY], k)
    after = state.show(hits)
    tag = "empty" if not hits else "duplicate" if after is state else "search"
    return Found(after, text.results(hits) + _cut(query, "query"), tag, len(hits))


def opened(state: SearchState, title: str) -> Found:
    """Open the page with this title; where there is none, or several, titles are offered."""
    library, wanted = state.question.library, title[: text.QUERY]
    hits = _titled(library, wanted)
    if not hits:
        near = dict.fromkeys(hit.passage.title for hit in library.search(wanted, NEAREST))
        return Found(state, text.missing(near), "missing", 0)
    titles = list(dict.fromkeys(hit.passage.title for hit in hits))
    if len(titles) > 1:
        return Found(state, text.several(titles), "missing", 0)
    said, count = text.page(hits)
    after = state.show(hits[:count], hits[0].key)
    return Found(after, said, "duplicate" if after is state else "open", count)


def looked_up(state: SearchState, wanted: str) -> Found:
    """Look for the sentences of the open page that hold a text.

    Raises:
        InvalidAction: no page is open.
    """
    if state.page == NO_PAGE:
        raise InvalidAction("lookup: no page is open; open one by its title first")
    library = state.question.library
    page = library.passage(state.page)
    found = text.sentences(library.titled(page.title), wanted[: text.QUERY])
    after = state.show({hit.key: hit for hit, _ in found[: text.SENTENCES]}.values())
    said = text.looked_up([sentence for _, sentence in found], text.title(page))
    return Found(after, said + _cut(wanted, "text"), "lookup" if found else "missing", 0 if after is state else 1)


def _titled(library: Library, title: str) -> list[Hit]:
    """Return the passages with a title, which may be written as it was shown."""
    hits = library.titled(title)
    return library.titled(title.replace("&lt;", "<")) if not hits and "&lt;" in title else hits


def _cut(given: str, what: str) -> str:
    return f"\n(Only the first {text.QUERY:,} characters of the {what} were read.)" if len(given) > text.QUERY else ""
