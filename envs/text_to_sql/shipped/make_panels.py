"""Write the databases and questions of the panel: `python -m agentgym.envs.text_to_sql.shipped.make_panels`.

Every database is filled three times. A question is kept where it holds in each filling (`checks`), where nothing else
asks the same, where its skeleton is not too common already, and where enough wrong queries come near it: each of them
runs, and gives another result than the gold in every filling even for the loosest comparison (`alike`). What is drawn
follows from SEED alone, so the files are the same on every run; `--check` compares instead of writing. With names of
databases only these are made anew, which takes minutes each; the questions about the others stay as they are.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import shutil
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from agentgym.envs.text_to_sql.canonical import canonical
from agentgym.envs.text_to_sql.engine import open_engine
from agentgym.envs.text_to_sql.reading import skeleton
from agentgym.envs.text_to_sql.scorers import make_gold
from agentgym.envs.text_to_sql.shipped import checks, families
from agentgym.envs.text_to_sql.shipped.families import NAMES, SEED, Database, Question
from agentgym.envs.text_to_sql.shipped.misses import menu_misses, values_of
from agentgym.envs.text_to_sql.shipped.panels import SPLITS
from agentgym.envs.text_to_sql.shipped.settled import ordered
from agentgym.errors import unknown
from agentgym.rng import TurnRng

DATA: Final = Path(__file__).parent.parent / "data"
QUESTIONS: Final = DATA / "questions.json.gz"
SHARES: Final = (60, 15, 25)  # of train, dev and test, in per cent
HELD_OUT: Final = {"dev": 1, "test": 3}  # databases of these splits of the panel `unseen`
COMMONEST: Final = 0.025  # of the questions may share a skeleton
FEWEST_MISSES: Final = 10

Entry = dict[str, Any]


@contextmanager
def fillings(database: Database) -> Iterator[list[sqlite3.Connection]]:
    """Yield a connection to each filling of a database, the shipped one first."""
    made = [families.create(database, number) for number in range(families.FILLINGS)]
    try:
        yield made
    finally:
        for connection in made:
            connection.close()


def write_database(database: Database, path: Path) -> None:
    """Write the shipped filling as a file: vacuumed, small pages, no journal left behind."""
    path.unlink(missing_ok=True)
    with closing(families.create(database, 0, str(path))) as made:
        made.execute("PRAGMA page_size = 1024")
        made.execute("VACUUM")


def asked(database: Database, made: Sequence[sqlite3.Connection]) -> list[Question]:
    """Return the questions of a database that hold in all fillings."""
    return [
        question
        for family in database.FAMILIES
        for question in families.questions(database, family, made[0], lambda one: not checks.faults(one, made))
    ]


def entries_of(database: Database, path: Path) -> list[Entry]:
    """Return the entries of a database, without their splits; `path` is its file."""
    engine = open_engine(str(path))
    tables, found = engine.tables(), []
    with fillings(database) as made:
        values = values_of(tables, made[0])
        for question in asked(database, made):
            misses = menu_misses(question, made, tables, values)
            in_order = ordered(checks.tree_of(question.gold))
            gold = make_gold([question.gold], engine, ordered=in_order)
            entry = {
                "id": question.id, "database": database.NAME, "question": question.question,
                "evidence": question.evidence, "gold": [question.gold], "ordered": in_order,
                "difficulty": question.difficulty, "category": "", "content": engine.content,
                "gold_rows": gold.hash, "misses": misses,
            }  # fmt: skip
            if len(misses) >= FEWEST_MISSES:
                found.append(entry)
    engine.close()
    return found


def distinct(entries: Sequence[Entry], forms: Mapping[str, str]) -> list[Entry]:
    """Return the entries without those whose gold or text came before.

    Args:
        entries: all entries.
        forms: id → canonical form of the gold.
    """
    seen: set[str] = set()
    found = []
    for entry in entries:
        words = re.findall(r"\w+", entry["question"].lower())
        marks = {f"gold {entry['database']} {forms[entry['id']]}", f"text {' '.join(words)}"}
        if not marks & seen:
            found.append(entry)
        seen |= marks
    return found


def uncommon(entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries without those, drawn, by which a skeleton would cover more than COMMONEST of them."""
    shapes = {entry["id"]: skeleton(entry["gold"][0]) for entry in entries}
    most = int(COMMONEST * len(entries))
    counts: Counter[str] = Counter()
    kept = set()
    for entry in TurnRng(SEED, stream="skeletons").shuffled(entries):
        counts[shapes[entry["id"]]] += 1
        if counts[shapes[entry["id"]]] <= most:
            kept.add(entry["id"])
    return [entry for entry in entries if entry["id"] in kept]


def place(entries: Sequence[Entry]) -> None:
    """Set `split` and `unseen` of every entry: SHARES of each database and difficulty; whole databases in `unseen`."""
    names = TurnRng(SEED, stream="unseen").shuffled(sorted({entry["database"] for entry in entries}))
    unseen = dict.fromkeys(names, "train")
    for split, number in HELD_OUT.items():
        unseen.update(dict.fromkeys(names[:number], split))
        names = names[number:]
    groups: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        entry["unseen"] = unseen[entry["database"]]
        groups.setdefault((entry["database"], entry["difficulty"]), []).append(entry)
    for (database, difficulty), group in groups.items():
        rng = TurnRng(SEED, stream=f"splits of {database} {difficulty}")
        start = rng.integers(100)  # so that small groups do not round alike
        for number, entry in enumerate(rng.shuffled(group)):
            entry["split"] = _share((start + (number * 100 + 50) // len(group)) % 100)


def _share(mark: int) -> str:
    for split, share in zip(SPLITS, SHARES, strict=True):
        if mark < share:
            return split
        mark -= share
    raise AssertionError("SHARES sum to 100")


def made_entries(names: Sequence[str], folder: Path, say: Callable[[str], None]) -> list[Entry]:
    """Write these databases into a folder and return their entries; `settled_entries` places them."""
    found: list[Entry] = []
    for name in names:
        database, path = families.load(name), folder / f"{name}.sqlite"
        write_database(database, path)
        own = entries_of(database, path)
        rows = sum(table.rows for table in open_engine(path).tables())
        say(f"{name}: {rows} rows, {path.stat().st_size} bytes, {len(own)} questions")
        found += own
    return found


def settled_entries(entries: Sequence[Entry], folder: Path) -> list[Entry]:
    """Return the entries that stay, placed in splits; `folder` holds the databases."""
    tables = {name: open_engine(folder / f"{name}.sqlite").tables() for name in {e["database"]: None for e in entries}}
    forms = {e["id"]: canonical(e["gold"][0], "sqlite", tables[e["database"]]) for e in entries}
    found = uncommon(distinct(entries, forms))
    place(found)
    return found


def packed(entries: Sequence[Entry]) -> bytes:
    """Return the entries as the bytes of the file: one a line, compressed, without a time."""
    lines = ",\n".join(json.dumps(entry, ensure_ascii=False, sort_keys=True) for entry in entries)
    return gzip.compress(f"[\n{lines}\n]\n".encode(), mtime=0)


def main(arguments: list[str] | None = None) -> int:
    """Write the files, or compare them; return the exit status."""
    parser = argparse.ArgumentParser(prog="make_panels", description="Write or check the shipped panel.")
    parser.add_argument("databases", nargs="*", metavar="DATABASE", help="make these anew; all when none is given")
    parser.add_argument("--check", action="store_true", help="compare with the files instead of writing them")
    options = parser.parse_args(arguments)
    for name in options.databases:
        if name not in NAMES:
            parser.error(unknown("database", name, NAMES))
    names = options.databases or NAMES
    kept = [entry for entry in shipped() if entry["database"] not in names] if len(names) < len(NAMES) else []
    with TemporaryDirectory() as scratch:
        folder = Path(scratch) if options.check else DATA / "databases"
        folder.mkdir(parents=True, exist_ok=True)
        for name in {entry["database"]: None for entry in kept} if options.check else {}:
            shutil.copy(DATA / "databases" / f"{name}.sqlite", folder)
        found = [*kept, *made_entries(names, folder, _say)]
        found = settled_entries(sorted(found, key=lambda entry: str(entry["database"])), folder)
        _say(f"{len(found)} questions")
        if options.check:
            same = found == shipped() and all(_same_content(folder, name) for name in names)
            _say("the same" if same else "DIFFERENT")
            return int(not same)
    QUESTIONS.write_bytes(packed(found))
    return 0


def shipped() -> list[Entry]:
    """Return the entries of the file."""
    found: list[Entry] = json.loads(gzip.decompress(QUESTIONS.read_bytes()))
    return found


def _same_content(folder: Path, name: str) -> bool:
    mine, theirs = (open_engine(where / f"{name}.sqlite").content for where in (folder, DATA / "databases"))
    return mine == theirs


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
