"""A little encyclopedia of an invented country, and ten questions about it, written for these tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agentgym.envs.wiki_search.corpus import keep_index
from agentgym.envs.wiki_search.env import WikiSearchEnv
from agentgym.envs.wiki_search.passages import Passage, build_store
from agentgym.envs.wiki_search.sources.question import passage_key
from agentgym.task import Task

PAGES = {
    "Oldhaven": "Oldhaven is a town at the mouth of the Orla. It has 41,200 inhabitants. Its mayor is Ines Tarn.",
    "Brenford": "Brenford is a market town on the Orla. It has 12,900 inhabitants. The Orla Bridge stands there.",
    "Kelsey Marsh": "Kelsey Marsh is a village on the coast of Norrland. It has 870 inhabitants and a lighthouse.",
    "Pintwick": "Pintwick is a mining town in the Hollow Hills. It has 5,300 inhabitants. Tin was found there in 1788.",
    "Sallow": "Sallow is a town on the Tamsin. It has 23,000 inhabitants. Its university was founded in 1644.",
    "Orla": "The Orla is a river of 312 km. It rises in the Hollow Hills and reaches the sea at Oldhaven.",
    "Tamsin": "The Tamsin is a river of 188 km. It joins the Orla above Brenford.",
    "Hollow Hills": "The Hollow Hills are a range in the east of Norrland. Their highest top is Grey Nan, at 1,204 m.",
    "Grey Nan": "Grey Nan is a mountain of 1,204 m in the Hollow Hills. It was first climbed by Edda Lorne in 1861.",
    "Norrland": "Norrland is an island country. Its capital is Oldhaven, and its currency is the mark.",
    "Mara Venn": "Mara Venn (1799-1866) was an engineer. She was born in Oldhaven and designed the Orla Bridge.",
    "Tobias Rook": "Tobias Rook (1811-1890) was an engineer. He was born in Pintwick. He built the Kelsey Lighthouse.",
    "Edda Lorne": "Edda Lorne (1835-1902) was a climber and botanist. She was born in Sallow and taught there.",
    "Ines Tarn": "Ines Tarn is a politician. She was born in Brenford and became mayor of Oldhaven in 2012.",
    "Jory Penhale": "Jory Penhale (1840-1911) was a composer. He was born in Kelsey Marsh. His opera is The Salt Road.",
    "Orla Bridge": "The Orla Bridge is an iron bridge in Brenford. It was designed by Mara Venn and opened in 1842.",
    "Kelsey Lighthouse": "The Kelsey Lighthouse was built by Tobias Rook in 1859. It is 38 m high.",
    "University of Sallow": "The University of Sallow was founded in 1644 by Bishop Aldous Crane. It has a garden.",
    "Aldous Crane": "Aldous Crane (1590-1661) was a bishop. He was born in Pintwick.",
    "The Salt Road": "The Salt Road is an opera by Jory Penhale. It was first sung in Sallow in 1877.",
    "The Tin Bell": "The Tin Bell is a novel by Ada Moss about the miners of Pintwick. It was printed in 1903.",
    "Ada Moss": "Ada Moss (1866-1940) was a novelist. She was born in Sallow.",
    "Mercury": "Mercury may mean: Mercury (planet), Mercury (boat), Mercury (newspaper).",
    "Mercury (planet)": "Mercury is the planet nearest to the Sun.",
    "Mercury (boat)": "Mercury is a steam boat of 1871 on the Tamsin. She was built in Sallow by Nils Gard.",
    "Mercury (newspaper)": "Mercury is a newspaper of Oldhaven. It was founded in 1830 by Mara Venn's brother Peter.",
    "Nils Gard": "Nils Gard (1820-1899) was a shipwright. He was born in Brenford.",
    "Peter Venn": "Peter Venn (1802-1870) was a printer. He was born in Oldhaven.",
    "Mark (currency)": "The mark is the currency of Norrland. It was introduced in 1822.",
    "Herring": "The herring is a small fish. Herring are sold in the market of Oldhaven every morning.",
}


def gold(*titles: str) -> list[dict[str, str]]:
    return [{"title": title, "passage": passage_key(Passage(title, PAGES[title]))} for title in titles]


def hops(*steps: tuple[str, str, str]) -> list[dict[str, str]]:
    """Return a decomposition of steps (question, answer, title)."""
    return [{"question": asked, "answer": said, **gold(title)[0]} for asked, said, title in steps]


def _task(name: str, kind: str, asked: str, answers: Sequence[str], *steps: tuple[str, str, str]) -> Task:
    pages = list(dict.fromkeys(title for _, _, title in steps))
    data = {"question": asked, "answers": list(answers), "gold": gold(*pages), "hops": hops(*steps), "type": kind}
    return Task(name, {**data, "level": "easy"})


TASKS = (
    _task("length", "single", "How long is the Tamsin?", ["188 km"], ("length of the Tamsin", "188 km", "Tamsin")),
    _task("money", "single", "Which currency has Norrland?", ["the mark", "mark"], ("currency", "mark", "Norrland")),
    _task(
        "designer",
        "bridge",
        "Where was the designer of the Orla Bridge born?",
        ["Oldhaven"],
        ("Who designed the Orla Bridge?", "Mara Venn", "Orla Bridge"),
        ("Where was #1 born?", "Oldhaven", "Mara Venn"),
    ),
    _task(
        "composer",
        "bridge",
        "Where was the composer of The Salt Road born?",
        ["Kelsey Marsh"],
        ("Who wrote The Salt Road?", "Jory Penhale", "The Salt Road"),
        ("Where was #1 born?", "Kelsey Marsh", "Jory Penhale"),
    ),
    _task(
        "novelist",
        "bridge",
        "In which town was the author of The Tin Bell born?",
        ["Sallow"],
        ("Who wrote The Tin Bell?", "Ada Moss", "The Tin Bell"),
        ("Where was #1 born?", "Sallow", "Ada Moss"),
    ),
    _task(
        "boat",
        "bridge",
        "Where was the builder of the steam boat Mercury born?",
        ["Brenford"],
        ("Who built the boat Mercury?", "Nils Gard", "Mercury (boat)"),
        ("Where was #1 born?", "Brenford", "Nils Gard"),
    ),
    _task(
        "climber",
        "composition",
        "When was the university of the town where the first climber of Grey Nan was born founded?",
        ["1644"],
        ("Who first climbed Grey Nan?", "Edda Lorne", "Grey Nan"),
        ("Where was #1 born?", "Sallow", "Edda Lorne"),
        ("When was the university of #2 founded?", "1644", "Sallow"),
    ),
    _task(
        "mayor",
        "composition",
        "Which bridge stands in the town where the mayor of the capital of Norrland was born?",
        ["Orla Bridge", "the Orla Bridge"],
        ("What is the capital of Norrland?", "Oldhaven", "Norrland"),
        ("Who is mayor of #1?", "Ines Tarn", "Oldhaven"),
        ("Where was #2 born?", "Brenford", "Ines Tarn"),
        ("Which bridge stands in #3?", "Orla Bridge", "Brenford"),
    ),
    _task(
        "rivers",
        "comparison",
        "Which river is longer, the Orla or the Tamsin?",
        ["the Orla", "Orla"],
        ("length of the Orla", "312 km", "Orla"),
        ("length of the Tamsin", "188 km", "Tamsin"),
    ),
    _task(
        "engineers",
        "comparison",
        "Was Mara Venn born before Tobias Rook?",
        ["yes"],
        ("birth of Mara Venn", "1799", "Mara Venn"),
        ("birth of Tobias Rook", "1811", "Tobias Rook"),
    ),
)


def corpus(folder: Path, extra: Mapping[str, str] | Sequence[Passage] = ()) -> Path:
    """Write the corpus of the little encyclopedia, and further passages behind it, into a folder; return it."""
    more = [Passage(*item) for item in extra.items()] if isinstance(extra, Mapping) else list(extra)
    store = build_store([*(Passage(*item) for item in PAGES.items()), *more], folder / "passages")
    keep_index(store, folder)
    return folder


def world(folder: Path, **arguments: Any) -> WikiSearchEnv:
    """Return the world over the corpus in a folder, with the ten questions unless others are given."""
    return WikiSearchEnv(**{"tasks": TASKS, "corpus": folder, **arguments})
