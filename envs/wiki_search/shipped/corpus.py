"""The shipped articles as a corpus, made in the user's cache folder when it is first needed."""

from __future__ import annotations

from importlib.resources import as_file
from pathlib import Path
from typing import Final

from agentgym.envs.wiki_search.corpus import file_source, kept_corpus
from agentgym.envs.wiki_search.shipped.panels import ARTICLES, data_file

NAME: Final = "shipped"


def shipped_corpus() -> Path:
    """Return the folder of the corpus of the shipped articles; some seconds when it is made.

    Raises:
        DataError: the shipped articles are not there.
    """
    with as_file(data_file(ARTICLES)) as path:
        return kept_corpus(file_source(path), NAME)
