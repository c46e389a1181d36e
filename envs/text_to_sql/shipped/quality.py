"""What the shipped panel promises, measured: each property with its bound. `agentgym list --quality` prints it.

Everything is measured anew, from the files that are shipped and from two refillings of each database; nothing is taken
from what `make_panels` found. `quality_menu` measures what concerns episodes. It takes minutes.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from typing import Any, Final

from agentgym.envs.text_to_sql.canonical import canonical
from agentgym.envs.text_to_sql.engine import TableInfo, open_engine
from agentgym.envs.text_to_sql.env import TextToSQLEnv
from agentgym.envs.text_to_sql.hardness import features
from agentgym.envs.text_to_sql.reading import skeleton
from agentgym.envs.text_to_sql.shipped import checks, families, panels
from agentgym.envs.text_to_sql.shipped.bounds import least, most, none, per_cent
from agentgym.envs.text_to_sql.shipped.families import Question
from agentgym.envs.text_to_sql.shipped.make_panels import SHARES
from agentgym.envs.text_to_sql.shipped.misses import is_wrong, results
from agentgym.envs.text_to_sql.shipped.quality_menu import of_episodes
from agentgym.envs.text_to_sql.shipped.settled import run
from agentgym.task import Quality

Entries = Sequence[Mapping[str, Any]]
Fillings = Mapping[str, Sequence[sqlite3.Connection]]
Schemas = Mapping[str, tuple[TableInfo, ...]]

ASKED: Final = {
    "join3": "a join of 3 or more tables", "having": "HAVING", "nested": "a query inside a query",
    "set_operation": "a set operation", "window": "a window", "date": "dates", "null_logic": "NULL logic",
}  # fmt: skip
"""What golds must use often enough, by its name in `hardness`."""
COPIED: Final = ("id", "database", "difficulty", "question", "evidence")
CONSTRUCTS: Final = (*ASKED, "join", "group", "self_join", "left_join", "case", "cte")
LITERAL: Final = re.compile(r"'[^']*'|\"[^\"]*\"|\b\w*[\dA-Z_]\w*\b")
"""What is left out of a question to compare its wording: quoted texts, numbers, names."""


@contextmanager
def filled(names: Sequence[str]) -> Iterator[dict[str, list[sqlite3.Connection]]]:
    """Yield for each database a connection to its shipped file, read-only, and to each of its refillings."""
    with ExitStack() as stack:
        found = {}
        for name in names:
            shipped = sqlite3.connect(f"file:{panels.database_file(name)}?mode=ro", uri=True)
            again = [families.create(families.load(name), number) for number in range(1, families.FILLINGS)]
            found[name] = [stack.enter_context(closing(one)) for one in (shipped, *again)]
        yield found


def measure() -> list[Quality]:
    """Return everything that was measured of the shipped panel."""
    world = TextToSQLEnv()
    return [
        *measured(panels.entries()),
        *of_episodes(world, [task for split in world.panel.values() for task in split]),
    ]


def measured(entries: Entries) -> list[Quality]:
    """Return what was measured of databases, questions, golds and misses."""
    names = sorted({entry["database"] for entry in entries})
    schemas = {name: open_engine(panels.database_file(name)).tables() for name in names}
    with filled(names) as fillings:
        rows = [*of_databases(schemas), *of_questions(entries), *of_copies(entries, schemas)]
        return [*rows, *of_golds(entries, fillings), *of_misses(entries, fillings)]


def of_databases(schemas: Schemas) -> list[Quality]:
    """Return how many databases there are, and of which shape."""
    tables = [len(schema) for schema in schemas.values()]
    largest = [max(table.rows for table in schema) for schema in schemas.values()]
    return [
        least("databases", len(schemas), 12),
        least("fewest tables of a database", min(tables), 3),
        most("most tables of a database", max(tables), 12),
        least("rows in all", sum(table.rows for schema in schemas.values() for table in schema), 20_000),
        least("rows of the largest table, where that is smallest", min(largest), 1_000),
    ]


def of_questions(entries: Entries) -> list[Quality]:
    """Return how many questions there are, of which difficulty and split, and how evenly they are worded."""
    levels = Counter(entry["difficulty"] for entry in entries)
    splits = Counter(entry["split"] for entry in entries)
    frames = Counter(" ".join(LITERAL.sub("_", entry["question"]).lower().split()) for entry in entries)
    starts = Counter(" ".join(entry["question"].lower().split()[:3]) for entry in entries)
    found = [least("questions", len(entries), 600)]
    found += [least(f"questions that are {level}", levels[level], 60) for level in families.DIFFICULTIES]
    for split, share in zip(panels.SPLITS, SHARES, strict=True):
        value = per_cent(splits[split], len(entries))
        found.append(Quality(f"questions in {split}, per cent", value, f"about {share}", abs(value - share) <= 2))
    found.append(most("commonest wording but for names and numbers, per cent", _top(frames, entries), 1))
    found.append(most("commonest first three words, per cent", _top(starts, entries), 10))
    return found


def of_copies(entries: Entries, schemas: Schemas) -> list[Quality]:
    """Return how often a question or a gold, however spelled, occurs twice; and the commonest skeleton."""
    texts = Counter(" ".join(re.findall(r"\w+", entry["question"].lower())) for entry in entries)
    golds = Counter(
        (entry["database"], canonical(entry["gold"][0], "sqlite", schemas[entry["database"]])) for entry in entries
    )
    shapes = Counter(skeleton(entry["gold"][0]) for entry in entries)
    return [
        none("questions asked twice", sum(texts.values()) - len(texts)),
        none("golds that occur twice", sum(golds.values()) - len(golds)),
        most("commonest query skeleton, per cent", _top(shapes, entries), 3),
    ]


def of_golds(entries: Entries, fillings: Fillings) -> list[Quality]:
    """Return which golds break a rule of `checks` in some filling, what they cost, and what they use."""
    faulty = silent = steps = 0
    used: Counter[str] = Counter()
    for entry in entries:
        query, made = entry["gold"][0], fillings[entry["database"]]
        question = Question(**{key: entry[key] for key in COPIED}, gold=query)
        faulty += bool(checks.faults(question, made))
        silent += bool(checks.unsaid(checks.tree_of(query), f"{entry['question']} {entry['evidence']}"))
        steps = max(steps, *(run(connection, query).steps for connection in made))
        used.update(features(query))
    return [
        none("golds that fail, give nothing, cut through a tie, read the clock or hang on chance", faulty),
        none("golds with a literal that question and evidence do not say", silent),
        most("steps of the dearest gold, in any filling", steps, 200_000),
        *(least(f"golds with {name}", used[feature], 25) for feature, name in ASKED.items()),
        *_constructs(entries),
    ]


def of_misses(entries: Entries, fillings: Fillings) -> list[Quality]:
    """Return how many near misses a question has, and how many could pass for its gold in some filling."""
    passing = 0
    for entry in entries:
        made = fillings[entry["database"]]
        golds = results(entry["gold"][0], made)
        for query in entry["misses"]:
            others = results(query, made)
            passing += not others or not is_wrong(golds, others)
    sizes = [len(entry["misses"]) for entry in entries]
    return [
        least("fewest near misses of a question", min(sizes), 10),
        Quality("near misses in all", sum(sizes)),
        none("near misses that fail, or could pass for the gold in a filling", passing),
    ]


def _constructs(entries: Entries) -> list[Quality]:
    """Return how many of CONSTRUCTS golds of each difficulty use on average; each must use more than the one before."""
    found: list[Quality] = []
    for level in families.DIFFICULTIES:
        golds = [entry["gold"][0] for entry in entries if entry["difficulty"] == level]
        mean = round(sum(name in CONSTRUCTS for gold in golds for name in features(gold)) / max(len(golds), 1), 2)
        before = float(found[-1].value) if found else 0.0
        found.append(Quality(f"constructs of a gold that is {level}", mean, f"above {before}", mean > before))
    return found


def _top(counts: Counter[str], entries: Entries) -> float:
    return per_cent(max(counts.values()), len(entries))
