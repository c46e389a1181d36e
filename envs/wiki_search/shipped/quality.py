"""What is promised of the shipped articles and questions, measured. `agentgym list --quality` prints it.

Everything is measured anew, from the files that are shipped; nothing is taken from what `make_panels` found. It takes a
minute or two.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from agentgym.envs.wiki_search.corpus import open_corpus
from agentgym.envs.wiki_search.env import WikiSearchEnv
from agentgym.envs.wiki_search.ranking import Searcher
from agentgym.envs.wiki_search.shipped import facts, panels
from agentgym.envs.wiki_search.shipped.bounds import below, least, most, none, per_cent
from agentgym.envs.wiki_search.shipped.corpus import shipped_corpus
from agentgym.envs.wiki_search.shipped.quality_articles import of_articles
from agentgym.envs.wiki_search.shipped.quality_menu import of_menus
from agentgym.envs.wiki_search.shipped.quality_play import of_episodes
from agentgym.envs.wiki_search.shipped.questions import FAMILIES, plans
from agentgym.envs.wiki_search.shipped.questions.drawing import FAULTS, text_faults
from agentgym.envs.wiki_search.shipped.questions.families import LEVELS, TYPES, marks, named
from agentgym.envs.wiki_search.shipped.questions.making import SHARES
from agentgym.envs.wiki_search.shipped.questions.pages import Pages
from agentgym.envs.wiki_search.shipped.questions.speech import Speech
from agentgym.task import Quality

Entries = Sequence[Mapping[str, Any]]

FEWEST: Final = (500, 100, 200)
"""Questions of train, dev and test."""
TOP: Final = 10
"""Among so many passages a single query must find all gold pages to count."""
LITERAL: Final = re.compile(r"\b\w*[\dA-Z_]\w*\b")
"""What is left out of a question to compare its wording: names and numbers."""


def measure() -> list[Quality]:
    """Return everything that was measured of the shipped articles and questions."""
    corpus = open_corpus(shipped_corpus())
    passages = list(corpus.store)
    speech = Speech(facts.load(), Pages(passages))
    entries, world = panels.entries(), WikiSearchEnv()
    titles = [passage.title for passage in passages]
    return [
        *of_articles(passages, speech),
        *of_questions(entries),
        *of_copies(entries),
        *of_proofs(entries, speech),
        *of_guesses(entries),
        of_search(entries, corpus.index, titles),
        *of_episodes(world, [task for tasks in world.panel.values() for task in tasks]),
        *of_menus(world, world.panel["test"]),
    ]


def of_questions(entries: Entries) -> list[Quality]:
    """Return how many questions there are, of which type, level, length and split, and how evenly they are worded."""
    types, levels = Counter(e["type"] for e in entries), Counter(e["level"] for e in entries)
    hops, splits = Counter(len(e["hops"]) for e in entries), Counter(e["split"] for e in entries)
    frames = Counter(" ".join(LITERAL.sub("_", _unnamed(entry)).lower().split()) for entry in entries)
    families = Counter(entry["family"] for entry in entries)
    found = [least("questions", len(entries), 1_000)]
    found += [least(f"questions of type {name}", types[name], 100) for name in TYPES]
    found += [Quality(f"questions of level {name}", levels[name]) for name in LEVELS]
    found += [least(f"questions of {number} hops", hops[number], 50) for number in range(1, 5)]
    found.append(none("questions of more hops, or none", sum(hops.values()) - sum(hops[n] for n in range(1, 5))))
    found.append(least("questions over two pages or more of which they name none", levels["hard"], 100))
    found += [
        least(f"questions in {split}", splits[split], bound) for split, bound in zip(panels.SPLITS, FEWEST, strict=True)
    ]
    for split, share in zip(panels.SPLITS, SHARES, strict=True):
        value = per_cent(splits[split], len(entries))
        found.append(Quality(f"questions in {split}, per cent", value, f"about {share}", abs(value - share) <= 2))
    found.append(Quality("families", len(families)))
    found.append(most("largest family, per cent", per_cent(max(families.values()), len(entries)), 5))
    found.append(most("commonest wording but for names and numbers, per cent", _top(frames, entries), 5))
    return found


def _unnamed(entry: Mapping[str, Any]) -> str:
    """Return a question without what stands in its slots."""
    text = str(entry["question"])
    for said in sorted(entry["said"].values(), key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(said)}(?!\w)", "_", text, flags=re.IGNORECASE)
    return text


def of_copies(entries: Entries) -> list[Quality]:
    """Return how often two questions have one text, or one set of gold titles and relations; and in two splits."""
    by_name = {family.name: family for family in FAMILIES}
    homes: dict[object, set[str]] = {}
    times: Counter[object] = Counter()
    for entry in entries:
        for mark in marks(dict(entry), by_name[entry["family"]]):
            times[mark] += 1
            homes.setdefault(mark, set()).add(entry["split"])
    return [
        none("texts, or gold titles with relations, that occur twice", sum(times.values()) - len(times)),
        none("of these, in two splits", sum(len(splits) > 1 for splits in homes.values())),
    ]


def of_proofs(entries: Entries, speech: Speech) -> list[Quality]:
    """Return how many questions have another answer than theirs, or break a rule that texts must follow."""
    by_name = {family.name: plans.read(family.plan) for family in FAMILIES}
    wrong = sum(plans.answers(by_name[e["family"]], e["said"], speech) != e["answers"][:1] for e in entries)
    broken = Counter(
        fault for e in entries for fault in text_faults(dict(e), by_name[e["family"]], [e["question"]], speech)
    )
    lost = sum(speech.pages.keys.get(page["title"]) != page["passage"] for e in entries for page in e["gold"])
    last = [e for e in entries if e["type"] != "comparison"]
    unsaid = sum(not speech.pages.says(e["gold"][-1]["title"], e["answers"][0]) for e in last)
    hidden = [e for e in entries if e["level"] == "hard"]
    known = sum(named(e["question"], page["title"], speech) for e in hidden for page in e["gold"])
    return [
        none("questions that can be read in more ways than one, or in none", wrong),
        none("gold pages that are no article", lost),
        none("answers that the last gold page does not say", unsaid),
        *(none(f"questions of which holds: {fault}", broken[fault]) for fault in FAULTS),
        none("pages that a question of level hard names", known),
    ]


def of_guesses(entries: Entries) -> list[Quality]:
    """Return what can be known without reading: the commonest answers, and which of two is more often right."""
    closed = [e for e in entries if e["answers"][0] in ("yes", "no")]
    choice = [e for e in entries if e["type"] == "comparison" and e not in closed]
    families: dict[str, Counter[str]] = {}
    for entry in entries:
        if entry["answers"][0] not in ("yes", "no"):
            families.setdefault(entry["family"], Counter())[entry["answers"][0]] += 1
    commonest = max(per_cent(max(counts.values()), counts.total()) for counts in families.values())
    yes = per_cent(sum(e["answers"][0] == "yes" for e in closed), len(closed))
    first = per_cent(sum(_first(entry) for entry in choice), len(choice))
    overall = Counter(e["answers"][0] for e in entries)
    return [
        below("commonest answer of a family but yes and no, per cent", commonest, 10),
        most("commonest answer of all, per cent", _top(overall, entries), 5),
        Quality("questions to be answered with yes or no", len(closed)),
        Quality("of these, yes, per cent", yes, "48 to 52", 48 <= yes <= 52),
        Quality(
            "of those that give a choice of two, the first is right, per cent", first, "48 to 52", 48 <= first <= 52
        ),
    ]


def _first(entry: Mapping[str, Any]) -> bool:
    """Return whether the answer is what the question names first."""
    names = sorted(entry["said"].values(), key=lambda name: entry["question"].casefold().find(name.casefold()))
    return bool(names[0].casefold().endswith(entry["answers"][0].casefold()))


def of_search(entries: Entries, index: Searcher, titles: Sequence[str]) -> Quality:
    """Return how often one search with the question finds all gold pages among the first TOP, of several pages."""
    several = [entry for entry in entries if len(entry["gold"]) > 1]
    found = sum(finds_all(entry, index, titles) for entry in several)
    return below(
        f"questions whose pages one search finds among the first {TOP}, per cent", per_cent(found, len(several)), 40
    )


def finds_all(entry: Mapping[str, Any], index: Searcher, titles: Sequence[str]) -> bool:
    """Return whether one search with the question finds all of its gold pages among the first TOP."""
    shown = {titles[passage] for passage, _ in index.search(entry["question"], TOP)}
    return all(page["title"] in shown for page in entry["gold"])


def _top(counts: Counter[str], entries: Iterable[object]) -> float:
    return per_cent(max(counts.values()), sum(1 for _ in entries))
