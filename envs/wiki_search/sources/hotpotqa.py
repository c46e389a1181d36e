"""HotpotQA's layout: hotpot_train_v1.1.json, hotpot_dev_distractor_v1.json, hotpot_dev_fullwiki_v1.json.

Any file of the folder counts whose name begins with hotpot, ends in .json and has train, dev or test as a word. An
item holds _id, question, answer, supporting_facts ([title, sentence]), context ([title, sentences]), and type and level
where it has them. Questions that two files share, as those of distractor and fullwiki, are one task. The hidden test
has no answers and does not play. What is searched is the union of the passages of all items.

Source: https://hotpotqa.github.io, Yang et al. 2018, arXiv 1809.09600.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from agentgym.data import Loaded, Progress
from agentgym.envs.wiki_search.passages import Passage
from agentgym.envs.wiki_search.sources.contexts import (
    context_passages,
    load_contexts,
    sentence_passages,
    supported_question,
)
from agentgym.envs.wiki_search.sources.reading import split_of
from agentgym.errors import DataError


def load(folder: Path, progress: Progress) -> Loaded:
    """Read a folder; see `agentgym.data.Loader`.

    Raises:
        DataError: it holds no file of questions.
    """
    names = sorted(file.name for file in folder.glob("hotpot*.json"))
    files = [(split, name) for name in names if (split := split_of(name))]
    if not files:
        raise DataError(f"{folder} holds no questions of HotpotQA, such as hotpot_dev_distractor_v1.json")
    return load_contexts(folder, files, progress, supported_question, sentence_passages)


def passages(folder: Path, file: str) -> Iterator[Passage]:
    """Yield the passages of a file; one blank joins the sentences of each."""
    return context_passages(folder, file, sentence_passages)
